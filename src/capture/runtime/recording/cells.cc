#include "capture/runtime/recording/cells.h"

#include <type_traits>

#include "capture/runtime/mode.h"
#include "capture/runtime/observing/plain.h"
#include "capture/runtime/os.h"
#include "capture/runtime/recording/cell_table.h"
#include "capture/runtime/recording/ownership.h"
#include "capture/runtime/recording/runs.h"

namespace sooth::runtime {

bool g_alone = true;

namespace {

// Makes `cell` the cell of `address`, with nothing known, unless it is that cell already.
void claim(Thread* t, Cell& cell, std::uint64_t address) {
  if (is_of(cell, address)) return;
  if (is_current(cell)) {
    if (dirty(cell) != 0) write_merged(t, cell);
    ++t->evictions;
  }
  ++t->claims;
  make_empty(cell);
  cell.high = static_cast<std::uint32_t>(address >> 15);
}

void next_epoch(Thread* t) {
  SoothThreadAbi& abi = __sooth_thread.abi;
  t->claims = t->evictions = 0;
  if (abi.epoch != kLastEpoch) {
    abi.epoch += kEpochStep;
    return;
  }
  abi.epoch = kEpochStep; // epochs have 8 bits: restart with empty cells
  if (t->cells == kMinCells) os::zero(t->table, t->cells * sizeof(Cell));
  else os::empty_pages(t->table, t->cells * sizeof(Cell));
}

} // namespace

// Moves to a larger table, with everything that the cells know.
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
  t->dirty_count = t->dirty_block_count = 0;
  for (std::size_t i = 0; i < old_cells; ++i) {
    if (!is_current(old[i])) continue;
    Cell& cell = cell_of(address(i));
    cell = old[i];
    cell.low |= 0xff00; // until it is noted in the new table
    if (dirty(old[i]) != 0) note_dirty(t, cell, dirty(old[i]));
  }
  os::give_back(const_cast<Cell*>(old), old_bytes);
}

namespace {

// Splits an access that crosses from one granule into the next into the largest aligned pieces.
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
  constexpr std::size_t kManyPages = std::size_t{8} << 20;
  SoothThreadAbi& abi = __sooth_thread.abi;
  const std::size_t table = cells * sizeof(Cell) + 4096; // inlined hooks may look a few bytes past the end
  const std::size_t bytes = table + cells / kBlockCells;
  void* fresh = os::pages(bytes);
  if (fresh == nullptr) return false;
  if (bytes >= kManyPages) os::prefer_large_pages(fresh, bytes);
  if (t->cells != 0) os::give_back(t->table, t->cells_bytes);
  abi.epoch = kEpochStep;
  t->table = static_cast<std::uint8_t*>(fresh);
  t->block_is_dirty = t->table + table;
  t->cells = cells;
  t->cells_bytes = bytes;
  t->evictions = t->claims = 0;
  if (abi.detail == 0) use_cells(t);
  return true;
}

void use_cells(Thread* t) {
  SoothThreadAbi& abi = __sooth_thread.abi;
  abi.detail = 0;
  abi.cells = t->table;
  abi.cell_mask = (t->cells - 1) << 4;
  t->limit = t->begin; // every access goes by its cell
}

void use_detail(Thread* t) {
  if (g_detail == 0) return use_cells(t);
  SoothThreadAbi& abi = __sooth_thread.abi;
  abi.detail = 1;
  abi.cells = g_no_cells; // the inlined hooks always fail here, without a look at cells that are not in the cache
  abi.cell_mask = 0;
  t->segment_slot = slot_number(t);
  set_limit(t, g_detail);
}

void end_long_segment(Thread* t) {
  if (t->dirty_count != 0) write_all_merged(t);
  next_epoch(t);
  use_detail(t);
}

namespace {

inline void extend(trace::RawEvent* event, std::uint64_t value, std::uint8_t size) {
  event->value |= value << (8 * event->size); // before the size: readers still see the event as it was
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  event->size = static_cast<std::uint8_t>(event->size + size);
}

// A walk over elements smaller than a granule: the access goes on where the newest event, of the
// same instruction, ended. Nothing was kept between them, so they become one event
// (docs/trace_format.md).
bool extend_last(Thread* t, EventKind kind, std::uint64_t address, std::uint64_t value, std::uint8_t size,
                 std::uint32_t site) {
  trace::RawEvent* last = t->last;
  if (last->site != site || last->address + last->size != address || (last->address ^ address) >> 3 != 0 ||
      last->kind != static_cast<std::uint8_t>(kind) || last->flags != trace::kHeld || last->size == 0 ||
      frames_changed())
    return false;
  extend(last, value, size);
  return true;
}

void append_held(Thread* t, EventKind kind, std::uint64_t address, std::uint64_t value, std::uint8_t size,
                 std::uint32_t site) {
  if (!extend_last(t, kind, address, value, size, site))
    append_access(t, kind, address, value, size, site, trace::kHeld);
}

} // namespace

// Both halves are compiled for each size, so that the size is a constant in them.
#define SOOTH_FOR_A_SIZE static inline __attribute__((always_inline)) void

SOOTH_FOR_A_SIZE read_of(Thread* t, std::uint64_t address, std::uint64_t value, std::uint8_t size, std::uint32_t site) {
  if (__sooth_thread.abi.detail != 0) {
    if (is_exact(address, size)) return append_exactly(t, EventKind::Read, address, value, site, size, 0);
    if (repeats_last(t, EventKind::Read, address, value, size, site)) {
      if (t->last->site != site) t->last->order = trace::kRepeatedElsewhere;
      return;
    }
    if (in_detail(t)) return append_access(t, EventKind::Read, address, value, size, site, 0);
  }
  const unsigned offset = address & 7;
  if (__builtin_expect(offset + size > 8, 0)) return in_pieces(t, address, value, size, site, read_access);
  Cell& cell = cell_of(address);
  claim(t, cell, address);
  const unsigned mask = ((1u << size) - 1) << offset;
  if ((known(cell) & mask) == mask && bytes_at(cell, offset, size) == value) return;
  if (!g_alone || (known(cell) & mask) != 0) {
    if ((dirty(cell) & mask) != 0)
      write_merged(t, cell); // another thread wrote since: this thread's own write is recorded first
    append_held(t, EventKind::Read, address, value, size, site);
  }
  set_bytes(cell, offset, size, value);
  cell.low &= ~mask;
  grow_if_crowded(t);
}

SOOTH_FOR_A_SIZE write_of(Thread* t, std::uint64_t address, std::uint64_t value, std::uint8_t size,
                          std::uint32_t site) {
  if (__sooth_thread.abi.detail != 0) {
    if (is_exact(address, size)) return append_exactly(t, EventKind::Write, address, value, site, size, 0);
    if (in_detail(t)) return append_access(t, EventKind::Write, address, value, size, site, 0);
  }
  const unsigned offset = address & 7;
  if (__builtin_expect(offset + size > 8, 0)) return in_pieces(t, address, value, size, site, write_access);
  Cell& cell = cell_of(address);
  claim(t, cell, address);
  const unsigned mask = ((1u << size) - 1) << offset;
  if ((g_alone || (written(cell) & mask) == mask) && !writes_are_kept(address)) {
    note_dirty(t, cell, mask); // the second write: from now on the inlined hook only changes the cell
  } else {
    if (dirty(cell) & mask) write_merged(t, cell); // of another size, in part the same bytes
    append_held(t, EventKind::Write, address, value, size, site);
  }
  cell.low &= ~(mask | mask << 16);
  set_bytes(cell, offset, size, value);
  grow_if_crowded(t);
}

void read_access(Thread* t, std::uint64_t address, std::uint64_t value, std::uint8_t size, std::uint32_t site) {
  if (!is_recording()) return g_sink->access(t, EventKind::Read, address, &value, size, site);
  read_of(t, address, value, size, site);
}
void write_access(Thread* t, std::uint64_t address, std::uint64_t value, std::uint8_t size, std::uint32_t site) {
  if (!is_recording()) return g_sink->access(t, EventKind::Write, address, &value, size, site);
  write_of(t, address, value, size, site);
}

namespace {

// Nearly every call of a hook, once the cells are in use: the first read or write of bytes in this
// segment. It calls no other function, so no register has to be saved. False, with nothing done, if
// anything is out of the ordinary.
template <EventKind kind, std::uint8_t size>
inline __attribute__((always_inline)) bool keep_first(std::uint64_t address, std::uint64_t value, std::uint32_t site) {
  const ThreadLocal& local = __sooth_thread;
  Thread* t = local.thread;
  if (t == nullptr || local.quiet != 0 || local.abi.detail != 0 || !is_recording() || g_alone) return false;
  const unsigned offset = address & 7;
  if (offset + size > 8 || frames_changed() || t->glue != 0) return false;
  if (__atomic_load_n(&owner_word(address), __ATOMIC_RELAXED) != kShared) return false;
  constexpr unsigned kOnes = (1u << size) - 1;
  const unsigned mask = kOnes << offset;
  Cell& cell = cell_of(address);
  const bool fresh = !is_current(cell);
  const std::uint32_t low = fresh ? epoch() | 0xff'ffff : cell.low;
  const auto tag = static_cast<std::uint32_t>(address >> 15);
  if (!fresh && cell.high != tag) return false;
  if ((low >> (kind == EventKind::Read ? 0 : 16) & mask) != mask) return false; // not new, at least in part
  trace::RawEvent* last = t->last;
  if (last->site == site && last->address + last->size == address && (last->address ^ address) >> 3 == 0 &&
      last->kind == static_cast<std::uint8_t>(kind) && last->flags == trace::kHeld && last->size != 0) {
    extend(last, value, size);
  } else {
    if (address == t->run.next && site == t->run.site) return false; // perhaps a run: see append_access
    if (t->cursor >= t->end || reinterpret_cast<std::uint64_t>(t->cursor) % (256 * sizeof *last) == 0) return false;
    Appending appending(t);
    trace::RawEvent* slot = take_slot(t);
    if (slot >= t->end) return false; // a signal handler came in between and filled the buffer
    put(t, slot, kind, address, value, reading(t), site, size, 0, trace::kHeld);
    t->run = {nullptr, t->cursor, address + size, site, static_cast<std::uint8_t>(kind), size, trace::kHeld, 1};
  }
  t->claims += fresh;
  cell.high = tag;
  cell.low = low & ~(kind == EventKind::Read ? mask : mask | mask << 16);
  set_bytes(cell, offset, size, value);
  return true;
}

} // namespace

template <unsigned size>
using SizedWord = std::conditional_t<
    size == 1, std::uint8_t,
    std::conditional_t<size == 2, std::uint16_t, std::conditional_t<size == 4, std::uint32_t, std::uint64_t>>>;

#define SOOTH_ACCESS(size)                                                                                             \
  extern "C" __attribute__((noinline)) void sooth_slow_read##size(std::uint64_t address, std::uint64_t value,          \
                                                                  std::uint32_t site) {                                \
    Thread* t = enter_quickly();                                                                                       \
    if (t == nullptr) return;                                                                                          \
    if (!is_recording()) {                                                                                             \
      if (observing::plain_value<false>(t, address, static_cast<SizedWord<size>>(value))) return;                      \
      return read_access(t, address, value, size, site);                                                               \
    }                                                                                                                  \
    if (leaves_out(t, EventKind::Read, address, size)) return;                                                         \
    read_of(t, address, value, size, site);                                                                            \
  }                                                                                                                    \
  extern "C" __attribute__((noinline)) void sooth_slow_write##size(std::uint64_t address, std::uint64_t value,         \
                                                                   std::uint32_t site) {                               \
    Thread* t = enter_quickly();                                                                                       \
    if (t == nullptr) return;                                                                                          \
    if (!is_recording()) {                                                                                             \
      if (observing::plain_value<true>(t, address, static_cast<SizedWord<size>>(value))) return;                       \
      return write_access(t, address, value, size, site);                                                              \
    }                                                                                                                  \
    if (leaves_out(t, EventKind::Write, address, size)) return;                                                        \
    write_of(t, address, value, size, site);                                                                           \
  }                                                                                                                    \
  extern "C" void sooth_read##size(std::uint64_t address, std::uint64_t value, std::uint32_t site) {                   \
    if (!keep_first<EventKind::Read, size>(address, value, site)) sooth_slow_read##size(address, value, site);         \
  }                                                                                                                    \
  extern "C" void sooth_write##size(std::uint64_t address, std::uint64_t value, std::uint32_t site) {                  \
    if (!keep_first<EventKind::Write, size>(address, value, site)) sooth_slow_write##size(address, value, site);       \
  }
SOOTH_ACCESS(1)
SOOTH_ACCESS(2)
SOOTH_ACCESS(4)
SOOTH_ACCESS(8)

void void_cells(Thread* t) {
  write_all_merged(t);
  next_epoch(t);
}

void void_range(Thread* t, std::uint64_t address, std::uint64_t size) {
  if (__sooth_thread.abi.detail != 0 || t->claims == 0) return; // no cell is in use
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
  if (Thread* t = __sooth_thread.thread) share_for_good(t, address, size);
}

void share_kept_ranges(Thread* t) {
  for (unsigned i = 0; i < __atomic_load_n(&g_kept_count, __ATOMIC_ACQUIRE); ++i)
    share_for_good(t, g_kept[i].begin, g_kept[i].end - g_kept[i].begin);
}

void reset_kept_lock() { g_kept_lock.reset(); }

bool holds_kept(std::uint64_t address, std::uint64_t size) {
  const unsigned n = __atomic_load_n(&g_kept_count, __ATOMIC_ACQUIRE);
  for (unsigned i = 0; i < n; ++i)
    if (g_kept[i].begin < address + size && address < g_kept[i].end) return true;
  return false;
}

bool writes_are_kept(std::uint64_t address) {
  const unsigned n = __atomic_load_n(&g_kept_count, __ATOMIC_ACQUIRE);
  for (unsigned i = 0; i < n; ++i)
    if (address - g_kept[i].begin < g_kept[i].end - g_kept[i].begin) return true;
  return false;
}

} // namespace sooth::runtime
