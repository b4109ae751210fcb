#include "cli/sleeping.h"

#include <filesystem>
#include <fstream>
#include <string>

#include <sys/syscall.h>

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

} // namespace sooth::cli
