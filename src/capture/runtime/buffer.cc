#include "capture/runtime/buffer.h"

#include <lz4.h>

#include "capture/runtime/file.h"
#include "capture/runtime/os.h"
#include "trace/event_codec.h"

namespace sooth::runtime {
namespace {

constexpr int kAcceleration = 4; // values hardly shrink; let LZ4 pass over them quickly

// Working memory for one flush; as many as threads ever flushed at once.
struct Scratch {
  Scratch* next;
  std::uint8_t encoded[trace::kEncodedHeader + kSlots * trace::kMaxEncodedSlot];
  char packed[LZ4_COMPRESSBOUND(trace::kEncodedHeader + kSlots * trace::kMaxEncodedSlot)];
  LZ4_stream_t state;
};
Scratch* g_scratch;
os::SpinLock g_scratch_lock;

Scratch* take_scratch() {
  {
    os::Guard guard(g_scratch_lock);
    if (Scratch* s = g_scratch) {
      g_scratch = s->next;
      return s;
    }
  }
  return static_cast<Scratch*>(os::pages(sizeof(Scratch)));
}
void return_scratch(Scratch* s) {
  os::Guard guard(g_scratch_lock);
  s->next = g_scratch;
  g_scratch = s;
}

// Slots that a handler left unfinished (it jumped out of an append) are closed up.
std::size_t finished_slots(Thread* t) {
  trace::RawEvent* out = t->begin;
  trace::RawEvent* const end = t->cursor < t->end ? t->cursor : t->end;
  for (trace::RawEvent* in = t->begin; in < end;) {
    if (in->kind == 0) {
      ++in;
      continue;
    }
    const std::size_t slots = 1 + trace::payload_slots(*in);
    if (in + slots > end) break;
    if (in != out)
      for (std::size_t i = 0; i < slots; ++i) out[i] = in[i];
    in += slots;
    out += slots;
  }
  return static_cast<std::size_t>(out - t->begin);
}

} // namespace

void reset_scratch_lock() { g_scratch_lock.reset(); }

std::uint64_t g_detail = kDetail;

bool make_room(Thread* t) {
  if (t->busy > 1) { // what the handler interrupted is not finished: the buffer cannot be written out now
    t->cursor = t->end;
    count(Defect::DroppedEvents);
    return false;
  }
  flush(t);
  return true;
}

void flush(Thread* t) {
  os::BlockSignals signals;
  ++__sooth_thread.quiet; // LZ4 calls memcpy
  const std::size_t slots = finished_slots(t);
  if (slots != 0) {
    if (Scratch* s = take_scratch()) {
      const std::uint8_t* end = trace::encode_slots(t->begin, slots, s->encoded);
      const int raw = static_cast<int>(end - s->encoded);
      const int packed = LZ4_compress_fast_extState(&s->state, reinterpret_cast<const char*>(s->encoded), s->packed,
                                                    raw, sizeof s->packed, kAcceleration);
      write_chunk(trace::ChunkType::Events, s->packed, static_cast<std::size_t>(packed), static_cast<std::size_t>(raw),
                  t->number, static_cast<std::uint32_t>(slots), t->first_slot);
      return_scratch(s);
    } else {
      count(Defect::DroppedEvents, slots);
    }
    // Emptied before it is renumbered: whoever reads now sees the slots twice (which their numbers tell), never wrongly.
    os::zero(t->begin,
             static_cast<std::size_t>((t->cursor < t->end ? t->cursor : t->end) - t->begin) * sizeof(trace::RawEvent));
    t->first_slot += slots;
    __atomic_fetch_add(&g_header->slots, slots, __ATOMIC_RELAXED); // a count
    __atomic_store_n(&t->live->first_slot, t->first_slot, __ATOMIC_RELEASE);
  }
  t->last = &kNoEvent;
  t->run = {};
  t->cursor = t->begin;
  if (t->live_bytes == kSmallLive && t->first_slot >= kSmallLive / sizeof(trace::RawEvent) / 2) enlarge_buffer(t);
  --__sooth_thread.quiet;
}

void write_frames(Thread* t) {
  SoothThreadAbi& abi = __sooth_thread.abi;
  if (abi.stack_top < t->stack || abi.stack_top >= t->stack_end) {
    // A frame that was entered before the thread had its stack, or one too deep: start anew at the bottom.
    if (abi.stack_top >= t->stack_end && abi.stack_top < t->stack_end + 4096) count(Defect::StackOverflows);
    abi.stack_top = abi.stack_low = t->stack;
  }
  std::uint64_t* low = abi.stack_low < t->written_top ? abi.stack_low : t->written_top;
  if (low < t->stack || low > abi.stack_top) low = low < t->stack ? t->stack : abi.stack_top;
  const std::uint64_t counter = reading(t);
  std::uint64_t* const top = abi.stack_top;
  const bool left = t->written_top != low;
  const auto remain = static_cast<std::uint64_t>(low - t->stack);
  t->written_top = abi.stack_low = top;
  for (const std::uint64_t* frame = low; frame < top; ++frame) {
    if (trace::RawEvent* slot = reserve(t, 1))
      put(t, slot, EventKind::Enter, left && frame == low ? remain + 1 : 0, *frame >> 32, counter,
          static_cast<std::uint32_t>(*frame), 0, 0, 0);
  }
  if (left && low == top)
    if (trace::RawEvent* slot = reserve(t, 1)) put(t, slot, EventKind::Exit, 0, remain, counter, 0, 0, 0, 0);
}

void append_payload(Thread* t, EventKind kind, std::uint64_t address, std::uint64_t value, std::uint64_t counter,
                    std::uint32_t site, std::uint8_t order, std::uint8_t flags, const void* first,
                    std::size_t first_bytes, const void* second, std::size_t second_bytes) {
  Appending appending(t);
  if (frames_changed(t)) write_frames(t);
  trace::RawEvent* slot =
      reserve(t, 1 + (first_bytes + second_bytes + sizeof(trace::RawEvent) - 1) / sizeof(trace::RawEvent));
  if (slot == nullptr) return;
  auto* bytes = reinterpret_cast<std::uint8_t*>(slot + 1);
  os::copy(bytes, first, first_bytes);
  os::copy(bytes + first_bytes, second, second_bytes);
  put(t, slot, kind, address, value, counter != 0 ? counter : reading(t), site, 0, order,
      static_cast<std::uint8_t>(flags | t->glue | trace::kPayload));
}

} // namespace sooth::runtime
