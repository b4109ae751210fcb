// Runs a program as it would run without Sooth: same standard streams, same signals, same end.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <sys/types.h>
#include <sys/wait.h>

#include "base/result.h"

namespace sooth::cli {

struct Ended {
  pid_t pid = 0;
  int status = 0; // as waitpid gives it
  bool fine() const { return status == 0; }
  bool has(int exit_status) const { return WIFEXITED(status) && WEXITSTATUS(status) == exit_status; }
  static Ended with(int exit_status) { return {0, W_EXITCODE(exit_status, 0)}; }
};

struct Environment {
  std::vector<std::pair<std::string, std::string>> set; // in addition to the environment of this process
  bool fixed_addresses = false;                         // no randomisation of the address space
  bool dies_with_us = false;                            // it waits for us, so it must not outlive us
  bool silent = false;                                  // its standard streams are /dev/null
  bool unattended = false; // it gets no signals of ours. Several such programs may run at once, by different threads
};

// Starts `arguments[0]` and waits for its end. Passes on signals sent to this process alone (INT,
// TERM, HUP, ...); signals from the terminal reach the program by themselves. An error if the
// program could not be started. Calls `watch` while the program runs, before it waits for it.
Result<Ended> launch(const std::vector<std::string>& arguments, const Environment& environment,
                     const std::function<void(pid_t)>& watch = {});
// How often SIGINT or SIGTERM to this process was meant to end the running program.
int interrupts();

// Runs `body` in a child process; its result is the exit status. Calls `watch` in this process
// while the child runs, before it waits for the child.
Result<Ended> run_in_child(const std::function<int()>& body, const std::function<void(pid_t)>& watch = {});

// Ends this process as the program ended: with its status, or by the same signal (without a core of
// its own). Returns the status to exit with if the signal did not end us.
int end_like(const Ended& ended);

// The path to start: `name` itself if it has a slash; else a file here, or on PATH. Empty if there
// is none.
std::string find_program(const std::string& name);

} // namespace sooth::cli
