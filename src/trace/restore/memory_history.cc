#include "trace/restore/memory_history.h"

#include <algorithm>

namespace sooth::trace {
namespace {

// 0xff in every byte whose bit is set.
constexpr std::array<std::uint64_t, 256> kWide = [] {
  std::array<std::uint64_t, 256> table = {};
  for (unsigned mask = 0; mask < 256; ++mask) {
    for (unsigned byte = 0; byte < 8; ++byte) {
      if (mask >> byte & 1) table[mask] |= std::uint64_t{0xff} << (8 * byte);
    }
  }
  return table;
}();

std::uint64_t repeated(std::uint8_t byte) { return byte * std::uint64_t{0x0101010101010101}; }

} // namespace

MemoryHistory::MemoryHistory() = default;
MemoryHistory::~MemoryHistory() = default;

// f(granule's number, mask of its bytes, offset of the first such byte in the range, first byte,
// count); stops at false.
template <typename F>
void MemoryHistory::each_granule(std::uint64_t address, std::uint64_t size, F&& f) {
  for (std::uint64_t offset = 0; offset < size;) {
    const auto first = static_cast<unsigned>((address + offset) & 7);
    const auto count = static_cast<unsigned>(std::min<std::uint64_t>(8 - first, size - offset));
    const auto mask = static_cast<std::uint8_t>(((1u << count) - 1) << first);
    if (!f((address + offset) >> 3, mask, offset, first, count)) return;
    offset += count;
  }
}

MemoryHistory::Block* MemoryHistory::find_block(std::uint64_t number) {
  if (number == cached_number_) return cached_;
  const auto found = blocks_.find(number);
  if (found == blocks_.end()) return nullptr;
  cached_number_ = number;
  return cached_ = found->second.get();
}

MemoryHistory::Block& MemoryHistory::block_at(std::uint64_t number) {
  if (Block* block = find_block(number)) return *block;
  const Background background = background_of(number);
  auto block = std::make_unique<Block>();
  block->bytes.fill(repeated(background.byte));
  block->last.fill(0);
  block->known.fill(background.known ? 0xff : 0);
  block->born = background.since;
  cached_number_ = number;
  cached_ = block.get();
  blocks_.emplace(number, std::move(block));
  block_numbers_.insert(number);
  return *cached_;
}

MemoryHistory::Background MemoryHistory::background_of(std::uint64_t number) const {
  auto after = background_.upper_bound(number);
  if (after != background_.begin()) {
    const auto& [first, what] = *--after;
    if (number < what.end) return what;
  }
  return {0, 0, false, 0};
}

void MemoryHistory::set_background(std::uint64_t first, std::uint64_t end, const Background& what) {
  auto at = background_.lower_bound(first);
  if (at != background_.begin()) {
    auto before = std::prev(at);
    if (before->second.end > first) { // cut it in two around the new one
      const Background old = before->second;
      before->second.end = first;
      if (old.end > end) background_.insert_or_assign(end, old);
    }
  }
  at = background_.lower_bound(first);
  while (at != background_.end() && at->first < end) {
    const Background old = at->second;
    at = background_.erase(at);
    if (old.end > end) {
      background_.insert_or_assign(end, old);
      break;
    }
  }
  background_.insert_or_assign(first, Background{end, what.since, what.known, what.byte});
}

// Forgets whole blocks of a large range; they become background, so that a mapping of gigabytes
// costs nothing. The rest of the range, at its ends, goes to `edge`.
template <typename Edge>
void MemoryHistory::set_blocks(std::uint64_t address, std::uint64_t size, const Background& what, Edge&& edge) {
  const std::uint64_t first = (address + kBlockBytes - 1) >> kBlockShift;
  const std::uint64_t end = (address + size) >> kBlockShift;
  for (auto at = block_numbers_.lower_bound(first); at != block_numbers_.end() && *at < end;
       at = block_numbers_.erase(at)) {
    blocks_.erase(*at);
  }
  cached_number_ = ~std::uint64_t{0};
  cached_ = nullptr;
  set_background(first, end, what);
  edge(address, (first << kBlockShift) - address);
  edge(end << kBlockShift, address + size - (end << kBlockShift));
}

void MemoryHistory::set_range(std::uint64_t address, std::uint64_t size, bool known, std::uint8_t byte,
                              std::uint64_t position) {
  const auto set = [&](std::uint64_t from, std::uint64_t bytes) {
    each_granule(from, bytes, [&](std::uint64_t granule, std::uint8_t mask, std::uint64_t, unsigned, unsigned) {
      change(granule, mask, repeated(byte), known, position);
      return true;
    });
  };
  if (size <= kLargeRange) {
    set(address, size);
  } else {
    set_blocks(address, size, {0, position + 1, known, byte}, set);
  }
}

void MemoryHistory::change(std::uint64_t granule, std::uint8_t mask, std::uint64_t word, bool known,
                           std::uint64_t position) {
  Block& block = block_at(granule / kGranules);
  const unsigned i = granule % kGranules;
  if (next_number_ >= log_.size() && log_.size() < kLogSize) log_.resize(std::max<std::size_t>(1024, 2 * log_.size()));
  log_[next_number_ % kLogSize] = {granule,       position, block.bytes[i], next_number_,
                                   block.last[i], mask,     block.known[i]};
  block.last[i] = next_number_;
  if (++next_number_ == 0) next_number_ = kLogSize; // 0 means none; the place in the ring stays
  block.bytes[i] = (block.bytes[i] & ~kWide[mask]) | (word & kWide[mask]);
  block.known[i] = static_cast<std::uint8_t>(known ? block.known[i] | mask : block.known[i] & ~mask);
}

MemoryHistory::Change* MemoryHistory::change_number(std::uint32_t number, std::uint64_t granule) {
  if (number == 0) return nullptr;
  Change& change = log_[number % kLogSize];
  return change.number == number && change.granule == granule ? &change : nullptr;
}

bool MemoryHistory::fits(std::uint64_t address, const Contents& seen) {
  if (seen.is_opaque()) return true;
  if (seen.size() > kLargeRange && seen.is_fill()) return large_fits(address, seen);
  bool good = true;
  each_granule(address, seen.size(),
               [&](std::uint64_t granule, std::uint8_t mask, std::uint64_t offset, unsigned first, unsigned count) {
                 const Block& block = block_at(granule / kGranules);
                 const unsigned i = granule % kGranules;
                 const std::uint64_t different =
                     (block.bytes[i] ^ seen.word(offset, first, count)) & kWide[mask & block.known[i]];
                 return good = different == 0;
               });
  return good;
}

// A large read of one repeated byte compares existing blocks, and the background between them.
bool MemoryHistory::large_fits(std::uint64_t address, const Contents& seen) {
  const std::uint64_t last = (address + seen.size() - 1) >> kBlockShift;
  auto at = block_numbers_.lower_bound(address >> kBlockShift);
  for (std::uint64_t block = address >> kBlockShift; block <= last;) {
    if (large_budget_ == 0) return false; // then it counts as an external write, which is always legal
    --large_budget_;
    if (at != block_numbers_.end() && *at == block) {
      const std::uint64_t from = std::max(address, block << kBlockShift);
      const std::uint64_t to = std::min(address + seen.size(), (block + 1) << kBlockShift);
      if (!fits(from, Contents::filled(seen.byte(0), to - from))) return false;
      ++at;
      ++block;
      continue;
    }
    const Background background = background_of(block);
    if (background.known && background.byte != seen.byte(0)) return false;
    std::uint64_t next = at != block_numbers_.end() ? *at : last + 1;
    if (block < background.end) {
      next = std::min(next, background.end);
    } else if (auto after = background_.upper_bound(block); after != background_.end()) {
      next = std::min(next, after->first);
    }
    block = next;
  }
  return true;
}

void MemoryHistory::define(std::uint64_t address, const Contents& seen, std::uint64_t position) {
  if (seen.is_opaque()) return;
  // A large fitting read of one byte: setting the blocks anew changes nothing that was known, and
  // defines the rest.
  if (seen.size() > kLargeRange && seen.is_fill()) {
    set_blocks(address, seen.size(), {0, position + 1, true, seen.byte(0)},
               [&](std::uint64_t from, std::uint64_t bytes) {
                 define(from, Contents::filled(seen.byte(0), bytes), position);
               });
    return;
  }
  each_granule(address, seen.size(),
               [&](std::uint64_t granule, std::uint8_t mask, std::uint64_t offset, unsigned first, unsigned count) {
                 Block& block = block_at(granule / kGranules);
                 const unsigned i = granule % kGranules;
                 const auto fresh = static_cast<std::uint8_t>(mask & ~block.known[i]);
                 if (fresh == 0) return true;
                 block.bytes[i] = (block.bytes[i] & ~kWide[fresh]) | (seen.word(offset, first, count) & kWide[fresh]);
                 block.known[i] |= fresh;
                 return true;
               });
}

void MemoryHistory::write(std::uint64_t address, const Contents& written, std::uint64_t position) {
  if (written.is_opaque() || (written.is_fill() && written.size() > kLargeRange)) {
    set_range(address, written.size(), !written.is_opaque(), written.byte(0), position);
    return;
  }
  each_granule(address, written.size(),
               [&](std::uint64_t granule, std::uint8_t mask, std::uint64_t offset, unsigned first, unsigned count) {
                 change(granule, mask, written.word(offset, first, count), true, position);
                 return true;
               });
}

void MemoryHistory::reset(std::uint64_t address, std::uint64_t size, bool zero, std::uint64_t position) {
  if (address > UINT64_MAX - size) return;
  set_range(address, size, zero, 0, position);
}

int MemoryHistory::byte(std::uint64_t address) {
  const Block& block = block_at(address >> kBlockShift);
  const unsigned i = (address >> 3) % kGranules;
  return block.known[i] >> (address & 7) & 1 ? static_cast<int>(block.bytes[i] >> (8 * (address & 7)) & 0xff) : -1;
}

} // namespace sooth::trace
