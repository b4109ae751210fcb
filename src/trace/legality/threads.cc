// A child follows its fork, a join follows the end, and a thread acts only between its start and
// its end.
//
// Threads without a start or a fork in the trace (the main thread, threads made by code that is not
// instrumented, imported traces) are accepted as they are.
#include <cstdint>
#include <vector>

#include <fmt/format.h>

#include "trace/legality/judge.h"

namespace sooth::trace::legality {

namespace {

struct ThreadState {
  bool has_start = false; // somewhere in the trace
  bool has_fork = false;
  bool has_end = false;
  bool forked = false; // so far
  bool started = false;
  bool ended = false;
  bool joined = false;
  bool told_early = false; // one problem for all events before the start
};

class Threads final : public Family {
public:
  explicit Threads(Judge& judge)
      : Family(judge), threads_(judge.trace.threads.size()), late_allowed_(judge.trace.defect(Defect::LateEvents)) {
    for (const Event& e : judge.trace.events) {
      if (e.kind == EventKind::Fork && e.value < threads_.size() && !e.has(kFailed)) threads_[e.value].has_fork = true;
      if (e.thread >= threads_.size()) continue;
      if (e.kind == EventKind::ThreadStart) threads_[e.thread].has_start = true;
      if (e.kind == EventKind::ThreadEnd) threads_[e.thread].has_end = true;
    }
  }

  std::unique_ptr<Family> copy() const override { return std::make_unique<Threads>(*this); }
  bool wants(EventKind) const override { return true; }

  void step(const Event& e) override {
    ThreadState& self = threads_[e.thread];
    if (e.kind == EventKind::ThreadStart) start(e, self);
    else if (!self.started && (self.has_start || (self.has_fork && !self.forked))) early(e, self);
    if (self.ended || self.joined) late(e, self);
    if (e.kind == EventKind::ThreadEnd) self.ended = true;
    else if (e.kind == EventKind::Fork) fork(e);
    else if (e.kind == EventKind::Join) join(e);
  }

private:
  void start(const Event& e, ThreadState& self) {
    if (self.started)
      judge_.object(Rule::ForkedTwice, [&] { return fmt::format("{} starts twice.", judge_.thread_name(e.thread)); });
    // A thread that names another one as its parent was forked by it.
    const bool has_parent = self.has_fork || (e.value != e.thread && e.value < threads_.size() && e.thread != 0);
    if (has_parent && !self.forked && !judge_.inherited)
      judge_.object(Rule::StartBeforeFork, [&] {
        return fmt::format("{} starts, but {}.", judge_.thread_name(e.thread),
                           self.has_fork ? "was not forked yet" : "was never forked");
      });
    self.started = true;
  }

  void early(const Event& e, ThreadState& self) {
    // A forked child begins inside calls of its parent; they are recorded before its start.
    const bool inherited_call = judge_.inherited && (e.kind == EventKind::Enter || e.kind == EventKind::Exit);
    if (self.told_early || inherited_call) return;
    self.told_early = true;
    judge_.object(Rule::EventBeforeStart, [&] {
      return fmt::format("{} acts before its {}.", judge_.thread_name(e.thread), self.has_start ? "start" : "fork");
    });
  }

  void late(const Event& e, ThreadState& self) {
    if (late_allowed_ > 0) {
      --late_allowed_;
      return;
    }
    judge_.object(Rule::EventAfterEnd, [&] {
      return fmt::format("{} acts after it {}.", judge_.thread_name(e.thread), self.ended ? "ended" : "was joined");
    });
  }

  void fork(const Event& e) {
    if (e.has(kFailed) || e.value >= threads_.size()) return;
    ThreadState& child = threads_[e.value];
    if (child.forked || e.value == e.thread)
      judge_.object(Rule::ForkedTwice, [&] {
        return fmt::format("{} forks {}, which {}.", judge_.thread_name(e.thread),
                           judge_.thread_name(static_cast<std::uint32_t>(e.value)),
                           child.forked ? "was forked before" : "is itself");
      });
    child.forked = true;
  }

  void join(const Event& e) {
    if (e.has(kFailed) || e.value >= threads_.size()) return; // not joined, or the thread is unknown
    ThreadState& child = threads_[e.value];
    const auto name = [&] { return judge_.thread_name(static_cast<std::uint32_t>(e.value)); };
    if (child.joined) judge_.object(Rule::JoinedTwice, [&] { return fmt::format("{} was joined before.", name()); });
    else if (!child.ended && (child.has_end || child.has_start))
      judge_.object(Rule::JoinBeforeEnd, [&] {
        return fmt::format("{} joins {}, which had not ended.", judge_.thread_name(e.thread), name());
      });
    child.joined = true;
  }

  std::vector<ThreadState> threads_;
  std::uint64_t late_allowed_; // late events that the trace reports
};

} // namespace

std::unique_ptr<Family> make_threads(Judge& judge) { return std::make_unique<Threads>(judge); }

} // namespace sooth::trace::legality
