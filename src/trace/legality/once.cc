// One-time initialisation: pthread_once, call_once, guards of local statics. The initialiser runs
// in one thread at a time, and not again after it ended well. A thread that finds it done comes
// after that end.
#include <cstdint>
#include <string>

#include <absl/container/btree_map.h>
#include <fmt/format.h>

#include "trace/legality/judge.h"

namespace sooth::trace::legality {

namespace {

struct Once {
  enum { Fresh, Running, Done } state = Fresh;
  std::uint32_t thread = 0; // Running: where
  std::size_t last = 0;     // the last event that changed it
};

class OnceControls final : public Family {
public:
  using Family::Family;

  std::unique_ptr<Family> copy() const override { return std::make_unique<OnceControls>(*this); }
  bool wants(EventKind kind) const override {
    return kind == EventKind::OnceBegin || kind == EventKind::OnceEnd || kind == EventKind::OnceWait ||
           renews_memory(kind);
  }

  void step(const Event& e) override {
    if (renews_memory(e.kind)) return forget_range(controls_, e);
    const auto [it, unseen] = controls_.try_emplace(e.address);
    Once& once = it->second;
    switch (e.kind) {
    case EventKind::OnceBegin: begin(e, once); break;
    case EventKind::OnceEnd: end(e, once, unseen); break;
    default: found_done(e, once, unseen); break;
    }
  }

private:
  void begin(const Event& e, Once& once) {
    if (once.state != Once::Fresh && !judge_.written_over(e.address, once.last))
      judge_.object(Rule::OnceTwice, [&] {
        return fmt::format("{} begins the initialiser of {}, which {} since event {}.", judge_.thread_name(e.thread),
                           judge_.name_of(e.address),
                           once.state == Once::Done ? "was done" : "was running in " + judge_.thread_name(once.thread),
                           once.last);
      });
    once = {Once::Running, e.thread, judge_.index};
  }

  void end(const Event& e, Once& once, bool unseen) {
    const bool mine = once.state == Once::Running && once.thread == e.thread;
    if (!mine && !(unseen && judge_.inherited))
      judge_.object(Rule::OnceEndNoBegin, [&] {
        return fmt::format("{} ends the initialiser of {}, which it was not running.", judge_.thread_name(e.thread),
                           judge_.name_of(e.address));
      });
    once = {e.has(kFailed) ? Once::Fresh : Once::Done, e.thread, judge_.index};
  }

  void found_done(const Event& e, Once& once, bool unseen) {
    if (once.state == Once::Done) return;
    if (!(unseen && judge_.inherited))
      judge_.object(Rule::OnceWaitEarly, [&] {
        return fmt::format("{} finds the initialiser of {} done, but it {}.", judge_.thread_name(e.thread),
                           judge_.name_of(e.address), once.state == Once::Running ? "is still running" : "has not run");
      });
    once = {Once::Done, e.thread, judge_.index};
  }

  absl::btree_map<std::uint64_t, Once> controls_; // by address
};

} // namespace

std::unique_ptr<Family> make_once(Judge& judge) { return std::make_unique<OnceControls>(judge); }

} // namespace sooth::trace::legality
