#include "cli/attempts.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <new>

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/machine_memory.h"
#include "cli/command.h"
#include "cli/guarded.h"
#include "cli/output.h"
#include "cli/progress.h"

namespace sooth::cli {
namespace {

using analysis::Spending;

constexpr double kKept = 0.75;                // of the events, in the next attempt ...
constexpr double kKeptInHaste = 0.25;         // ... if half of the time is gone
constexpr std::uint64_t kFewest = 1000;       // events; if these do not fit, something else takes the memory
constexpr double kLeastForReading = 0.01;     // that part of the memory
constexpr std::uint64_t kPerSecond = 8 << 20; // KiB that a process can occupy at most, about: pages have to be cleared
constexpr int kShortest = 1, kLongest = 100;  // ms between two looks

// What parent and child both see.
struct Shared {
  enum State : int { Working, GivenUp, Telling };
  std::atomic<int> state{Working};
  std::atomic<std::uint64_t> events{0}; // that are being analysed; 0: still reading
};

// In shared memory: the child's words reach the parent.
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

// Closes when the child ends, however it ends.
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
  // Whether the child has ended within so many milliseconds.
  bool cut(int milliseconds) const {
    pollfd end{ends_[0], POLLIN, 0};
    return poll(&end, 1, milliseconds) > 0;
  }

private:
  int ends_[2];
};

// The nearer the limit, the sooner the next look.
int pause_before_look(std::uint64_t resident, std::uint64_t limit) {
  const std::uint64_t room = limit > resident ? (limit - resident) >> 10 : 0;
  return static_cast<int>(std::clamp<std::uint64_t>(room * 1000 / kPerSecond, kShortest, kLongest));
}

void watch(pid_t child, const LifeLine& line, std::uint64_t limit, Shared& shared) {
  for (std::uint64_t resident = 0; !line.cut(pause_before_look(resident, limit));) {
    if (shared.state == Shared::Telling) return;
    resident = resident_memory(child);
    int working = Shared::Working;
    if (resident <= limit || !shared.state.compare_exchange_strong(working, Shared::GivenUp)) continue;
    kill(child, SIGKILL);
    return;
  }
}

// Fewer events, or less of the file; the last attempt looks at nothing.
void reduce(Spending& spending, std::uint64_t events, double kept) {
  if (events != 0) spending.most_events = static_cast<std::uint64_t>(static_cast<double>(events) * kept);
  else spending.part_for_reading *= kept;
  spending.last = spending.most_events < kFewest || spending.part_for_reading < kLeastForReading;
}

// In the child: fewer events would be better.
[[noreturn]] void give_up(Shared& shared) {
  int working = Shared::Working;
  if (shared.state.compare_exchange_strong(working, Shared::GivenUp) || working == Shared::GivenUp) _exit(kFine);
  print_error_text("sooth: there is not enough memory to tell all of this.\n"); // too late for another attempt
  _exit(kWrong);
}

// In the child: from here on results are printed, and the attempt is not ended.
void begin_telling(Shared& shared) {
  int working = Shared::Working;
  if (!shared.state.compare_exchange_strong(working, Shared::Telling) && working == Shared::GivenUp)
    for (;;) pause(); // we are about to be ended
  release_complaints();
}

std::atomic<Shared*> g_shared{nullptr}; // of this process, for the new-handler

} // namespace

Ended within_memory(Spending& spending, const std::function<int(const BeginTelling&)>& body) {
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
          prctl(PR_SET_PDEATHSIG, SIGKILL); // nobody else would end it
          if (getppid() != parent) _exit(0);
          line.close_end(0);
          hold_complaints();
          g_shared = &shared;
          if (watched) std::set_new_handler([] { give_up(*g_shared.load()); });
          spending.works_on = [&](std::uint64_t events) { shared.events = events; };
          spending.give_up = [&] { give_up(shared); };
          const BeginTelling begin = [&] { begin_telling(shared); };
          const int status = guarded([&] { return body(begin); });
          begin();
          return status;
        },
        [&](pid_t child) {
          line.close_end(1);
          if (watched) watch(child, line, spending.bytes, shared);
        });
    if (!ended) {
      complain(ended.error().text());
      return Ended::with(kWrong);
    }
    const bool killed =
        WIFSIGNALED(ended->status) && WTERMSIG(ended->status) == SIGKILL; // by us, or for want of memory
    if (spending.last || shared.state == Shared::Telling) return *ended;
    if (shared.state != Shared::GivenUp && !killed) return *ended;
    ProgressLine::forget_line();
    reduce(spending, shared.events, spending.part_left() > 0.5 ? kKept : kKeptInHaste);
  }
}

} // namespace sooth::cli
