#include "cli/watch.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

#include "cli/guarded.h"
#include "cli/launch.h"
#include "cli/output.h"
#include "cli/sleeping.h"
#include "predict/deadlocks/waiting_at_end.h"
#include "trace/format.h"
#include "trace/reader.h"

namespace sooth::cli {
namespace {

constexpr int kLook = 100;         // ms between two checks
constexpr int kGrace = 1000;       // ms between the report and the end of a program that stands still
constexpr int kLooksAwake = 5;     // so many checks until a thread that does not sleep is taken for one that spins
constexpr int kBetweenEnds = 2000; // ms between SIGTERM and SIGKILL

// The number of the process's tasks in the kernel.
std::uint64_t tasks_of(pid_t program) {
  std::error_code error;
  std::uint64_t tasks = 0;
  for (std::filesystem::directory_iterator it(fmt::format("/proc/{}/task", program), error), end; !error && it != end;
       it.increment(error))
    ++tasks;
  return tasks;
}

bool read_first_page(const std::string& path, trace::FileHeader& header) {
  std::ifstream in(path, std::ios::binary);
  return in.read(reinterpret_cast<char*>(&header), sizeof header) && header.magic == trace::kFileMagic &&
         header.version == trace::kFormatVersion;
}

void set_flag(const std::string& path, trace::FileFlags flag, bool on) {
  trace::FileHeader header;
  if (!read_first_page(path, header)) return;
  header.flags = on ? header.flags | flag : header.flags & ~std::uint32_t{flag};
  std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
  file.seekp(offsetof(trace::FileHeader, flags))
      .write(reinterpret_cast<const char*>(&header.flags), sizeof header.flags);
}

// Reads the trace in a process of its own, because it may be large.
bool nobody_can_go_on(const std::string& path) {
  const pid_t reader = fork();
  if (reader == 0)
    _exit(guarded([&] {
      const auto trace = trace::read_trace(path);
      return trace && predict::waiting_at_end(trace.value()).all_stuck ? 1 : 0;
    }));
  int status = 0;
  while (reader > 0 && waitpid(reader, &status, 0) < 0 && errno == EINTR) {
  }
  return reader > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 1;
}

} // namespace

void Watch::operator()(pid_t program) {
  using Clock = std::chrono::steady_clock;
  program_ = program;
  handle_ = static_cast<int>(syscall(SYS_pidfd_open, program, 0)); // Linux 5.3; without it we poll more often
  const auto start = Clock::now();
  bool kept = false;
  while (!ended_within(kLook)) {
    const std::chrono::duration<double> gone = Clock::now() - start;
    if (interrupts() > 1) { // the first one did not end it
      kill(program_, SIGKILL);
    } else if (options_.timeout > 0 && gone.count() >= options_.timeout) {
      timed_out_ = true;
      complain(fmt::format("the program is ended: it has run for {} seconds (--timeout).", options_.timeout));
      end();
      break;
    } else if (!kept && stands_still()) {
      stood_still_ = true;
      options_.on_standstill();
      kept = options_.keep;
      complain(kept ? fmt::format("the program (process {}) stands still and is kept (--keep-standing).", program_)
                    : fmt::format("the program stands still, and is ended."));
      if (kept) continue;
      if (!ended_within(kGrace)) end();
      break;
    }
  }
  if (handle_ >= 0) close(handle_);
  trace::FileHeader header; // a debugger may have released a thread
  if (kept && read_first_page(options_.trace, header) && header.waits != asked_waits_)
    set_flag(options_.trace, trace::kSeenAsleep, false);
}

bool Watch::ended_within(int milliseconds) const {
  if (handle_ >= 0) {
    pollfd end{handle_, POLLIN, 0};
    return poll(&end, 1, milliseconds) > 0;
  }
  constexpr int kStep = 10;
  for (int waited = 0;; waited += kStep) {
    siginfo_t info = {};
    if (waitid(P_PID, static_cast<id_t>(program_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid != 0)
      return true;
    if (waited >= milliseconds) return false;
    poll(nullptr, 0, kStep);
  }
}

void Watch::end() {
  kill(program_, SIGTERM);
  if (!ended_within(kBetweenEnds)) kill(program_, SIGKILL);
}

bool Watch::stands_still() {
  trace::FileHeader header;
  if (options_.trace.empty() || !read_first_page(options_.trace, header)) return false;
  const bool may_be = header.pid == static_cast<std::uint32_t>(program_) && header.end_kind == 0 &&
                      (header.flags & trace::kMayBeInterrupted) == 0 && header.waiting >= tasks_of(program_);
  const bool since_last_look = std::exchange(seen_waits_, header.waits) == header.waits;
  if (!may_be || !since_last_look || asked_waits_ == header.waits) return false;
  // No thread has ended or begun a wait since the last check, so the threads that sleep now all
  // sleep at the same time.
  const bool asleep = all_sleep(program_) && read_first_page(options_.trace, header) && header.waits == seen_waits_ &&
                      header.waiting >= tasks_of(program_);
  // A thread that was let go, but has no core yet, is seen asleep later. One that spins never is.
  if (!asleep && ++looks_awake_ < kLooksAwake) return false;
  looks_awake_ = 0;
  asked_waits_ = seen_waits_;
  if (asleep) set_flag(options_.trace, trace::kSeenAsleep, true);
  if (nobody_can_go_on(options_.trace)) return true;
  if (asleep) set_flag(options_.trace, trace::kSeenAsleep, false);
  return false;
}

} // namespace sooth::cli
