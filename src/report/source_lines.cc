#include "report/source_lines.h"

#include <filesystem>
#include <fstream>

#include "report/terminal/printable.h"
#include "report/terminal/table.h"

namespace sooth::report {

namespace fs = std::filesystem;

namespace {

constexpr std::uintmax_t kLargest = 16u << 20; // bytes; people do not write larger files

// As a terminal can show it.
std::string shown(std::string_view line) {
  constexpr std::size_t kLongest = 1000;
  std::string text;
  for (const char letter : line) {
    if (letter == '\t') text += "    ";
    else if (letter != '\r') text += letter;
  }
  text.erase(text.find_last_not_of(' ') + 1);
  return printable(text, kLongest);
}

std::vector<std::string> read_lines(const fs::path& path) {
  std::error_code problem;
  if (!fs::is_regular_file(path, problem) || fs::file_size(path, problem) > kLargest || problem) return {};
  std::vector<std::string> out;
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) out.push_back(std::move(line));
  return out;
}

} // namespace

const std::vector<std::string>& SourceLines::lines_of(const std::string& file) {
  const auto [it, added] = files_.try_emplace(file);
  if (!added) return it->second;
  if (fs::path(file).is_relative() && !directory_.empty()) it->second = read_lines(fs::path(directory_) / file);
  if (it->second.empty()) it->second = read_lines(file);
  return it->second;
}

std::optional<std::string> SourceLines::line(const std::string& file, std::uint32_t number) {
  if (file.empty() || number == 0) return std::nullopt;
  const std::vector<std::string>& lines = lines_of(file);
  if (number > lines.size()) return std::nullopt;
  return shown(lines[number - 1]);
}

std::size_t SourceLines::place_of(const std::string& file, std::uint32_t number, std::uint32_t column) {
  const std::vector<std::string>& lines = lines_of(file);
  if (number == 0 || number > lines.size() || column == 0) return 0;
  // A mark instead of the letter keeps the blanks before it.
  const std::string before = lines[number - 1].substr(0, column - 1) + "^";
  return width(shown(before)) - 1;
}

} // namespace sooth::report
