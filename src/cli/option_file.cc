#include "cli/option_file.h"

#include <filesystem>
#include <fstream>
#include <sstream>

namespace sooth::cli {

namespace {

constexpr const char* kFile = ".sooth";

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r";
  const std::size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

} // namespace

Result<std::vector<std::string>> parse_option_file(std::string_view text, const std::string& file) {
  std::vector<std::string> out;
  for (std::uint64_t number = 1; !text.empty(); ++number) {
    const std::size_t end = text.find('\n');
    const std::string_view line = trimmed(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (line.empty() || line.front() == '#') continue;
    const std::size_t equals = line.find('=');
    const std::string_view name = trimmed(line.substr(0, equals));
    if (equals == std::string_view::npos || name.empty() || name.front() == '-')
      return Error{"an option is `name=value`, for example `find=races`.", file, number, 1};
    out.push_back("--" + std::string(name) + "=" + std::string(trimmed(line.substr(equals + 1))));
  }
  return out;
}

Result<std::vector<std::string>> options_from_file() {
  std::error_code problem;
  if (!std::filesystem::is_regular_file(kFile, problem)) return std::vector<std::string>{};
  std::ifstream in(kFile);
  std::ostringstream text;
  text << in.rdbuf();
  if (!in) return Error{"cannot read it.", kFile, 0, 0};
  return parse_option_file(text.str(), kFile);
}

} // namespace sooth::cli
