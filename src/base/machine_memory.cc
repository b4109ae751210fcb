#include "base/machine_memory.h"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <limits>
#include <sstream>

#include <unistd.h>

namespace sooth {
namespace {

std::uint64_t resident(const char* statm) {
  std::FILE* file = std::fopen(statm, "re");
  if (file == nullptr) return 0;
  unsigned long long all = 0, resident = 0;
  const int found = std::fscanf(file, "%llu %llu", &all, &resident);
  std::fclose(file);
  const long size = sysconf(_SC_PAGESIZE);
  return found == 2 && size > 0 ? resident * static_cast<std::uint64_t>(size) : 0;
}

// "max" and unreadable files mean: no limit.
std::uint64_t limit_in(const std::string& path) {
  std::ifstream in(path);
  std::uint64_t bytes = 0;
  return in >> bytes ? bytes : std::numeric_limits<std::uint64_t>::max();
}

// The groups around a group bound it, too.
std::uint64_t least_limit(const std::string& mounted, std::string group, const char* file) {
  std::uint64_t least = limit_in(mounted + "/" + file);
  for (; group.size() > 1; group.resize(group.rfind('/')))
    least = std::min(least, limit_in(mounted + group + "/" + file));
  return least;
}

} // namespace

std::uint64_t group_memory(const std::string& groups, const std::string& mounted) {
  std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
  std::istringstream in(groups);
  for (std::string line; std::getline(in, line);) { // number:controllers:/path
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos || line.compare(second + 1, 1, "/") != 0) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    const std::string group = line.substr(second + 1);
    if (controllers == ",,") least = std::min(least, least_limit(mounted, group, "memory.max"));
    if (controllers.find(",memory,") != std::string::npos)
      least = std::min(least, least_limit(mounted + "/memory", group, "memory.limit_in_bytes"));
  }
  return least == std::numeric_limits<std::uint64_t>::max() ? 0 : least;
}

std::uint64_t physical_memory() {
  const long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
  const std::uint64_t machine =
      pages > 0 && size > 0 ? static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(size) : 0;
  std::ifstream file("/proc/self/cgroup");
  const std::string groups{std::istreambuf_iterator<char>(file), {}};
  const std::uint64_t group = group_memory(groups, "/sys/fs/cgroup");
  return group != 0 && (machine == 0 || group < machine) ? group : machine;
}

std::uint64_t resident_memory() { return resident("/proc/self/statm"); }

std::uint64_t resident_memory(pid_t process) {
  return resident(("/proc/" + std::to_string(process) + "/statm").c_str());
}

} // namespace sooth
