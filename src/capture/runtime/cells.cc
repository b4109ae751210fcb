#include "capture/runtime/cells.h"

#include "capture/runtime/os.h"
#include "capture/runtime/ranges.h"
#include "capture/runtime/runs.h"

namespace sooth::runtime {
namespace {

struct Cell { // abi.h
  std::uint32_t low;
  std::uint32_t high;
  std::uint64_t bytes;
};
static_assert(sizeof(Cell) == 16);

Cell& cell_of(std::uint64_t address) {
  const SoothThreadAbi& abi = __sooth_thread.abi;
  return *reinterpret_cast<Cell*>(abi.cells + ((address << 1) & abi.cell_mask));
}
std::uint32_t epoch() { return static_cast<std::uint32_t>(__sooth_thread.abi.epoch); }
bool is_current(const Cell& cell) { return ((cell.low ^ epoch()) & 0xff00'0000) == 0; }
bool is_of(const Cell& cell, std::uint64_t address) {
  return is_current(cell) && cell.high == static_cast<std::uint32_t>(address >> 15);
}
unsigned known(const Cell& cell) { return ~cell.low & 0xff; }
unsigned dirty(const Cell& cell) { return ~cell.low >> 8 & 0xff; }
unsigned written(const Cell& cell) { return ~cell.low >> 16 & 0xff; }
void make_empty(Cell& cell) { cell.low = epoch() | 0xff'ffff; }

// The granule that a current cell stands for: tag and index together hold every bit of it.
std::uint64_t address_of(const Cell& cell) {
  const SoothThreadAbi& abi = __sooth_thread.abi;
  const std::uint64_t index = static_cast<std::uint64_t>(reinterpret_cast<const std::uint8_t*>(&cell) - abi.cells) >> 1;
  return std::uint64_t{cell.high} << 15 | (index & 0x7ff8);
}

std::uint64_t bytes_at(const Cell& cell, unsigned offset, unsigned size) {
  const std::uint64_t shifted = cell.bytes >> (8 * offset);
  return size == 8 ? shifted : shifted & ((std::uint64_t{1} << (8 * size)) - 1);
}
void set_bytes(Cell& cell, unsigned offset, unsigned size, std::uint64_t value) {
  const std::uint64_t mask = size == 8 ? ~std::uint64_t{0} : ((std::uint64_t{1} << (8 * size)) - 1) << (8 * offset);
  cell.bytes = (cell.bytes & ~mask) | (value << (8 * offset) & mask);
}

// The last values of a cell's dirty bytes, as the largest aligned pieces they form.
void write_merged(Thread* t, Cell& cell) {
  const std::uint64_t base = address_of(cell);
  const unsigned mask = dirty(cell);
  cell.low |= 0xff00;
  for (unsigned offset = 0; offset < 8;) {
    unsigned size = 8;
    while (size > 1 && (offset % size != 0 || ((mask >> offset) & ((1u << size) - 1)) != (1u << size) - 1)) size /= 2;
    if ((mask >> offset) & 1)
      append(t, EventKind::Write, base + offset, bytes_at(cell, offset, size), 0, static_cast<std::uint8_t>(size),
             trace::kMerged);
    offset += size;
  }
}

// Makes `cell` the cell of `address`, with nothing known, unless it is that already.
void claim(Thread* t, Cell& cell, std::uint64_t address) {
  if (is_of(cell, address)) return;
  if (is_current(cell)) {
    if (dirty(cell) != 0) write_merged(t, cell);
    ++t->evictions;
  }
  make_empty(cell);
  cell.high = static_cast<std::uint32_t>(address >> 15);
}

std::uint32_t index_of(const Cell& cell) {
  return static_cast<std::uint32_t>(reinterpret_cast<const std::uint8_t*>(&cell) - __sooth_thread.abi.cells) /
         sizeof(Cell);
}

void note_dirty(Thread* t, Cell& cell, unsigned mask) {
  if (dirty(cell) == 0) {
    t->dirty[t->dirty_count++] = index_of(cell);
    t->live->reserved = static_cast<std::uint32_t>(t->dirty_count); // what a kill would lose
  }
  cell.low &= ~(mask << 8);
}

// Merged writes of all cells, in the order in which writes were first left out. A cell may have been evicted since, and then
// it is clean or another granule's, whose value is then told a little early or twice; both are true.
void write_all_merged(Thread* t) {
  Cell* cells = reinterpret_cast<Cell*>(__sooth_thread.abi.cells);
  for (std::size_t i = 0; i < t->dirty_count; ++i) {
    Cell& cell = cells[t->dirty[i]];
    if (is_current(cell) && dirty(cell) != 0) write_merged(t, cell);
  }
  t->dirty_count = 0;
  t->live->reserved = 0;
}

void next_epoch(Thread* t) {
  SoothThreadAbi& abi = __sooth_thread.abi;
  if (abi.epoch != kLastEpoch) {
    abi.epoch += kEpochStep;
    return;
  }
  abi.epoch = kEpochStep; // epochs have 8 bits: start anew with empty cells
  if (t->cells == kMinCells) os::zero(abi.cells, t->cells * sizeof(Cell));
  else os::empty_pages(abi.cells, t->cells_bytes);
}

// Moves to a larger table, with all that the cells know.
void grow(Thread* t) {
  SoothThreadAbi& abi = __sooth_thread.abi;
  const auto* old = reinterpret_cast<const Cell*>(abi.cells);
  const std::size_t old_cells = t->cells;
  const std::size_t old_bytes = t->cells_bytes;
  const std::uint64_t epoch_now = abi.epoch;
  t->cells = 0; // the old table is given back here, not by make_cells
  if (!make_cells(t, old_cells * 16 < kMaxCells ? old_cells * 16 : kMaxCells)) {
    t->cells = old_cells;
    t->evictions = 0;
    return;
  }
  abi.epoch = epoch_now;
  const auto address = [&](std::size_t index) { return std::uint64_t{old[index].high} << 15 | (index << 3 & 0x7ff8); };
  for (std::size_t i = 0; i < old_cells; ++i)
    if (is_current(old[i])) cell_of(address(i)) = old[i];
  for (std::size_t i = 0; i < t->dirty_count; ++i) t->dirty[i] = index_of(cell_of(address(t->dirty[i])));
  os::give_back(const_cast<Cell*>(old), old_bytes);
}

void grow_if_crowded(Thread* t) {
  if (t->evictions > t->cells / 4 && t->cells < kMaxCells) grow(t);
}

// An access that crosses from one granule into the next, as the largest aligned pieces it has.
template <typename Access>
void in_pieces(Thread* t, std::uint64_t address, std::uint64_t value, unsigned size, std::uint32_t site,
               Access access) {
  while (size != 0) {
    unsigned piece = 4;
    while (piece > size || address % piece != 0) piece /= 2;
    access(t, address, value & ((std::uint64_t{1} << (8 * piece)) - 1), static_cast<std::uint8_t>(piece), site);
    address += piece;
    value >>= 8 * piece;
    size -= piece;
  }
}

struct KeptRange {
  std::uint64_t begin, end;
};
constexpr unsigned kMaxKeptRanges = 4096;
KeptRange g_kept[kMaxKeptRanges];
unsigned g_kept_count;
os::SpinLock g_kept_lock;

} // namespace

bool make_cells(Thread* t, std::size_t cells) {
  SoothThreadAbi& abi = __sooth_thread.abi;
  const std::size_t bytes = cells * sizeof(Cell) + 4096; // inlined hooks may look a few bytes past the end
  void* fresh = os::pages(bytes);
  if (fresh == nullptr) return false;
  if (t->cells != 0) os::give_back(abi.cells, t->cells_bytes);
  abi.cells = static_cast<std::uint8_t*>(fresh);
  abi.cell_mask = (cells - 1) << 4;
  abi.epoch = kEpochStep;
  t->cells = cells;
  t->cells_bytes = bytes;
  t->evictions = 0;
  return true;
}

namespace {

// A walk over bytes smaller than a granule: the access goes on where the newest event, of the same instruction, ended. Nothing
// was kept between them, so they are one event (docs/trace_format.md).
bool extend_last(Thread* t, EventKind kind, std::uint64_t address, std::uint64_t value, std::uint8_t size,
                 std::uint32_t site) {
  trace::RawEvent* last = t->last;
  if (last->site != site || last->address + last->size != address || (last->address ^ address) >> 3 != 0 ||
      last->kind != static_cast<std::uint8_t>(kind) || last->flags != trace::kHeld || last->size == 0 ||
      frames_changed(t))
    return false;
  last->value |= value << (8 * last->size); // before the size: whoever reads now sees the event without the new bytes
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  last->size = static_cast<std::uint8_t>(last->size + size);
  return true;
}

void append_held(Thread* t, EventKind kind, std::uint64_t address, std::uint64_t value, std::uint8_t size,
                 std::uint32_t site) {
  if (!extend_last(t, kind, address, value, size, site))
    append_access(t, kind, address, value, size, site, trace::kHeld);
}

} // namespace

void read_access(Thread* t, std::uint64_t address, std::uint64_t value, std::uint8_t size, std::uint32_t site) {
  SoothThreadAbi& abi = __sooth_thread.abi;
  if (repeats_last(t, EventKind::Read, address, value, size)) return;
  if (abi.detail != 0) {
    abi.detail -= abi.detail != ~std::uint64_t{0};
    append_access(t, EventKind::Read, address, value, size, site, 0);
    return;
  }
  const unsigned offset = address & 7;
  if (offset + size > 8) return in_pieces(t, address, value, size, site, read_access);
  Cell& cell = cell_of(address);
  claim(t, cell, address);
  const unsigned mask = ((1u << size) - 1) << offset;
  if ((known(cell) & mask) == mask && bytes_at(cell, offset, size) == value) return;
  if ((dirty(cell) & mask) != 0)
    write_merged(t, cell); // somebody else wrote since: what this thread wrote is told first
  append_held(t, EventKind::Read, address, value, size, site);
  set_bytes(cell, offset, size, value);
  cell.low &= ~mask;
  grow_if_crowded(t);
}

void write_access(Thread* t, std::uint64_t address, std::uint64_t value, std::uint8_t size, std::uint32_t site) {
  SoothThreadAbi& abi = __sooth_thread.abi;
  if (abi.detail != 0) {
    abi.detail -= abi.detail != ~std::uint64_t{0};
    append_access(t, EventKind::Write, address, value, size, site, 0);
    return;
  }
  const unsigned offset = address & 7;
  if (offset + size > 8) return in_pieces(t, address, value, size, site, write_access);
  Cell& cell = cell_of(address);
  claim(t, cell, address);
  const unsigned mask = ((1u << size) - 1) << offset;
  if ((written(cell) & mask) == mask && !writes_are_kept(address)) {
    if (t->dirty_count != kMaxDirty) { // the second write: from now on the inlined hook only changes the cell
      note_dirty(t, cell, mask);
      set_bytes(cell, offset, size, value);
      return;
    }
    void_cells(t);
    claim(t, cell, address);
  }
  if (dirty(cell) & mask) write_merged(t, cell); // of another size, in part the same bytes
  append_held(t, EventKind::Write, address, value, size, site);
  set_bytes(cell, offset, size, value);
  cell.low &= ~(mask | mask << 16);
  grow_if_crowded(t);
}

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
  // Takes the cell for its granule, with nothing known but what it knew of this granule before.
  void claim(Thread* t, Cell& cell, std::uint64_t offset) const {
    if (holds(cell, offset)) {
      if (__builtin_expect(dirty(cell) != 0, 0)) write_merged(t, cell);
      return;
    }
    if (((cell.low ^ epoch_) & 0xff00'0000) == 0) {
      if (dirty(cell) != 0) write_merged(t, cell);
      ++t->evictions;
    }
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

// Calls `keep(from, to)` for each longest run of granules for which `repeats` is false. Offsets in bytes.
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

// Keeps [from, to) as one range; the cells then know it. `clear` has the bits of `low` that become 0.
void keep_run(Thread* t, const CellWalk& walk, EventKind kind, std::uint64_t address, const std::uint8_t* bytes,
              std::uint64_t from, std::uint64_t to, std::uint32_t site, std::uint32_t clear) {
  for (std::uint64_t at = from; at < to; at += 8) {
    Cell& cell = walk.at(at);
    walk.claim(t, cell, at);
    cell.bytes = granule_at(bytes + at);
    cell.low &= ~clear;
  }
  append_range(t, kind, address + from, bytes + from, to - from, site, trace::kHeld);
}

} // namespace

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
    if (!walk.holds(cell, at) || (cell.low & 0xff'0000) != 0 || t->dirty_count == kMaxDirty) return false;
    note_dirty(t, cell, 0xff);
    cell.bytes = granule_at(bytes + at);
    return true;
  };
  const auto keep = [&](std::uint64_t from, std::uint64_t to) {
    keep_run(t, walk, EventKind::Write, address, bytes, from, to, site, 0xff'00ff);
  };
  for_each_run(size, repeats, keep);
  grow_if_crowded(t);
}

void void_cells(Thread* t) {
  write_all_merged(t);
  next_epoch(t);
}

void end_segment(Thread* t) {
  if (t->dirty_count != 0) write_all_merged(t);
  SoothThreadAbi& abi = __sooth_thread.abi;
  if (abi.detail != g_detail) {
    if (abi.detail == 0) next_epoch(t); // cells are in use only when the detail is spent
    abi.detail = g_detail;
    t->evictions = 0;
  }
}

void void_range(Thread* t, std::uint64_t address, std::uint64_t size) {
  if (__sooth_thread.abi.detail != 0) return; // no cell is in use
  if (size > 4096) return void_cells(t);
  for (std::uint64_t granule = address & ~std::uint64_t{7}; granule < address + size; granule += 8) {
    Cell& cell = cell_of(granule);
    if (!is_of(cell, granule)) continue;
    if (dirty(cell) != 0) write_merged(t, cell);
    make_empty(cell);
  }
}

void keep_writes(std::uint64_t address, std::uint64_t size) {
  os::Guard guard(g_kept_lock);
  if (g_kept_count == kMaxKeptRanges) return unsupported("SOOTH_WATCH of more than 4096 objects");
  g_kept[g_kept_count] = {address, address + size};
  __atomic_store_n(&g_kept_count, g_kept_count + 1, __ATOMIC_RELEASE);
}

void reset_kept_lock() { g_kept_lock.reset(); }

bool writes_are_kept(std::uint64_t address) {
  const unsigned n = __atomic_load_n(&g_kept_count, __ATOMIC_ACQUIRE);
  for (unsigned i = 0; i < n; ++i)
    if (address - g_kept[i].begin < g_kept[i].end - g_kept[i].begin) return true;
  return false;
}

} // namespace sooth::runtime
