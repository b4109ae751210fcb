#include "capture/driver/monitors.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace sooth::driver {

namespace fs = std::filesystem;

int run_and_wait(const std::vector<std::string>& command) {
  std::vector<char*> words;
  words.reserve(command.size() + 1);
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    execvp(words[0], words.data());
    std::fprintf(stderr, "sooth: cannot run %s: %s\n", words[0], std::strerror(errno));
    _exit(errno == ENOENT ? 127 : 126);
  }
  int status = 0;
  if (child < 0) return 126;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return 126;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int build_monitors_in(const std::string& property, const std::string& program, const Installation& installation) {
  std::string compiled = (fs::temp_directory_path() / "sooth-monitors-XXXXXX").string();
  const int file = mkstemp(compiled.data());
  if (file < 0) {
    std::fputs("sooth: cannot make a temporary file for the compiled monitors\n", stderr);
    return 2;
  }
  close(file);
  const fs::path tool = fs::path(installation.libraries).parent_path().parent_path() / "bin" / "sooth";
  int status = run_and_wait({tool.string(), "monitors", "--output", compiled, property, program});
  if (status == 0)
    status = run_and_wait({"objcopy", "--remove-section", "sooth_monitors", "--add-section",
                           "sooth_monitors=" + compiled, "--set-section-flags", "sooth_monitors=readonly", program});
  std::error_code ignored;
  fs::remove(compiled, ignored);
  if (status == 0) return 0;
  // If monitors were requested, there must be no program without them.
  fs::remove(program, ignored);
  std::fprintf(stderr, "sooth: %s was not built, because its monitors could not be built in\n", program.c_str());
  return status;
}

} // namespace sooth::driver
