// Cells: leaving out accesses that repeat within a segment (the layout and the inlined half are in capture/abi.h).
//
// A segment's first `g_detail` slots are kept as they are. After that, of the accesses that one thread makes to the same
// bytes within one segment, the first read and the first write are kept (flag kHeld), and the last write (kMerged) when the
// segment ends; a read that sees another value than the cell knows is always kept, because somebody else wrote. Writes to
// globals, statics and watched variables are always kept. While there is one thread only, the first ones are left
// out, too. docs/trace_format.md argues why nothing can become wrong by it.
#pragma once

#include "capture/runtime/buffer.h"

namespace sooth::runtime {

// There is one thread only, and all that ever were others are joined: nothing that it does can be ordered otherwise.
extern bool g_alone;

// The slow halves of the hooks.
void read_access(Thread* t, std::uint64_t address, std::uint64_t value, std::uint8_t size, std::uint32_t site);
void write_access(Thread* t, std::uint64_t address, std::uint64_t value, std::uint8_t size, std::uint32_t site);

// The slow half for a whole granule or more, [address, address + size) aligned to 8, with the cells in use: what the cells know is
// left out, each run of what they do not is kept as one range.
void read_granules(Thread* t, std::uint64_t address, const std::uint8_t* bytes, std::uint64_t size, std::uint32_t site);
void write_granules(Thread* t, std::uint64_t address, const std::uint8_t* bytes, std::uint64_t size,
                    std::uint32_t site);

// The cells are in use, and an access of a few bytes of any length only repeats what they know: it is left out.
bool small_repeats(EventKind kind, std::uint64_t address, const std::uint8_t* bytes, std::uint64_t size);

// A segment begins, with its detail to spend; while it lasts, no cell is in use.
void use_detail(Thread* t);
// The detail is spent.
void use_cells(Thread* t);
// Every synchronisation ends the segment: merged writes get their last value, all cells become void.
void end_long_segment(Thread* t);
inline void end_segment(Thread* t) {
  if (__builtin_expect(__sooth_thread.abi.detail == 0, 0)) return end_long_segment(t);
  t->segment_slot = slot_number(t);
  set_limit(t, g_detail);
}
// Cells become void, merged writes are written; the segment and its detail go on.
void void_cells(Thread* t);
// The same for the cells of [address, address + size).
void void_range(Thread* t, std::uint64_t address, std::uint64_t size);

// Ranges whose writes are always kept: data segments of instrumented objects, watched variables.
void keep_writes(std::uint64_t address, std::uint64_t size);
bool writes_are_kept(std::uint64_t address);

bool make_cells(Thread* t, std::size_t cells);

} // namespace sooth::runtime
