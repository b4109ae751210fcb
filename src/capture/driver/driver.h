// `sooth cc` and `sooth c++`: clang 19 with Sooth's pass and runtime.
#pragma once

namespace sooth::driver {

// Runs clang (or clang++) with the arguments argv[1] ... argv[argc - 1] and Sooth's own. It
// replaces the calling process, so it returns only if clang was not started: the exit status, after
// a message on stderr.
int run_compiler(bool cxx, int argc, char** argv);

} // namespace sooth::driver
