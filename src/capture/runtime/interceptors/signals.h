// Crash handlers, which init.cc installs.
#pragma once

namespace sooth::runtime {

// Handles the fatal signals that have the default disposition, so that a crash ends the trace
// properly. The program does not see this through sigaction.
void install_crash_handlers();

} // namespace sooth::runtime
