#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "logic/syntax.h"

namespace sooth::logic {

Result<SyntaxFile> parse_file(const std::string& path) {
  std::error_code ignored;
  // A stream of a folder opens, and throws when it is read.
  if (std::filesystem::is_directory(path, ignored)) return Error{"this is a folder, not a property file", path};
  std::ifstream in(path, std::ios::binary);
  if (!in) return Error{std::string("cannot read the property file: ") + std::strerror(errno), path};
  const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  if (in.bad()) return Error{"cannot read the property file", path};
  return parse(text, path);
}

} // namespace sooth::logic
