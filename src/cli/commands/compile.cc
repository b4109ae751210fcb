// `sooth cc` and `sooth c++`: every argument goes to the driver as it is.
#include "cli/command.h"
#include "cli/output.h"

#if SOOTH_HAS_DRIVER
#include "capture/driver/driver.h"
#endif

namespace sooth::cli {

namespace {

int compile([[maybe_unused]] bool cxx, [[maybe_unused]] int argc, [[maybe_unused]] char** argv) {
#if SOOTH_HAS_DRIVER
  return driver::run_compiler(cxx, argc, argv);
#else
  complain("this build of Sooth has no compilers.");
  return kWrong;
#endif
}

} // namespace

int run_cc(int argc, char** argv) { return compile(false, argc, argv); }
int run_cxx(int argc, char** argv) { return compile(true, argc, argv); }

} // namespace sooth::cli
