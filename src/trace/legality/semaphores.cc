// A semaphore gives no more than its first count and its posts. Without sem-init (named, inherited,
// or shared with other processes) the count is unknown and the semaphore is not judged.
#include <cstdint>
#include <optional>

#include <absl/container/btree_map.h>
#include <fmt/format.h>

#include "trace/legality/judge.h"

namespace sooth::trace::legality {

namespace {

class Semaphores final : public Family {
public:
  using Family::Family;

  std::unique_ptr<Family> copy() const override { return std::make_unique<Semaphores>(*this); }
  bool wants(EventKind kind) const override {
    return kind == EventKind::SemInit || kind == EventKind::SemPost || kind == EventKind::SemWait ||
           renews_memory(kind);
  }

  void step(const Event& e) override {
    if (renews_memory(e.kind)) return forget_range(counts_, e);
    if (e.kind == EventKind::SemInit) {
      // The upper half says that other processes may use it, too; their events are not in this
      // trace.
      if (e.value >> 32 != 0) counts_[e.address] = std::nullopt;
      else counts_[e.address] = e.value;
      return;
    }
    if (e.has(kFailed)) return;
    std::optional<std::uint64_t>& count = counts_[e.address];
    if (!count) {
      judge_.remark("The first count of some semaphores is unknown, so they were not judged.");
      return;
    }
    if (e.kind == EventKind::SemPost) {
      ++*count;
    } else if (*count > 0) {
      --*count;
    } else {
      judge_.object(Rule::SemaphoreCount, [&] {
        return fmt::format("{} passes the semaphore {}, whose count is 0.", judge_.thread_name(e.thread),
                           judge_.name_of(e.address));
      });
    }
  }

private:
  absl::btree_map<std::uint64_t, std::optional<std::uint64_t>> counts_; // by address; no number: unknown
};

} // namespace

std::unique_ptr<Family> make_semaphores(Judge& judge) { return std::make_unique<Semaphores>(judge); }

} // namespace sooth::trace::legality
