#include "analysis/suppressed.h"

#include <fstream>
#include <sstream>
#include <utility>

namespace sooth::analysis {

Result<std::vector<report::Suppression>> read_suppressions(const std::string& path) {
  if (path.empty()) return std::vector<report::Suppression>{};
  std::ifstream in(path);
  std::ostringstream text;
  text << in.rdbuf();
  if (!in) return Error{"cannot read the suppressions.", path};
  return report::parse_suppressions(std::move(text).str(), path);
}

} // namespace sooth::analysis
