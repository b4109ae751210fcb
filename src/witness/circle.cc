#include "witness/circle.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include <absl/container/flat_hash_map.h>

namespace sooth::witness::checking {
namespace {

using trace::Event;
using trace::EventKind;

class Circle {
public:
  Circle(const Finding& finding, const Facts& facts)
      : facts_(facts), trace_(facts.trace), reached_threads_(facts.of_thread.size(), false) {
    for (const Place& place : finding.places) {
      if (place.role == Role::BlockBegin) blocks_.push_back({place.event, place.event, false});
      if (place.role == Role::BlockEnd && !blocks_.empty()) blocks_.back().end = place.event;
    }
    const Witness& w = finding.witness;
    EventNumber from = static_cast<EventNumber>(w.observed);
    for (const Block& block : blocks_) from = std::min(from, block.begin);
    for (EventNumber event = from; event < w.observed; ++event) run_.push_back(event);
    run_.insert(run_.end(), w.steps.begin(), w.steps.end());
    run_.insert(run_.end(), w.next.begin(), w.next.end());
  }

  // A block that is reached is so from its beginning on: once more, until no other one is.
  bool found() {
    for (bool again = !blocks_.empty(); again;) {
      again = false;
      touched_.clear();
      std::fill(reached_threads_.begin(), reached_threads_.end(), false);
      for (const EventNumber event : run_)
        if (follow(event, again)) return true;
    }
    return false;
  }

private:
  struct Block {
    EventNumber begin, end;
    bool reached;
  };
  // By whom an object was used: the block itself, or what comes after it.
  struct Touched {
    bool read_by_block = false, written_by_block = false, read = false, written = false;
  };

  Block* block_of(EventNumber event) {
    for (Block& block : blocks_)
      if (trace_.events[block.begin].thread == trace_.events[event].thread &&
          facts_.place[block.begin] <= facts_.place[event] && facts_.place[event] <= facts_.place[block.end])
        return &block;
    return nullptr;
  }

  // True if the event closes the circle.
  bool follow(EventNumber number, bool& again) {
    const Event& e = trace_.events[number];
    Block* block = block_of(number);
    const bool own = block == &blocks_.front();
    if (!own && e.thread == trace_.events[blocks_.front().begin].thread) return false;
    bool comes_after = !own && (reached_threads_[e.thread] || (block != nullptr && block->reached));
    for_each_object(number, [&](Touched& object, bool writes) {
      if (object.written || (writes && object.read)) comes_after = true;
      if (!own && (object.written_by_block || (writes && object.read_by_block))) comes_after = true;
    });
    if (e.kind == EventKind::Join && e.value < reached_threads_.size() && reached_threads_[e.value]) comes_after = true;
    if (own && comes_after) return true;
    if (!own && !comes_after) return false;
    for_each_object(number, [&](Touched& object, bool writes) {
      (own ? (writes ? object.written_by_block : object.read_by_block) : (writes ? object.written : object.read)) =
          true;
    });
    if (e.kind == EventKind::Fork && e.value < reached_threads_.size()) reached_threads_[e.value] = true;
    if (own) return false;
    reached_threads_[e.thread] = true;
    if (block != nullptr && !block->reached) block->reached = again = true;
    return false;
  }

  template <typename Use>
  void for_each_object(EventNumber number, Use&& use) {
    const Event& e = trace_.events[number];
    if (touches_memory(e.kind)) {
      const MemoryMap::Pieces pieces = facts_.memory.pieces(number);
      for (std::uint32_t piece = pieces.first; piece < pieces.end; ++piece)
        use(touched_[piece], trace::writes_memory(e.kind));
    } else if (e.address != 0 && e.kind != EventKind::AtomicBegin && e.kind != EventKind::AtomicEnd &&
               e.kind != EventKind::Enter && e.kind != EventKind::Exit) {
      use(touched_[kSynchronisation | e.address], true); // locks and the like
    }
  }

  static constexpr std::uint64_t kSynchronisation = std::uint64_t{1} << 63;

  const Facts& facts_;
  const trace::Trace& trace_;
  std::vector<Block> blocks_;
  std::vector<EventNumber> run_; // from the first block's beginning on
  std::vector<bool> reached_threads_;
  absl::flat_hash_map<std::uint64_t, Touched> touched_; // by piece, or by the address of a lock
};

} // namespace

bool comes_back_into_block(const Finding& finding, const Facts& facts) { return Circle(finding, facts).found(); }

} // namespace sooth::witness::checking
