// The locations of the parts of this Sooth: next to the executable that runs, in the build tree as
// after installation.
#pragma once

#include <string>

#include "base/result.h"

namespace sooth::driver {

struct Installation {
  std::string libraries; // libsooth_pass.so, libsooth_rt.so, libsooth_static.a
  std::string headers;   // holds sooth/sooth.h
};

Result<Installation> find_installation();

// The clang to run: SOOTH_CLANG or SOOTH_CLANGXX if set, else clang-19 or clang++-19 from PATH.
std::string clang_command(bool cxx);

} // namespace sooth::driver
