// Monitors that are built into a program: compiled after it is linked, when its symbols are known,
// and put into its file.
#pragma once

#include <string>
#include <vector>

#include "capture/driver/installation.h"

namespace sooth::driver {

// Runs a command; its exit status, or what a shell would say of one that could not be run.
int run_and_wait(const std::vector<std::string>& command);

// Compiles the property file for `program` and adds the result as a section, where the runtime
// finds it. Returns an exit status; errors have been reported.
int build_monitors_in(const std::string& property, const std::string& program, const Installation& installation);

} // namespace sooth::driver
