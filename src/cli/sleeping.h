// Whether a program can go on by itself.
#pragma once

#include <sys/types.h>

namespace sooth::cli {

// Each of its threads is in futex(), the system call in which all waits of the C and C++ libraries
// sleep. (Spin locks do not sleep.)
bool all_sleep(pid_t program);

// The processor time that it has used so far, in seconds; 0: not known.
double processor_seconds(pid_t program);

} // namespace sooth::cli
