#include "cli/attempts.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <new>
#include <optional>

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/interrupt.h"
#include "base/machine_memory.h"
#include "cli/command.h"
#include "cli/guarded.h"
#include "cli/output.h"
#include "cli/terminal/progress.h"

namespace sooth::cli {
namespace {

using analysis::Spending;

constexpr double kKept = 0.75;                // of the events, in the next attempt ...
constexpr double kKeptInHaste = 0.25;         // ... if half of the time is gone
constexpr std::uint64_t kFewest = 1000;       // events; if these do not fit, other data takes the memory
constexpr double kLeastForReading = 0.01;     // as a part of the memory
constexpr std::uint64_t kPerSecond = 8 << 20; // KiB that a process can occupy, roughly: the kernel has to clear pages
constexpr int kShortest = 1, kLongest = 100;  // ms between two checks
constexpr auto kPatience = std::chrono::seconds(3); // after an interruption, with an attempt that has no results yet

// Shared by parent and child.
struct Shared {
  enum State : int { Working, GivenUp, Telling };
  std::atomic<int> state{Working};
  std::atomic<std::uint64_t> events{0}; // of the present analysis; 0: still reading
  std::atomic<bool> looks{false};       // the search has begun: there may be findings
};

// The place of Shared, in memory that both processes map.
class SharedState {
public:
  SharedState() : place_(mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)) {}
  ~SharedState() {
    if (place_ != MAP_FAILED) munmap(place_, sizeof(Shared));
  }
  SharedState(const SharedState&) = delete;
  SharedState& operator=(const SharedState&) = delete;

  Shared* fresh() const { return place_ == MAP_FAILED ? nullptr : new (place_) Shared; }

private:
  void* place_;
};

// A pipe that closes when the child ends, however it ends.
class LifeLine {
public:
  LifeLine() {
    if (pipe2(ends_, O_CLOEXEC) != 0) ends_[0] = ends_[1] = -1;
  }
  ~LifeLine() {
    close_end(0);
    close_end(1);
  }
  LifeLine(const LifeLine&) = delete;
  LifeLine& operator=(const LifeLine&) = delete;

  bool made() const { return ends_[0] >= 0; }
  void close_end(int which) {
    if (ends_[which] >= 0) close(ends_[which]);
    ends_[which] = -1;
  }
  // Whether the child ends within so many milliseconds.
  bool cut(int milliseconds) const {
    pollfd end{ends_[0], POLLIN, 0};
    return poll(&end, 1, milliseconds) > 0;
  }

private:
  int ends_[2];
};

// The nearer the limit, the sooner the next check.
int pause_before_look(std::uint64_t resident, std::uint64_t limit) {
  const std::uint64_t room = limit > resident ? (limit - resident) >> 10 : 0;
  return static_cast<int>(std::clamp<std::uint64_t>(room * 1000 / kPerSecond, kShortest, kLongest));
}

// Whether the attempt was interrupted kPatience ago and has still not begun its search. Asked
// repeatedly.
class Patience {
public:
  explicit Patience(bool noted) : was_noted_(noted) {} // otherwise SIGINT ended the attempt at once

  bool is_over(const Shared& shared) {
    if (!was_noted_ || interrupts() == 0 || shared.looks) return false;
    if (!since_) since_ = Clock::now();
    return Clock::now() - *since_ > kPatience;
  }

private:
  using Clock = std::chrono::steady_clock;
  const bool was_noted_;
  std::optional<Clock::time_point> since_;
};

// `limit` 0: no limit of memory.
void watch(pid_t child, const LifeLine& line, std::uint64_t limit, bool noted, Shared& shared) {
  Patience patience(noted);
  for (std::uint64_t resident = 0; !line.cut(limit == 0 ? kLongest : pause_before_look(resident, limit));) {
    if (shared.state == Shared::Telling) return;
    resident = limit == 0 ? 0 : resident_memory(child);
    int working = Shared::Working;
    if (resident <= limit && !patience.is_over(shared)) continue;
    if (!shared.state.compare_exchange_strong(working, Shared::GivenUp)) continue;
    kill(child, SIGKILL);
    return;
  }
}

// During attempts, notes the first SIGINT; a second one has its usual effect. A child inherits
// this, so it holds from the child's first instruction on.
class NotedInterrupts {
public:
  NotedInterrupts() {
    struct sigaction action = {};
    action.sa_handler = [](int signal) {
      if (note_interrupt() == 0) return;
      std::signal(signal, SIG_DFL);
      raise(signal); // delivered when this handler returns
    };
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, nullptr, &before_);
    if (before_.sa_handler != SIG_IGN) sigaction(SIGINT, &action, nullptr); // stays ignored under nohup and the like
  }
  ~NotedInterrupts() { sigaction(SIGINT, &before_, nullptr); }
  NotedInterrupts(const NotedInterrupts&) = delete;
  NotedInterrupts& operator=(const NotedInterrupts&) = delete;

private:
  struct sigaction before_ = {};
};

// Allows fewer events, or a smaller part of the file. The last attempt analyses no event.
void reduce(Spending& spending, std::uint64_t events, double kept) {
  if (events != 0) spending.most_events = static_cast<std::uint64_t>(static_cast<double>(events) * kept);
  else spending.part_for_reading *= kept;
  spending.last = spending.most_events < kFewest || spending.part_for_reading < kLeastForReading;
}

// In the child: ends this attempt for one with fewer events.
[[noreturn]] void give_up(Shared& shared) {
  int working = Shared::Working;
  if (shared.state.compare_exchange_strong(working, Shared::GivenUp) || working == Shared::GivenUp) _exit(kFine);
  print_error_text("sooth: there is not enough memory to tell all of this.\n"); // too late for another attempt
  _exit(kWrong);
}

// In the child: from here on it prints results, and the parent does not end it.
void begin_telling(Shared& shared) {
  int working = Shared::Working;
  if (!shared.state.compare_exchange_strong(working, Shared::Telling) && working == Shared::GivenUp)
    for (;;) pause(); // the parent is about to end us
  release_complaints();
}

std::atomic<Shared*> g_shared{nullptr}; // of this process, for the new-handler

} // namespace

Ended within_memory(Spending& spending, const std::function<int(const BeginTelling&)>& body,
                    const std::function<int()>& interrupted) {
  std::optional<NotedInterrupts> noted;
  if (interrupted) noted.emplace();
  const SharedState place;
  spending.last = spending.bytes != 0 && spending.bytes <= resident_memory();
  for (;;) {
    Shared* const fresh = place.fresh();
    LifeLine line;
    if (fresh == nullptr || !line.made()) {
      complain(fmt::format("cannot start a process: {}.", std::strerror(errno)));
      return Ended::with(kWrong);
    }
    Shared& shared = *fresh;
    const bool watched = spending.bytes != 0 && !spending.last;
    const pid_t parent = getpid();
    auto ended = run_in_child(
        [&] {
          prctl(PR_SET_PDEATHSIG, SIGKILL); // without its parent, nothing would end it
          if (getppid() != parent) _exit(0);
          line.close_end(0);
          hold_complaints();
          g_shared = &shared;
          if (watched) std::set_new_handler([] { give_up(*g_shared.load()); });
          spending.works_on = [&](std::uint64_t events) { shared.events = events; };
          spending.looks = [&] { shared.looks = true; };
          spending.give_up = [&] { give_up(shared); };
          const BeginTelling begin = [&] { begin_telling(shared); };
          const int status = guarded([&] { return body(begin); });
          begin();
          return status;
        },
        [&](pid_t child) {
          line.close_end(1);
          watch(child, line, watched ? spending.bytes : 0, noted.has_value(), shared);
        });
    if (!ended) {
      complain(ended.error().text());
      return Ended::with(kWrong);
    }
    const bool killed =
        WIFSIGNALED(ended->status) && WTERMSIG(ended->status) == SIGKILL; // by us, or by the kernel for lack of memory
    if ((spending.last && shared.state != Shared::GivenUp) || shared.state == Shared::Telling) return *ended;
    if (shared.state != Shared::GivenUp && !killed) return *ended;
    ProgressLine::forget_line();
    if (interrupted && (interrupts() != 0 || was_interrupted())) return Ended::with(interrupted());
    reduce(spending, shared.events, spending.part_left() > 0.5 ? kKept : kKeptInHaste);
  }
}

} // namespace sooth::cli
