// Lines of source files, for reports; a file that cannot be read has none.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace sooth::report {

class SourceLines {
public:
  // Relative names start in `directory`, where the program ran, or here.
  explicit SourceLines(std::string directory) : directory_(std::move(directory)) {}

  // The text of a line (counted from 1), with tabs as blanks and without trailing blanks.
  std::optional<std::string> line(const std::string& file, std::uint32_t number);
  // Where a column of the source (counted from 1) is in that text (counted from 0).
  std::size_t place_of(const std::string& file, std::uint32_t number, std::uint32_t column);

private:
  const std::vector<std::string>& lines_of(const std::string& file);

  std::string directory_;
  std::unordered_map<std::string, std::vector<std::string>> files_; // as they are; empty: cannot be read
};

} // namespace sooth::report
