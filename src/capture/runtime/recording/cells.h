// Cells leave out accesses that repeat within a segment. capture/abi.h has the layout and the
// inlined half.
//
// A segment's first `g_detail` slots are kept as they are. After that, cells work on the accesses
// that one thread makes to the same bytes within one segment:
//
//   kept: the first read and the first write (flag kHeld)
//   kept: the last write (kMerged), when the segment ends
//   kept: a read that sees another value than the cell knows, because another thread wrote
//   kept: every write to globals, statics and watched variables
//   left out: the others; while there is only one thread, also the first ones
//
// docs/trace_format.md argues why leaving them out cannot make anything wrong.
#pragma once

#include "capture/runtime/recording/buffer.h"

namespace sooth::runtime {

// There is only one thread, and all others that ever were are joined. Nothing that it does can be
// ordered otherwise.
extern bool g_alone;

// The slow halves of the hooks.
void read_access(Thread* t, std::uint64_t address, std::uint64_t value, std::uint8_t size, std::uint32_t site);
void write_access(Thread* t, std::uint64_t address, std::uint64_t value, std::uint8_t size, std::uint32_t site);

// The slow half for one granule or more, with the cells in use. [address, address + size) is
// aligned to 8. Leaves out the bytes that the cells know, and keeps each run of others as one
// range.
void read_granules(Thread* t, std::uint64_t address, const std::uint8_t* bytes, std::uint64_t size, std::uint32_t site);
void write_granules(Thread* t, std::uint64_t address, const std::uint8_t* bytes, std::uint64_t size,
                    std::uint32_t site);

// True if the cells are in use and a small access, of any length, only repeats what they know: it
// can be left out.
bool small_repeats(EventKind kind, std::uint64_t address, const std::uint8_t* bytes, std::uint64_t size);

// A segment begins, with its detail to spend. Until the detail is spent, no cell is in use.
void use_detail(Thread* t);
// The detail is spent.
void use_cells(Thread* t);
// Every synchronisation ends the segment: merged writes get their last value, and all cells become
// void.
void end_long_segment(Thread* t);
inline void end_segment(Thread* t) {
  if (__builtin_expect(__sooth_thread.abi.detail == 0, 0)) return end_long_segment(t);
  t->segment_slot = slot_number(t);
  set_limit(t, g_detail);
}
// Voids the cells and writes out the merged writes. The segment and its detail go on.
void void_cells(Thread* t);
// The same for the cells of [address, address + size).
void void_range(Thread* t, std::uint64_t address, std::uint64_t size);

// Ranges whose writes are always kept: data segments of instrumented objects, watched variables.
void keep_writes(std::uint64_t address, std::uint64_t size);
bool writes_are_kept(std::uint64_t address);
bool holds_kept(std::uint64_t address, std::uint64_t size); // a part of the bytes is in such a range
// Nobody owns them (ownership.h).
void share_kept_ranges(Thread* t);

bool make_cells(Thread* t, std::size_t cells);

} // namespace sooth::runtime
