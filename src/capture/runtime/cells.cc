#include "capture/runtime/cells.h"

#include "capture/runtime/os.h"

namespace sooth::runtime {
namespace {

struct Cell {
  std::uint64_t tag; // known, written, epoch, address >> 15
  std::uint64_t bytes;
};
static_assert(sizeof(Cell) == 16);

constexpr std::uint64_t kHigh = 0xffff'ffff'ffff'0000;

Cell& cell_of(std::uint64_t address) {
  const SoothThreadAbi& abi = __sooth_thread.abi;
  return *reinterpret_cast<Cell*>(abi.cells + ((address << 1) & abi.cell_mask));
}
std::uint64_t tag_of(std::uint64_t address) { return (address >> 15) << 32 | __sooth_thread.abi.epoch; }
bool is_current(const Cell& cell) { return ((cell.tag ^ __sooth_thread.abi.epoch) & 0xffff'0000) == 0; }
std::uint8_t known(const Cell& cell) { return static_cast<std::uint8_t>(cell.tag); }
std::uint8_t written(const Cell& cell) { return static_cast<std::uint8_t>(cell.tag >> 8); }

// The granule that a current cell stands for: tag and index together hold every bit of it.
std::uint64_t address_of(const Cell& cell) {
  const SoothThreadAbi& abi = __sooth_thread.abi;
  const std::uint64_t index = static_cast<std::uint64_t>(reinterpret_cast<const std::uint8_t*>(&cell) - abi.cells) >> 1;
  return (cell.tag >> 32) << 15 | (index & 0x7ff8);
}

std::uint64_t bytes_at(const Cell& cell, unsigned offset, unsigned size) {
  const std::uint64_t shifted = cell.bytes >> (8 * offset);
  return size == 8 ? shifted : shifted & ((std::uint64_t{1} << (8 * size)) - 1);
}
void set_bytes(Cell& cell, unsigned offset, unsigned size, std::uint64_t value) {
  const std::uint64_t mask = size == 8 ? ~std::uint64_t{0} : ((std::uint64_t{1} << (8 * size)) - 1) << (8 * offset);
  cell.bytes = (cell.bytes & ~mask) | (value << (8 * offset) & mask);
}

// The last values of a cell's written bytes, as the largest aligned pieces they form.
void write_merged(Thread* t, Cell& cell) {
  const std::uint64_t base = address_of(cell);
  const unsigned mask = written(cell);
  for (unsigned offset = 0; offset < 8;) {
    unsigned size = 8;
    while (size > 1 && (offset % size != 0 || ((mask >> offset) & ((1u << size) - 1)) != (1u << size) - 1)) size /= 2;
    if ((mask >> offset) & 1)
      append(t, EventKind::Write, base + offset, bytes_at(cell, offset, size), 0, static_cast<std::uint8_t>(size), trace::kMerged);
    offset += size;
  }
}

void evict(Thread* t, Cell& cell) {
  if (!is_current(cell)) return;
  if (written(cell) != 0) write_merged(t, cell);
  cell.tag = 0;
  ++t->evictions;
}

// Makes `cell` the cell of `address`, with nothing known, unless it is that already.
void claim(Thread* t, Cell& cell, std::uint64_t address) {
  if (((cell.tag ^ tag_of(address)) & kHigh) == 0) return;
  evict(t, cell);
  cell.tag = tag_of(address);
}

void note_dirty(Thread* t, const Cell& cell, unsigned offset, std::uint8_t size, std::uint64_t value) {
  const std::size_t index = static_cast<std::size_t>(reinterpret_cast<const std::uint8_t*>(&cell) - __sooth_thread.abi.cells) / sizeof(Cell);
  t->dirty[t->dirty_count++] = {static_cast<std::uint32_t>(index), static_cast<std::uint8_t>(offset), size, 0, value};
  t->live->reserved = static_cast<std::uint32_t>(t->dirty_count); // what a kill would lose
}

// Merged writes of all cells, in the order of their first writes.
void write_all_merged(Thread* t) {
  Cell* cells = reinterpret_cast<Cell*>(__sooth_thread.abi.cells);
  for (std::size_t i = 0; i < t->dirty_count; ++i) {
    const Dirty dirty = t->dirty[i];
    Cell& cell = cells[dirty.cell];
    const unsigned mask = ((1u << dirty.size) - 1) << dirty.offset;
    if (!is_current(cell) || (written(cell) & mask) != mask) continue; // evicted: written then
    const std::uint64_t now = bytes_at(cell, dirty.offset, dirty.size);
    if (now != dirty.value)
      append(t, EventKind::Write, address_of(cell) + dirty.offset, now, 0, dirty.size, trace::kMerged);
  }
  t->dirty_count = 0;
  t->live->reserved = 0;
}

void next_epoch(Thread* t) {
  SoothThreadAbi& abi = __sooth_thread.abi;
  abi.epoch += 0x10000;
  if (abi.epoch >= 0xffff'0000) { // epochs have 16 bits: start anew with empty cells, and small ones
    if (t->cells == kMinCells) os::zero(abi.cells, t->cells * sizeof(Cell));
    else make_cells(t, kMinCells);
    abi.epoch = 0x10000;
  }
}

void grow_if_crowded(Thread* t) {
  if (t->evictions < t->cells / 2 || t->cells >= kMaxCells) return;
  void_cells(t);
  make_cells(t, t->cells * 8 < kMaxCells ? t->cells * 8 : kMaxCells);
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
  abi.epoch = 0x10000;
  t->cells = cells;
  t->cells_bytes = bytes;
  t->evictions = 0;
  return true;
}

void read_access(Thread* t, std::uint64_t address, std::uint64_t value, std::uint8_t size, std::uint32_t site) {
  SoothThreadAbi& abi = __sooth_thread.abi;
  if (repeats_last(t, EventKind::Read, address, value, site)) return;
  if (abi.detail != 0) {
    abi.detail -= abi.detail != ~std::uint64_t{0};
    append(t, EventKind::Read, address, value, site, size, 0);
    return;
  }
  const unsigned offset = address & 7;
  if (offset + size > 8) {
    void_range(t, address, size);
    append(t, EventKind::Read, address, value, site, size, 0);
    return;
  }
  Cell& cell = cell_of(address);
  claim(t, cell, address);
  const unsigned mask = ((1u << size) - 1) << offset;
  if ((known(cell) & mask) == mask && bytes_at(cell, offset, size) == value) return;
  if ((known(cell) & mask) != 0 && written(cell) != 0) {
    // Somebody else wrote (or the sizes differ): what this thread wrote before has to be told first.
    write_merged(t, cell);
    cell.tag &= ~std::uint64_t{0xffff};
  }
  append(t, EventKind::Read, address, value, site, size, trace::kHeld);
  set_bytes(cell, offset, size, value);
  cell.tag |= mask;
  grow_if_crowded(t);
}

void write_access(Thread* t, std::uint64_t address, std::uint64_t value, std::uint8_t size, std::uint32_t site) {
  SoothThreadAbi& abi = __sooth_thread.abi;
  if (abi.detail != 0) {
    abi.detail -= abi.detail != ~std::uint64_t{0};
    append(t, EventKind::Write, address, value, site, size, 0);
    return;
  }
  const unsigned offset = address & 7;
  if (offset + size > 8) {
    void_range(t, address, size);
    append(t, EventKind::Write, address, value, site, size, 0);
    return;
  }
  Cell& cell = cell_of(address);
  claim(t, cell, address);
  const unsigned mask = ((1u << size) - 1) << offset;
  append(t, EventKind::Write, address, value, site, size, trace::kHeld);
  set_bytes(cell, offset, size, value);
  cell.tag |= mask;
  if (!writes_are_kept(address)) { // from now on the inlined hook only changes the cell
    cell.tag |= mask << 8;
    if (t->dirty_count == kMaxDirty) void_cells(t);
    else note_dirty(t, cell, offset, size, value);
  }
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
    if (((cell.tag ^ tag_of(granule)) & kHigh) != 0) continue;
    if (written(cell) != 0) write_merged(t, cell);
    cell.tag = 0;
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
