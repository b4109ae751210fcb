// Ranges of whole granules, compared with the cells.
#include "capture/runtime/recording/cell_table.h"
#include "capture/runtime/recording/ranges.h"

namespace sooth::runtime {
namespace {

std::uint64_t granule_at(const std::uint8_t* bytes) {
  std::uint64_t value;
  __builtin_memcpy(&value, bytes, 8);
  return value;
}

// Walks over the cells of consecutive granules: neighbours in memory are neighbours in the table.
class CellWalk {
public:
  explicit CellWalk(std::uint64_t address)
      : cells_(__sooth_thread.abi.cells), mask_(__sooth_thread.abi.cell_mask), epoch_(epoch()), address_(address) {}

  Cell& at(std::uint64_t offset) const {
    return *reinterpret_cast<Cell*>(cells_ + (((address_ + offset) << 1) & mask_));
  }
  bool holds(const Cell& cell, std::uint64_t offset) const {
    return cell.high == high(offset) && ((cell.low ^ epoch_) & 0xff00'0000) == 0;
  }
  // Claims the cell for its granule. It keeps its knowledge only if it was this granule's cell
  // before.
  void claim(Thread* t, Cell& cell, std::uint64_t offset) const {
    if (holds(cell, offset)) {
      if (__builtin_expect(dirty(cell) != 0, 0)) write_merged(t, cell);
      return;
    }
    if (((cell.low ^ epoch_) & 0xff00'0000) == 0) {
      if (dirty(cell) != 0) write_merged(t, cell);
      ++t->evictions;
    }
    ++t->claims;
    cell.low = epoch_ | 0xff'ffff;
    cell.high = high(offset);
  }

private:
  std::uint32_t high(std::uint64_t offset) const { return static_cast<std::uint32_t>((address_ + offset) >> 15); }

  std::uint8_t* cells_;
  std::uint64_t mask_;
  std::uint32_t epoch_;
  std::uint64_t address_;
};

// Calls `keep(from, to)` for each longest run of granules for which `repeats` is false. Offsets are
// in bytes.
template <typename Repeats, typename Keep>
void for_each_run(std::uint64_t size, Repeats repeats, Keep keep) {
  std::uint64_t start = 0;
  for (std::uint64_t at = 0; at < size; at += 8) {
    if (!repeats(at)) continue;
    if (start != at) keep(start, at);
    start = at + 8;
  }
  if (start != size) keep(start, size);
}

// Keeps [from, to) as one range; the cells then know it. `clear` has the bits of `low` that become
// 0.
void keep_run(Thread* t, const CellWalk& walk, EventKind kind, std::uint64_t address, const std::uint8_t* bytes,
              std::uint64_t from, std::uint64_t to, std::uint32_t site, std::uint32_t clear) {
  for (std::uint64_t at = from; at < to; at += 8) {
    Cell& cell = walk.at(at);
    walk.claim(t, cell, at);
    cell.bytes = granule_at(bytes + at);
    cell.low &= ~clear;
  }
  if (!g_alone) append_range(t, kind, address + from, bytes + from, to - from, site, trace::kHeld);
}

// The first `count` bytes, as a number.
std::uint64_t word_of(const std::uint8_t* bytes, unsigned count) {
  if (count == 8) return granule_at(bytes);
  std::uint64_t word = 0;
  for (unsigned i = 0; i < count; ++i) word |= std::uint64_t{bytes[i]} << (8 * i);
  return word;
}

// Calls f(cell, its accessed bytes as bits, offset of the first, count, address, bytes) for each
// granule of the range. False as soon as one f is.
template <typename F>
bool each_cell(std::uint64_t address, const std::uint8_t* bytes, std::uint64_t size, F&& f) {
  while (size != 0) {
    const unsigned offset = address & 7;
    const auto count = static_cast<unsigned>(size < 8 - offset ? size : 8 - offset);
    if (!f(cell_of(address), ((1u << count) - 1) << offset, offset, count, address, bytes)) return false;
    address += count;
    bytes += count;
    size -= count;
  }
  return true;
}

} // namespace

bool small_repeats(EventKind kind, std::uint64_t address, const std::uint8_t* bytes, std::uint64_t size) {
  const bool reads = kind == EventKind::Read;
  const bool repeats =
      each_cell(address, bytes, size,
                [&](const Cell& cell, unsigned mask, unsigned offset, unsigned count, std::uint64_t here,
                    const std::uint8_t* from) {
                  if (!is_of(cell, here)) return false;
                  if (!reads) return (dirty(cell) & mask) == mask;
                  return (known(cell) & mask) == mask && bytes_at(cell, offset, count) == word_of(from, count);
                });
  if (repeats && !reads) {
    each_cell(address, bytes, size,
              [](Cell& cell, unsigned, unsigned offset, unsigned count, std::uint64_t, const std::uint8_t* from) {
                set_bytes(cell, offset, count, word_of(from, count));
                return true;
              });
  }
  return repeats;
}

void read_granules(Thread* t, std::uint64_t address, const std::uint8_t* bytes, std::uint64_t size,
                   std::uint32_t site) {
  const CellWalk walk(address);
  const auto repeats = [&](std::uint64_t at) {
    const Cell& cell = walk.at(at);
    return walk.holds(cell, at) && (cell.low & 0xff) == 0 && cell.bytes == granule_at(bytes + at);
  };
  const auto keep = [&](std::uint64_t from, std::uint64_t to) {
    keep_run(t, walk, EventKind::Read, address, bytes, from, to, site, 0xff);
  };
  for_each_run(size, repeats, keep);
  grow_if_crowded(t);
}

void write_granules(Thread* t, std::uint64_t address, const std::uint8_t* bytes, std::uint64_t size,
                    std::uint32_t site) {
  const CellWalk walk(address);
  const auto repeats = [&](std::uint64_t at) {
    Cell& cell = walk.at(at);
    if (!walk.holds(cell, at) || (cell.low & 0xff'0000) != 0) {
      if (!g_alone) return false;
      walk.claim(t, cell, at);
    }
    note_dirty(t, cell, 0xff);
    cell.low &= ~0xff'00ffu;
    cell.bytes = granule_at(bytes + at);
    return true;
  };
  const auto keep = [&](std::uint64_t from, std::uint64_t to) {
    keep_run(t, walk, EventKind::Write, address, bytes, from, to, site, 0xff'00ff);
  };
  for_each_run(size, repeats, keep);
  grow_if_crowded(t);
}

} // namespace sooth::runtime
