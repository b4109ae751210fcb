#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>

#include "logic/syntax.h"

namespace sooth::logic {

Result<SyntaxFile> parse_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return Error{std::string("cannot read the property file: ") + std::strerror(errno), path};
  const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  if (in.bad()) return Error{"cannot read the property file: is it a folder?", path};
  return parse(text, path);
}

} // namespace sooth::logic
