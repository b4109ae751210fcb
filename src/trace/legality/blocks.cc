// A new heap block lies apart from the blocks in use. Frees of unknown addresses are errors of the
// program, not of the trace.
#include <cstdint>

#include <absl/container/btree_map.h>
#include <fmt/format.h>

#include "trace/legality/judge.h"

namespace sooth::trace::legality {

namespace {

struct Block {
  std::uint64_t end;
  std::size_t since;
};

class Blocks final : public Family {
public:
  using Family::Family;

  std::unique_ptr<Family> copy() const override { return std::make_unique<Blocks>(*this); }
  bool wants(EventKind kind) const override { return renews_memory(kind); }

  void step(const Event& e) override {
    if (e.kind == EventKind::Alloc) return alloc(e);
    if (e.kind == EventKind::Free) blocks_.erase(e.address);
    else drop_overlapping(e); // the memory under the blocks is new or gone
  }

private:
  using Map = absl::btree_map<std::uint64_t, Block>;

  Map::iterator first_overlapping(const Event& e) {
    auto it = blocks_.upper_bound(e.address);
    if (it != blocks_.begin() && std::prev(it)->second.end > e.address) --it;
    return it != blocks_.end() && it->first < e.address + e.value ? it : blocks_.end();
  }

  void drop_overlapping(const Event& e) {
    for (auto it = first_overlapping(e); it != blocks_.end(); it = first_overlapping(e)) blocks_.erase(it);
  }

  void alloc(const Event& e) {
    if (e.value == 0) return;
    if (const auto it = first_overlapping(e); it != blocks_.end()) {
      judge_.object(Rule::AllocOverlap, [&] {
        return fmt::format(
            "{} gets a block of {} bytes at {:#x}, which overlaps the block of {} bytes at {:#x} that is "
            "in use since event {}.",
            judge_.thread_name(e.thread), e.value, e.address, it->second.end - it->first, it->first, it->second.since);
      });
      drop_overlapping(e);
    }
    blocks_[e.address] = {e.address + e.value, judge_.index};
  }

  Map blocks_; // disjoint, by first address
};

} // namespace

std::unique_ptr<Family> make_blocks(Judge& judge) { return std::make_unique<Blocks>(judge); }

} // namespace sooth::trace::legality
