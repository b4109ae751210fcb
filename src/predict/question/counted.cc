#include "predict/question/counted.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace sooth::predict {
namespace {

// The uses of a condition one after the other, and which signal served which wake-up.
struct Line {
  struct Wake {
    StepId step = kNoStep;
    std::uint32_t thread = 0;
    StepId wait_step = kNoStep;
    std::size_t wait = 0; // its place in the line
    std::size_t signal = 0;
  };
  std::vector<std::size_t> free_signals; // places, ascending
  std::vector<std::size_t> broadcasts;
  std::vector<Wake> wakes;
  struct Wait {
    std::size_t place = 0;
    StepId step = kNoStep;
    bool broadcast = false; // since then, before the window
  };
  std::map<std::uint32_t, std::vector<Wait>> open; // by thread

  void wake(std::uint32_t thread, StepId step, bool served) {
    auto& mine = open[thread];
    if (mine.empty()) return;
    const Wait wait = mine.back();
    mine.pop_back();
    if (!served || wait.broadcast || (!broadcasts.empty() && broadcasts.back() > wait.place)) return;
    const auto signal = std::ranges::upper_bound(free_signals, wait.place);
    if (signal == free_signals.end()) return;
    wakes.push_back({step, thread, wait.step, wait.place, *signal});
    free_signals.erase(signal);
  }

  // The wake-ups that used what a wait at this place could use, in the sense of the header.
  std::vector<Wake> users(std::size_t wait) const {
    std::vector<Wake> out;
    for (bool grows = true; grows;) {
      grows = false;
      out.clear();
      std::size_t earliest = wait;
      for (const Wake& each : wakes)
        if (each.signal > wait) {
          out.push_back(each);
          earliest = std::min(earliest, each.wait);
        }
      grows = earliest < wait;
      wait = earliest;
    }
    return out;
  }
};

} // namespace

Counted::Counted(const Constraints& constraints)
    : constraints_(constraints), index_(constraints.index()), run_(constraints.run()) {}

std::uint64_t& Counted::count(std::uint32_t semaphore) {
  const auto [it, fresh] = counts_.try_emplace(semaphore);
  if (fresh) it->second = index_.count(semaphore, run_.bases());
  return it->second;
}

Counted::Condition& Counted::condition(std::uint32_t number) {
  const auto [it, fresh] = conditions_.try_emplace(number);
  if (fresh) it->second.queue = constraints_.base_waits(number);
  return it->second;
}

bool Counted::allows(const Operation& o, std::uint32_t thread) {
  return o.kind == OperationKind::Take ? count(o.object) > 0 : condition(o.object).queue.may_wake(thread);
}

void Counted::take(const Operation& o, StepId step, std::uint32_t thread) {
  if (o.kind == OperationKind::Post) ++count(o.object);
  else if (o.kind == OperationKind::Take) --count(o.object);
  else {
    Condition& its = condition(o.object);
    apply_use(its.queue, o.kind, thread);
    its.uses.push_back({o.kind, step, thread});
  }
}

Served Counted::why_not(std::uint32_t n, StepId step, std::span<const std::uint32_t> positions) {
  const Operation& o = index_.computation.operations[n];
  Served out = o.kind == OperationKind::Take ? why_not_take(o, step, positions)
                                             : why_not_wake(o, step, index_.section(n), positions);
  sort(out);
  return out;
}

// The next post or signal of each thread: a later one comes before the step only if this one does.
void Counted::add_gives(const std::vector<ThreadUses>& threads, StepId step, std::span<const std::uint32_t> positions,
                        Served& out) const {
  for (const ThreadUses& own : threads) {
    if (own.thread == index_.computation.steps[step].thread) continue;
    const std::size_t next = index_.among(own.gives, own.thread, positions[own.thread]);
    if (next < own.gives.size() && run_.may_have(own.gives[next]))
      out.options.push_back({Option::Order, own.gives[next], step});
  }
}

// Steps that the run has, in the order in which they were observed, are the most likely.
void Counted::sort(Served& out) const {
  std::ranges::sort(out.options, {}, [&](const Option& option) {
    const bool has = run_.has(option.first) && run_.has(option.second);
    return std::tuple((option.first < option.second ? 0 : 2) + (has ? 0 : 1), option.first, option.second);
  });
}

Served Counted::why_not_take(const Operation& o, StepId step, std::span<const std::uint32_t> positions) const {
  Served out;
  const std::vector<ThreadUses>& threads = index_.semaphores[o.object];
  add_gives(threads, step, positions, out);
  // The last wait of each thread that was served: this one comes before an earlier one only if it
  // comes before that.
  for (const ThreadUses& own : threads) {
    const std::size_t taken = index_.among(own.takes, own.thread, positions[own.thread]);
    if (own.thread == index_.computation.steps[step].thread || taken == 0) continue;
    const StepId last = own.takes[taken - 1];
    if (run_.in_base(last)) continue;
    out.options.push_back({Option::Order, step, last});
    out.used_by.push_back(last);
  }
  return out;
}

Served Counted::why_not_wake(const Operation& o, StepId wake, StepId wait, std::span<const std::uint32_t> positions) {
  Condition& its = condition(o.object);
  Line line;
  std::size_t place = 0;
  for (const causality::WaitQueue::Waiter& waiter : constraints_.base_waits(o.object).waiters()) {
    line.open[waiter.thread].push_back({place++, kNoStep, waiter.broadcast});
    for (std::uint32_t i = 0; i < waiter.signals; ++i) line.free_signals.push_back(place++);
  }
  const std::uint32_t thread = index_.computation.steps[wake].thread;
  std::vector<std::pair<std::size_t, Use>> signals; // places
  for (const Use& use : its.uses) {
    const std::size_t here = place++;
    switch (use.kind) {
    case OperationKind::WaitBegin: line.open[use.thread].push_back({here, use.step, false}); break;
    case OperationKind::WakeUp: line.wake(use.thread, use.step, true); break;
    case OperationKind::WakeAnyway: line.wake(use.thread, use.step, false); break;
    case OperationKind::Broadcast:
      line.broadcasts.push_back(here);
      signals.push_back({here, use});
      break;
    default:
      line.free_signals.push_back(here);
      signals.push_back({here, use});
      break;
    }
  }
  Served out;
  add_gives(index_.conditions[o.object].threads, wake, positions, out);
  const auto too_early = [&](std::size_t at, StepId step, std::uint32_t waiter) {
    if (step == kNoStep || run_.in_base(step)) return; // what came before it stays there
    std::map<std::uint32_t, StepId> last; // by thread: a wait before an earlier one is also before this one
    for (const auto& [where, use] : signals)
      if (where < at && use.thread != waiter) last[use.thread] = use.step;
    for (const auto& [other, signal] : last) out.options.push_back({Option::Order, step, signal});
  };
  const std::size_t own_wait = line.open[thread].empty() ? 0 : line.open[thread].back().place;
  too_early(own_wait, wait, thread);
  std::map<std::uint32_t, StepId> users; // by thread: the last one
  for (const Line::Wake& user : line.users(own_wait)) {
    too_early(user.wait, user.wait_step, user.thread);
    if (user.thread != thread) users[user.thread] = user.step;
    out.used_by.push_back(user.step);
  }
  for (const auto& [other, user] : users) out.options.push_back({Option::Order, wake, user});
  return out;
}

} // namespace sooth::predict
