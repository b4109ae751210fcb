#include "cli/sleeping.h"

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include <sys/syscall.h>
#include <unistd.h>

#include <fmt/format.h>

namespace sooth::cli {

bool all_sleep(pid_t program) {
  std::error_code error;
  const std::string futex = std::to_string(SYS_futex) + " ";
  for (std::filesystem::directory_iterator it(fmt::format("/proc/{}/task", program), error), end; !error && it != end;
       it.increment(error)) {
    std::ifstream in(it->path() / "syscall");
    if (std::string call; !std::getline(in, call) || !call.starts_with(futex)) return false;
  }
  return !error;
}

double processor_seconds(pid_t program) {
  std::ifstream in(fmt::format("/proc/{}/stat", program));
  std::string line;
  std::getline(in, line);
  // Behind the name, which may be anything in brackets: the state, ten numbers, user and system.
  const std::size_t name_end = line.rfind(')');
  if (name_end == std::string::npos) return 0;
  std::istringstream rest(line.substr(name_end + 1));
  std::string skipped;
  for (int i = 0; i < 11; ++i) rest >> skipped;
  double user = 0, system = 0;
  rest >> user >> system;
  return (user + system) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

} // namespace sooth::cli
