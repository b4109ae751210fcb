// One cell and the table of cells (capture/abi.h has the layout). For the files that implement
// cells.h.
#pragma once

#include "capture/runtime/recording/cells.h"

namespace sooth::runtime {

struct Cell { // abi.h
  std::uint32_t low;
  std::uint32_t high;
  std::uint64_t bytes;
};
static_assert(sizeof(Cell) == 16);

inline Cell& cell_of(std::uint64_t address) {
  const SoothThreadAbi& abi = __sooth_thread.abi;
  return *reinterpret_cast<Cell*>(abi.cells + ((address << 1) & abi.cell_mask));
}
inline std::uint32_t epoch() { return static_cast<std::uint32_t>(__sooth_thread.abi.epoch); }
inline bool is_current(const Cell& cell) { return ((cell.low ^ epoch()) & 0xff00'0000) == 0; }
inline bool is_of(const Cell& cell, std::uint64_t address) {
  return is_current(cell) && cell.high == static_cast<std::uint32_t>(address >> 15);
}
inline unsigned known(const Cell& cell) { return ~cell.low & 0xff; }
inline unsigned dirty(const Cell& cell) { return ~cell.low >> 8 & 0xff; }
inline unsigned written(const Cell& cell) { return ~cell.low >> 16 & 0xff; }
inline void make_empty(Cell& cell) { cell.low = epoch() | 0xff'ffff; }

// The granule that a current cell stands for: tag and index together hold every bit of it.
inline std::uint64_t address_of(const Cell& cell) {
  const SoothThreadAbi& abi = __sooth_thread.abi;
  const std::uint64_t index = static_cast<std::uint64_t>(reinterpret_cast<const std::uint8_t*>(&cell) - abi.cells) >> 1;
  return std::uint64_t{cell.high} << 15 | (index & 0x7ff8);
}
inline std::uint32_t index_of(const Cell& cell) {
  return static_cast<std::uint32_t>(
      static_cast<std::uint64_t>(reinterpret_cast<const std::uint8_t*>(&cell) - __sooth_thread.abi.cells) /
      sizeof(Cell));
}

inline std::uint64_t bytes_at(const Cell& cell, unsigned offset, unsigned size) {
  const std::uint64_t shifted = cell.bytes >> (8 * offset);
  return size == 8 ? shifted : shifted & ((std::uint64_t{1} << (8 * size)) - 1);
}
inline void set_bytes(Cell& cell, unsigned offset, unsigned size, std::uint64_t value) {
  const std::uint64_t mask = size == 8 ? ~std::uint64_t{0} : ((std::uint64_t{1} << (8 * size)) - 1) << (8 * offset);
  cell.bytes = (cell.bytes & ~mask) | (value << (8 * offset) & mask);
}

// --- merged_writes.cc: writes that were left out; their last values have to be recorded ----------

// The cell's bytes in `mask` were written, and the trace does not have that write.
inline void note_dirty(Thread* t, Cell& cell, unsigned mask) {
  if (dirty(cell) == 0) {
    const std::uint32_t block = index_of(cell) / kBlockCells;
    if (!t->block_is_dirty[block]) {
      t->block_is_dirty[block] = 1;
      t->dirty_blocks[t->dirty_block_count++] = block;
    }
    t->live->reserved = static_cast<std::uint32_t>(++t->dirty_count); // lost if the process is killed
  }
  cell.low &= ~(mask << 8);
}
void write_merged(Thread* t, Cell& cell);
void write_all_merged(Thread* t);

// --- cells.cc ------------------------------------------------------------------------------------

void grow(Thread* t);
inline void grow_if_crowded(Thread* t) {
  if (__builtin_expect(t->evictions > t->cells / 4 && t->cells < kMaxCells, 0)) grow(t);
}

} // namespace sooth::runtime
