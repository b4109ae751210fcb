// Runs a program and says what it took:   measure RESULT PROGRAM [ARGUMENT...]
// RESULT gets one line: seconds, peak resident memory in KiB, exit status (or 128 + signal).
//
// A process of its own, because Linux counts the memory of the process that starts a program as part of that program's peak; this
// one is small.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fputs("usage: measure RESULT PROGRAM [ARGUMENT...]\n", stderr);
    return 2;
  }
  const auto started = std::chrono::steady_clock::now();
  const pid_t child = fork();
  if (child == 0) {
    execvp(argv[2], argv + 2);
    std::perror(argv[2]);
    _exit(127);
  }
  int status = 0;
  rusage usage{};
  if (child < 0 || wait4(child, &status, 0, &usage) != child) {
    std::perror("measure");
    return 2;
  }
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - started;
  std::FILE* result = std::fopen(argv[1], "w");
  if (result == nullptr) {
    std::perror(argv[1]);
    return 2;
  }
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  std::fprintf(result, "%.6f %ld %d\n", taken.count(), usage.ru_maxrss, code);
  std::fclose(result);
  return 0;
}
