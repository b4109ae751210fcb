#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "logic/syntax/syntax.h"

namespace sooth::logic {

Result<SyntaxFile> parse_file(const std::string& path) {
  std::error_code unknown; // a missing file is reported below
  // A stream of a folder opens, and throws when it is read; one of a device may never end.
  if (std::filesystem::is_directory(path, unknown)) return Error{"this is a folder, not a property file", path};
  if (std::filesystem::exists(path, unknown) && !std::filesystem::is_regular_file(path, unknown))
    return Error{"this is no regular file; a property file is read more than once", path};
  std::ifstream in(path, std::ios::binary);
  if (!in) return Error{std::string("cannot read the property file: ") + std::strerror(errno), path};
  if (const auto bytes = std::filesystem::file_size(path, unknown); !unknown && bytes > kLongestFile)
    return too_long(path);
  const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  if (in.bad()) return Error{"cannot read the property file", path};
  return parse(text, path);
}

} // namespace sooth::logic
