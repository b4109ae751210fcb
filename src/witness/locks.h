// An event's effect on a lock, and the owners of locks at one moment of a run.
#pragma once

#include <cstdint>
#include <map>

#include <absl/container/flat_hash_map.h>

#include "trace/trace.h"
#include "witness/memory_map.h"

namespace sooth::witness::checking {

enum class LockAction : std::uint8_t { None, Take, Give, TakeShared, GiveShared, Refused, RefusedShared };

struct LockUse {
  LockAction action = LockAction::None;
  std::uint64_t lock = 0;
};
// A wait gives up its mutex, a wake has it again. A request that failed was refused.
LockUse lock_use(const trace::Event& event);

struct LockState {
  static constexpr std::uint32_t kNobody = 0xffffffff;
  std::uint32_t owner = kNobody;
  std::uint32_t depth = 0;
  EventNumber taken = kNoEvent;                   // by this event, the outermost one
  std::map<std::uint32_t, std::uint32_t> readers; // thread -> how often
  std::uint32_t uses = 0;                         // outermost takes and gives, and refusals, so far
  std::uint32_t exclusive_uses = 0;               // ... of which not shared

  bool free() const { return owner == kNobody && readers.empty(); }
  bool others_exclude(std::uint32_t thread, bool shared) const;
  // The request would not change the owner: a second take by the owner, a give that is not the
  // last.
  bool inner(const trace::Event& event, LockAction action) const;
};

class Locks {
public:
  void reset() { locks_.clear(); }
  void apply(const trace::Event& event, EventNumber number);
  const LockState& at(std::uint64_t lock) const;
  bool all_free() const;

private:
  absl::flat_hash_map<std::uint64_t, LockState> locks_; // by address
};

} // namespace sooth::witness::checking
