// Nesting within one thread: atomic blocks, signal handlers, calls. A longjmp or an exception may
// leave several at once, so an end closes the innermost one of its name and all that were opened
// inside.
#include <cstdint>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "trace/legality/judge.h"

namespace sooth::trace::legality {

namespace {

using Opening = std::pair<std::uint64_t, std::uint64_t>; // name, or handler and signal

// Closes `opening`; false if it is not open.
bool close(std::vector<Opening>& open, const Opening& opening) {
  for (std::size_t i = open.size(); i-- > 0;) {
    if (open[i] != opening) continue;
    open.resize(i);
    return true;
  }
  return false;
}

class Nesting final : public Family {
public:
  explicit Nesting(Judge& judge)
      : Family(judge), threads_(judge.trace.threads.size()),
        calls_known_(judge.trace.defect(Defect::StackOverflows) == 0 && !judge.inherited) {}

  std::unique_ptr<Family> copy() const override { return std::make_unique<Nesting>(*this); }
  bool wants(EventKind kind) const override {
    switch (kind) {
    case EventKind::AtomicBegin:
    case EventKind::AtomicEnd:
    case EventKind::SignalEnter:
    case EventKind::SignalExit:
    case EventKind::Enter:
    case EventKind::Exit: return true;
    default: return false;
    }
  }

  void step(const Event& e) override {
    PerThread& mine = threads_[e.thread];
    switch (e.kind) {
    case EventKind::AtomicBegin: mine.blocks.push_back({e.address, 0}); break;
    case EventKind::AtomicEnd:
      if (!close(mine.blocks, {e.address, 0}) && !judge_.inherited)
        judge_.object(Rule::AtomicNesting, [&] {
          return fmt::format("{} ends an atomic block that it had not begun.", judge_.thread_name(e.thread));
        });
      break;
    case EventKind::SignalEnter: mine.handlers.push_back({e.address, e.value}); break;
    case EventKind::SignalExit:
      if (!close(mine.handlers, {e.address, e.value}) && !judge_.inherited)
        judge_.object(Rule::SignalNesting, [&] {
          return fmt::format("{} returns from a handler of signal {} that it had not entered.",
                             judge_.thread_name(e.thread), e.value);
        });
      break;
    case EventKind::Enter: ++mine.calls; break;
    default: exit(e, mine); break;
    }
  }

private:
  struct PerThread {
    std::vector<Opening> blocks;
    std::vector<Opening> handlers;
    std::uint64_t calls = 0;
  };

  void exit(const Event& e, PerThread& mine) {
    if (calls_known_ && e.value > mine.calls)
      judge_.object(Rule::CallDepth, [&] {
        return fmt::format("{} returns to a depth of {} calls, but only {} were entered.", judge_.thread_name(e.thread),
                           e.value, mine.calls);
      });
    mine.calls = e.value;
  }

  std::vector<PerThread> threads_;
  const bool calls_known_;
};

} // namespace

std::unique_ptr<Family> make_nesting(Judge& judge) { return std::make_unique<Nesting>(judge); }

} // namespace sooth::trace::legality
