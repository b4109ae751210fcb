#include "capture/driver/installation.h"

#include <cstdlib>
#include <filesystem>

namespace sooth::driver {

namespace fs = std::filesystem;

Result<Installation> find_installation() {
  std::error_code problem;
  const fs::path self = fs::read_symlink("/proc/self/exe", problem);
  if (problem) return Error{"cannot find out where this program is: " + problem.message(), "/proc/self/exe"};
  const fs::path prefix = self.parent_path().parent_path();
  const fs::path libraries = prefix / "lib" / "sooth";
  if (!fs::exists(libraries / "libsooth_pass.so", problem))
    return Error{"Sooth's compiler pass is missing; the installation is not complete",
                 (libraries / "libsooth_pass.so").string()};
  return Installation{libraries.string(), (prefix / "include").string()};
}

std::string clang_command(bool cxx) {
  const char* chosen = std::getenv(cxx ? "SOOTH_CLANGXX" : "SOOTH_CLANG");
  if (chosen && *chosen) return chosen;
  return cxx ? "clang++-19" : "clang-19";
}

} // namespace sooth::driver
