// Wake-ups follow signals: every wake that did not time out has a signal or broadcast of its own
// after its wait began.
//
//     T1 wait c, T2 wait c, T3 signal c, T1 wake c, T2 wake c      the second wake is spurious
//
// A broadcast serves every wait that is open; a signal serves one. Waits are intervals and signals
// are points. Wakes come in the order of the intervals' ends. So giving each wake the earliest free
// signal of its interval serves as many as possible: a later wake whose interval contains an
// earlier signal contains every later one up to here, too. A wake without a signal is spurious.
// POSIX allows it; the trace says how many there were.
#include <cstdint>
#include <limits>
#include <vector>

#include <absl/container/btree_set.h>
#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include "trace/legality/judge.h"

namespace sooth::trace::legality {

namespace {

constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

// Only conditions with open waits have an entry: a signal without a waiting thread is lost.
struct Condition {
  std::size_t waits = 0;                // open ones; more than 0
  std::size_t broadcast = kNone;        // the last one
  absl::btree_set<std::size_t> signals; // not given to a wake yet
};

struct OpenWait {
  std::uint64_t condition;
  std::size_t since;
};

class Conditions final : public Family {
public:
  explicit Conditions(Judge& judge)
      : Family(judge), waits_(judge.trace.threads.size()), allowed_(judge.trace.defect(Defect::SpuriousWakes)) {}

  std::unique_ptr<Family> copy() const override { return std::make_unique<Conditions>(*this); }
  bool wants(EventKind kind) const override {
    return kind == EventKind::Wait || kind == EventKind::Wake || kind == EventKind::Signal ||
           kind == EventKind::Broadcast;
  }

  void step(const Event& e) override {
    if (e.kind == EventKind::Wait) {
      waits_[e.thread].push_back({e.address, judge_.index});
      ++conditions_[e.address].waits;
    } else if (e.kind == EventKind::Wake) {
      wake(e);
    } else if (const auto it = conditions_.find(e.address); it != conditions_.end()) {
      if (e.kind == EventKind::Broadcast) it->second.broadcast = judge_.index;
      else it->second.signals.insert(judge_.index);
    }
  }

private:
  void wake(const Event& e) {
    auto& mine = waits_[e.thread];
    // Inside a signal handler a second wait may be open; the innermost one ends first.
    std::size_t i = mine.size();
    while (i > 0 && mine[i - 1].condition != e.address) --i;
    if (i == 0) {
      judge_.object(Rule::WakeWithoutWait, [&] {
        return fmt::format("{} wakes on the condition {}, but was not waiting on it.", judge_.thread_name(e.thread),
                           judge_.name_of(e.address));
      });
      return;
    }
    const std::size_t since = mine[i - 1].since;
    mine.erase(mine.begin() + static_cast<std::ptrdiff_t>(i - 1));
    if (!e.has(kFailed) && !served(conditions_[e.address], since)) spurious(e, since);
    if (--conditions_[e.address].waits == 0) conditions_.erase(e.address);
  }

  static bool served(Condition& condition, std::size_t since) {
    if (condition.broadcast != kNone && condition.broadcast > since) return true;
    const auto signal = condition.signals.upper_bound(since);
    if (signal == condition.signals.end()) return false;
    condition.signals.erase(signal);
    return true;
  }

  void spurious(const Event& e, std::size_t since) {
    if (judge_.report.spurious_wakes < allowed_) {
      ++judge_.report.spurious_wakes;
      return;
    }
    judge_.object(Rule::WakeWithoutSignal, [&] {
      return fmt::format(
          "{} wakes on the condition {}, but no signal or broadcast is left since its wait at event {}{}.",
          judge_.thread_name(e.thread), judge_.name_of(e.address), since,
          allowed_ == 0 ? "" : fmt::format(", and the trace owns up to only {} spurious wakes", allowed_));
    });
  }

  absl::flat_hash_map<std::uint64_t, Condition> conditions_; // by address
  std::vector<std::vector<OpenWait>> waits_;                 // by thread
  const std::uint64_t allowed_;
};

} // namespace

std::unique_ptr<Family> make_conditions(Judge& judge) { return std::make_unique<Conditions>(judge); }

} // namespace sooth::trace::legality
