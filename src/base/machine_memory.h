// How much memory there is, and how much of it a process occupies.
#pragma once

#include <cstdint>
#include <string>

#include <sys/types.h>

namespace sooth {

// What this process may use at most: the machine's memory, or less if a control group (a container)
// has less. 0 if unknown.
std::uint64_t physical_memory();

// The resident set of a process. 0 if unknown.
std::uint64_t resident_memory();
std::uint64_t resident_memory(pid_t process);

// The least limit of the control groups that a process is in; 0 if there is none. `groups`: the
// text of /proc/PID/cgroup, `mounted`: where the groups are mounted.
std::uint64_t group_memory(const std::string& groups, const std::string& mounted);

} // namespace sooth
