// The part of MemoryHistory that looks back: undoing changes until a read fits.
#include <algorithm>

#include "trace/restore/memory_history.h"

namespace sooth::trace {
namespace {

// A copy of the range as it was at some slot, and how many of its bytes do not fit the read.
class Rewind {
public:
  Rewind(MemoryHistory& memory, std::uint64_t address, const Contents& seen)
      : address_(address), seen_(seen), bytes_(seen.size()) {
    for (std::uint64_t i = 0; i < bytes_.size(); ++i) {
      bytes_[i] = memory.byte(address + i);
      wrong_ += is_wrong(i);
    }
  }
  void set(std::uint64_t address, int byte) {
    const std::uint64_t i = address - address_; // wraps around for what lies before the range
    if (i >= bytes_.size()) return;
    wrong_ -= is_wrong(i);
    bytes_[i] = byte;
    wrong_ += is_wrong(i);
  }
  bool fits() const { return wrong_ == 0; }

private:
  bool is_wrong(std::uint64_t i) const { return bytes_[i] >= 0 && bytes_[i] != seen_.byte(i); }

  std::uint64_t address_;
  const Contents& seen_;
  std::vector<int> bytes_; // -1: unknown
  std::uint64_t wrong_ = 0;
};

template <typename Change>
void undo(Rewind& rewind, const Change& change) {
  for (unsigned byte = 0; byte < 8; ++byte) {
    if (!(change.mask >> byte & 1)) continue;
    const int old = change.old_known >> byte & 1 ? static_cast<int>(change.old_bytes >> (8 * byte) & 0xff) : -1;
    rewind.set(change.granule * 8 + byte, old);
  }
}

} // namespace

std::uint64_t MemoryHistory::collect_steps(std::uint64_t address, std::uint64_t size, std::uint64_t floor) {
  steps_.clear();
  for (std::uint64_t granule = address >> 3; granule <= (address + size - 1) >> 3; ++granule) {
    Block& block = block_at(granule / kGranules);
    floor = std::max(floor, block.born);
    std::uint32_t number = block.last[granule % kGranules];
    std::uint64_t reached = UINT64_MAX;
    while (number != 0) {
      Change* change = change_number(number, granule);
      if (change == nullptr || steps_.size() >= kMaxSearch) { // changes before `reached` are unknown
        floor = std::max(floor, reached);
        break;
      }
      if (change->position < floor) break;
      steps_.push_back(change);
      reached = change->position;
      number = change->previous;
    }
  }
  std::sort(steps_.begin(), steps_.end(), [](const Change* a, const Change* b) {
    return a->position != b->position ? a->position > b->position : a->number > b->number;
  });
  return floor;
}

std::optional<std::uint64_t> MemoryHistory::latest_fit(std::uint64_t address, const Contents& seen,
                                                       std::uint64_t floor) {
  if (seen.is_opaque() || seen.size() > kMaxPayload) return std::nullopt;
  floor = collect_steps(address, seen.size(), floor);
  if (steps_.empty()) return std::nullopt;
  Rewind rewind(*this, address, seen);
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    const std::uint64_t slot = steps_[i]->position;
    if (slot < floor) return std::nullopt;
    undo(rewind, *steps_[i]);
    if (i + 1 < steps_.size() && steps_[i + 1]->position == slot) continue; // one event, several granules
    if (rewind.fits()) return slot;
  }
  return std::nullopt;
}

bool MemoryHistory::fits_at(std::uint64_t address, const Contents& seen, std::uint64_t slot) {
  if (seen.is_opaque()) return true;
  if (seen.size() > kMaxPayload || collect_steps(address, seen.size(), slot) > slot) return false;
  Rewind rewind(*this, address, seen);
  for (const Change* change : steps_) undo(rewind, *change);
  return rewind.fits();
}

void MemoryHistory::define_at(std::uint64_t address, const Contents& seen, std::uint64_t slot) {
  if (seen.is_opaque() || seen.size() > kMaxPayload) return;
  collect_steps(address, seen.size(), slot);
  // The change that ended a byte's time at `slot` is the earliest one after it; without one that
  // time lasts until now.
  std::vector<bool> done(seen.size());
  for (auto at = steps_.rbegin(); at != steps_.rend(); ++at) {
    Change& change = **at;
    for (unsigned byte = 0; byte < 8; ++byte) {
      const std::uint64_t i = change.granule * 8 + byte - address;
      if (!(change.mask >> byte & 1) || i >= done.size() || done[i]) continue;
      done[i] = true;
      if (change.old_known >> byte & 1) continue;
      change.old_known |= static_cast<std::uint8_t>(1u << byte);
      change.old_bytes &= ~(std::uint64_t{0xff} << (8 * byte));
      change.old_bytes |= std::uint64_t{seen.byte(i)} << (8 * byte);
    }
  }
  for (std::uint64_t i = 0; i < done.size(); ++i) {
    if (!done[i] && byte(address + i) < 0) define(address + i, Contents::filled(seen.byte(i), 1), slot);
  }
}

std::optional<std::uint64_t> MemoryHistory::wrong_change(std::uint64_t address, const Contents& seen) {
  if (seen.is_opaque() || seen.size() > kMaxPayload) return std::nullopt;
  for (std::uint64_t i = 0; i < seen.size(); ++i) {
    const int now = byte(address + i);
    if (now < 0 || now == seen.byte(i)) continue;
    const std::uint64_t granule = (address + i) >> 3;
    const unsigned bit = (address + i) & 7;
    const Change* change = change_number(block_at(granule / kGranules).last[granule % kGranules], granule);
    if (change == nullptr || !(change->mask >> bit & 1)) return std::nullopt;
    const bool known = change->old_known >> bit & 1;
    if (known && (change->old_bytes >> (8 * bit) & 0xff) != seen.byte(i)) return std::nullopt;
    return change->position;
  }
  return std::nullopt;
}

bool MemoryHistory::take_back(std::uint64_t address, std::uint64_t size, std::uint64_t position) {
  if (size > kLargeRange) return false;
  const std::uint64_t first = address >> 3;
  const std::uint64_t last = (address + size - 1) >> 3;
  for (std::uint64_t granule = first; granule <= last; ++granule) {
    const Change* change = change_number(block_at(granule / kGranules).last[granule % kGranules], granule);
    if (change == nullptr || change->position != position) return false;
  }
  for (std::uint64_t granule = first; granule <= last; ++granule) {
    Block& block = block_at(granule / kGranules);
    const unsigned i = granule % kGranules;
    const Change& change = *change_number(block.last[i], granule);
    for (unsigned byte = 0; byte < 8; ++byte) {
      if (!(change.mask >> byte & 1)) continue;
      const std::uint64_t wide = std::uint64_t{0xff} << (8 * byte);
      block.bytes[i] = (block.bytes[i] & ~wide) | (change.old_bytes & wide);
      const auto bit = static_cast<std::uint8_t>(1u << byte);
      block.known[i] = static_cast<std::uint8_t>((block.known[i] & ~bit) | (change.old_known & bit));
    }
    block.last[i] = change.previous;
  }
  return true;
}

} // namespace sooth::trace
