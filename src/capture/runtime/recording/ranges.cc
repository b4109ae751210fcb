#include "capture/runtime/recording/ranges.h"

#include "capture/runtime/monitoring/monitoring.h"
#include "capture/runtime/observing/observing.h"
#include "capture/runtime/os.h"
#include "capture/runtime/recording/cells.h"
#include "capture/runtime/recording/ownership.h"

namespace sooth::runtime {
namespace {

// A range's bytes are kept up to these sizes; for writes to globals and watched variables always.
// The contents of a read also follow from the writes before it.
constexpr std::uint64_t kWrittenContents = 256;
constexpr std::uint64_t kReadContents = 128;

bool has_contents(EventKind kind, std::uint64_t address, std::uint64_t size) {
  if (kind == EventKind::Read) return size <= kReadContents || g_detail == ~std::uint64_t{0};
  return size <= kWrittenContents || g_detail == ~std::uint64_t{0} || writes_are_kept(address);
}

std::uint64_t value_at(const std::uint8_t* bytes, std::uint64_t size) {
  const auto load = [&](auto value) {
    __builtin_memcpy(&value, bytes, sizeof value);
    return static_cast<std::uint64_t>(value);
  };
  return size == 8   ? load(std::uint64_t{})
         : size == 4 ? load(std::uint32_t{})
         : size == 2 ? load(std::uint16_t{})
                     : load(std::uint8_t{});
}

// One access of at most 8 bytes. The size need not be a power of two.
void piece_access(Thread* t, EventKind kind, std::uint64_t address, const std::uint8_t* bytes, std::uint64_t size,
                  std::uint32_t site) {
  while (size != 0) {
    std::uint64_t step = 8;
    while (step > size || address % step != 0) step /= 2;
    const std::uint64_t value = value_at(bytes, step);
    if (kind == EventKind::Read) read_access(t, address, value, static_cast<std::uint8_t>(step), site);
    else write_access(t, address, value, static_cast<std::uint8_t>(step), site);
    address += step;
    bytes += step;
    size -= step;
  }
}

// With the cells in use: whole granules together, the two ends separately.
void cell_access(Thread* t, EventKind kind, std::uint64_t address, const std::uint8_t* bytes, std::uint64_t size,
                 std::uint32_t site) {
  const std::uint64_t head = (8 - address % 8) % 8;
  if (size < head + 8) return piece_access(t, kind, address, bytes, size, site);
  const std::uint64_t middle = (size - head) & ~std::uint64_t{7};
  piece_access(t, kind, address, bytes, head, site);
  if (kind == EventKind::Read) read_granules(t, address + head, bytes + head, middle, site);
  else write_granules(t, address + head, bytes + head, middle, site);
  piece_access(t, kind, address + head + middle, bytes + head + middle, size - head - middle, site);
}

} // namespace

void append_range(Thread* t, EventKind kind, std::uint64_t address, const std::uint8_t* bytes, std::uint64_t size,
                  std::uint32_t site, std::uint8_t flags) {
  const bool exact = is_exact(address, size);
  if (size == 8 && !t->opaque) {
    std::uint64_t value;
    __builtin_memcpy(&value, bytes, 8);
    return (exact ? append_exactly : append)(t, kind, address, value, site, 8, flags);
  }
  if (t->opaque || !has_contents(kind, address, size)) {
    count(Defect::OpaqueRanges);
    return append(t, kind, address, size, site, 0, static_cast<std::uint8_t>(flags | trace::kOpaque));
  }
  for (std::uint64_t done = 0; done < size;) {
    const std::uint64_t part = size - done < trace::kMaxPayload ? size - done : trace::kMaxPayload;
    append_payload(t, kind, address + done, part, exact ? tick(t) : 0, site, 0,
                   static_cast<std::uint8_t>(exact ? flags | trace::kTicket : flags), bytes + done, part, nullptr, 0);
    done += part;
  }
}

namespace {

// Whether a range is compared with the cells, granule by granule. A large range only if it may meet
// writes that were left out: one event is cheaper than the comparison.
bool goes_through_cells(const Thread* t, EventKind kind, std::uint64_t address, std::uint64_t size) {
  constexpr std::uint64_t kSmall = 1024, kMost = 4u << 20;
  if (size > kMost || (kind == EventKind::Write && writes_are_kept(address))) return false;
  return size <= kSmall || t->dirty_count != 0;
}

// A range as one event. The cells learn nothing from it. Later reads of bytes that the cells know
// are left out, so a read is marked kHeld.
void large_access(Thread* t, EventKind kind, std::uint64_t address, const std::uint8_t* bytes, std::uint64_t size,
                  std::uint32_t site) {
  if (kind == EventKind::Write || t->dirty_count != 0) void_range(t, address, size);
  else if (g_alone) return;
  append_range(t, kind, address, bytes, size, site, t->claims != 0 && kind == EventKind::Read ? trace::kHeld : 0);
}

// A short range that only repeats what the cells know. No cell holds a write to a global.
bool repeats_cells(EventKind kind, std::uint64_t address, const std::uint8_t* bytes, std::uint64_t size) {
  constexpr std::uint64_t kShort = 64;
  return size <= kShort && __sooth_thread.abi.detail == 0 && is_recording() &&
         small_repeats(kind, address, bytes, size);
}

void end_of_glue(Thread* t, std::uint32_t what) {
  const auto last = static_cast<EventKind>(t->last->kind); // for another kind, the same bit means something else
  if (!(what & kLoopGlued) && (last == EventKind::Read || last == EventKind::Write))
    t->last->flags &= static_cast<std::uint8_t>(~trace::kGlued);
}

} // namespace

namespace {

// A range that is not left out.
void recorded_range(Thread* t, EventKind kind, std::uint64_t address, const std::uint8_t* bytes, std::uint64_t size,
                    std::uint32_t site) {
  if (in_detail(t)) return append_range(t, kind, address, bytes, size, site, 0);
  if (goes_through_cells(t, kind, address, size)) return cell_access(t, kind, address, bytes, size, site);
  large_access(t, kind, address, bytes, size, site);
}

} // namespace

void range_access(Thread* t, EventKind kind, const void* address, const void* bytes, std::uint64_t size,
                  std::uint32_t site) {
  const auto target = reinterpret_cast<std::uint64_t>(address);
  const auto* from = static_cast<const std::uint8_t*>(bytes);
  if (size == 0) return;
  if (!is_recording()) return g_sink->access(t, kind, target, bytes, size, site);
  if (size <= 8) {
    if (leaves_out(t, kind, target, size) || repeats_cells(kind, target, from, size)) return;
    return piece_access(t, kind, target, from, size, site);
  }
  settle_range(t, kind, target, size);
  each_recorded_part(t, target, size, [&](std::uint64_t part, std::uint64_t part_size) {
    const std::uint8_t* part_bytes = from + (part - target);
    if (repeats_cells(kind, part, part_bytes, part_size)) return;
    if (part_size <= 8) piece_access(t, kind, part, part_bytes, part_size, site);
    else recorded_range(t, kind, part, part_bytes, part_size, site);
  });
}

void copy_access(Thread* t, const void* to, const void* from, std::uint64_t size, std::uint32_t site) {
  // Both are settled before anything is left out.
  const auto source = reinterpret_cast<std::uint64_t>(from), target = reinterpret_cast<std::uint64_t>(to);
  if (is_observing()) return observing::copy(t, target, source, size, site);
  const auto settled = [&] {
    return is_settled(EventKind::Read, source, size) && is_settled(EventKind::Write, target, size);
  };
  std::uint64_t waits = ~std::uint64_t{0};
  while (is_recording() && waits != t->busy_blocks && !settled()) {
    waits = t->busy_blocks;
    settle_range(t, EventKind::Read, source, size);
    settle_range(t, EventKind::Write, target, size);
  }
  range_access(t, EventKind::Read, from, from, size, site);
  range_access(t, EventKind::Write, to, from, size, site);
}

void loop_access(Thread* t, const void* address, std::uint64_t size, std::uint32_t element, std::uint32_t site,
                 std::uint32_t what) {
  const auto target = reinterpret_cast<std::uint64_t>(address);
  const auto* bytes = static_cast<const std::uint8_t*>(address);
  const EventKind kind = what & kLoopWrite ? EventKind::Write : EventKind::Read;
  if (size == 0 || monitoring::is_out_of_sight(target, size)) return;
  if (is_observing()) begin_storing(); // a write is made: what is left out now need not be waited for
  if (is_replaying() || (is_observing() && !observing::may_be_relevant(target, size)))
    return g_sink->access(t, kind, target, bytes, size, site); // one event, as recorded
  // Every state of a global counts, also in the middle of the loop.
  if (!is_recording() || (kind == EventKind::Write && writes_are_kept(target)) || is_exact(target, size)) {
    for (std::uint64_t at = 0; at < size; at += element) range_access(t, kind, bytes + at, bytes + at, element, site);
    return;
  }
  t->glue = trace::kGlued; // the whole loop is one block in every run
  // A loop that may read what it writes: bytes that the cells know stay as they are until the loop
  // itself changes them.
  t->opaque = (what & kLoopOpaque) != 0;
  settle_range(t, kind, target, size);
  each_recorded_part(t, target, size, [&](std::uint64_t part, std::uint64_t part_size) {
    const std::uint8_t* part_bytes = bytes + (part - target);
    if (!repeats_cells(kind, part, part_bytes, part_size)) recorded_range(t, kind, part, part_bytes, part_size, site);
  });
  t->opaque = false;
  t->glue = 0;
  end_of_glue(t, what);
}

void range_fill(Thread* t, const void* address, std::uint8_t byte, std::uint64_t size, std::uint32_t site) {
  const auto target = reinterpret_cast<std::uint64_t>(address);
  if (size == 0) return;
  if (!is_recording()) return g_sink->fill(t, target, byte, size, site);
  if (size <= 8) {
    const std::uint64_t value = byte * std::uint64_t{0x0101010101010101};
    if (leaves_out(t, EventKind::Write, target, size)) return;
    return piece_access(t, EventKind::Write, target, reinterpret_cast<const std::uint8_t*>(&value), size, site);
  }
  settle_range(t, EventKind::Write, target, size);
  each_recorded_part(t, target, size, [&](std::uint64_t part, std::uint64_t part_size) {
    if (!in_detail(t)) void_range(t, part, part_size);
    const auto keep = is_exact(part, part_size) ? append_exactly : append;
    keep(t, EventKind::Write, part, (part_size & ((std::uint64_t{1} << 56) - 1)) | std::uint64_t{byte} << 56, site, 0,
         trace::kFill);
  });
}

} // namespace sooth::runtime
