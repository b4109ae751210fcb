#include "capture/runtime/recording/buffer.h"

#include <lz4.h>

#include "capture/runtime/os.h"
#include "capture/runtime/recording/cells.h"
#include "capture/runtime/recording/file.h"
#include "trace/event_codec.h"

namespace sooth::runtime {
namespace {

constexpr int kAcceleration = 4; // values hardly shrink; let LZ4 pass over them quickly

// Working memory for one flush. There are as many as threads ever flushed at once.
struct Scratch {
  Scratch* next;
  std::uint8_t encoded[trace::kEncodedHeader + kSlots * trace::kMaxEncodedSlot];
  char packed[LZ4_COMPRESSBOUND(trace::kEncodedHeader + kSlots * trace::kMaxEncodedSlot)];
  LZ4_stream_t state;
  trace::codec_detail::Predictor predictor;
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

// An LZ4 block with the bytes as literals: a token, the length in steps of 255, the bytes.
std::size_t as_literals(const std::uint8_t* bytes, std::size_t size, char* out) {
  char* to = out;
  *to++ = static_cast<char>(size < 15 ? size << 4 : 0xf0);
  if (size >= 15) {
    std::size_t left = size - 15;
    for (; left >= 255; left -= 255) *to++ = static_cast<char>(255);
    *to++ = static_cast<char>(left);
  }
  os::copy(to, bytes, size);
  return static_cast<std::size_t>(to - out) + size;
}

// The columns are short already. LZ4 makes them shorter still, but is used only where it takes a
// small part of the program's time. A thread that fills its buffer over and over loses more time by
// it than the disk gains. Returns the size of the block.
std::size_t pack(Thread* t, Scratch& s, std::size_t bytes) {
  constexpr std::uint64_t kShare = 32;    // LZ4 gets a 32nd of the time since the last flush
  constexpr std::uint64_t kTryAgain = 64; // flushes until the next measurement
  const std::uint64_t start = __builtin_ia32_rdtsc();
  const std::uint64_t since = start - t->flushed_at;
  t->flushed_at = start;
  if (t->lz4_ticks > since / kShare && t->first_slot != 0 && ++t->plain_flushes < kTryAgain)
    return as_literals(s.encoded, bytes, s.packed);
  const int packed = LZ4_compress_fast_extState(&s.state, reinterpret_cast<const char*>(s.encoded), s.packed,
                                                static_cast<int>(bytes), sizeof s.packed, kAcceleration);
  t->plain_flushes = 0;
  t->lz4_ticks = __builtin_ia32_rdtsc() - start;
  return static_cast<std::size_t>(packed);
}

// Closes up slots that a signal handler left unfinished (it jumped out of an append).
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
bool g_branches;
bool g_for_facts;
bool g_facts_wanted = true;

void record_for_facts() {
  if (g_for_facts || !g_facts_wanted || !is_recording()) return;
  // Threads that run already would go on as they are. Then the trace is like any other.
  if (!g_alone) return;
  g_for_facts = g_branches = true;
  g_detail = ~std::uint64_t{0};
  set_file_flag(trace::kForFacts, true);
  __sooth_thread.abi.branches = 1;
  if (Thread* t = __sooth_thread.thread) {
    void_cells(t);
    use_detail(t);
  }
}

bool renew_limit(Thread* t) {
  const std::uint64_t used = slot_number(t) - t->segment_slot;
  if (used >= g_detail) {
    use_cells(t);
    return false;
  }
  // If the buffer is full, no time has passed since the last limit. With exact accesses the
  // limit is always at the cursor, and shows no time.
  if (t->cursor < t->end && !g_exact) tick(t);
  set_limit(t, g_detail - used);
  return true;
}

void stop_for_lack_of_room(Thread* t) {
  __atomic_store_n(&g_no_room, true, __ATOMIC_RELEASE);
  t->cursor = t->limit = t->end;
  retire(kNoRoom);
}

bool make_room(Thread* t) {
  if (t->busy > 1) { // the handler interrupted an append: the buffer cannot be written out now
    t->cursor = t->end;
    count(Defect::DroppedEvents);
    return false;
  }
  return flush(t);
}

bool flush(Thread* t) {
  if (__sooth_thread.ended == kNoRoom) { // the caller began before
    count(Defect::NoRoomEvents);
    return false;
  }
  os::BlockSignals signals;
  ++__sooth_thread.quiet; // LZ4 calls memcpy
  auto slots = static_cast<std::size_t>((t->cursor < t->end ? t->cursor : t->end) - t->begin);
  if (slots != 0) {
    if (Scratch* s = take_scratch()) {
      const std::uint8_t* end = trace::encode_slots<true>(t->begin, slots, s->encoded, s->predictor);
      if (__builtin_expect(end == nullptr, 0)) {
        slots = finished_slots(t);
        end = trace::encode_slots(t->begin, slots, s->encoded, s->predictor);
      }
      const int raw = static_cast<int>(end - s->encoded);
      const std::size_t packed = pack(t, *s, static_cast<std::size_t>(raw));
      const bool written = write_chunk(trace::ChunkType::Events, s->packed, packed, static_cast<std::size_t>(raw),
                                       t->number, static_cast<std::uint32_t>(slots), t->first_slot);
      return_scratch(s);
      if (!written) {
        stop_for_lack_of_room(t);
        --__sooth_thread.quiet;
        return false;
      }
    } else {
      count(Defect::DroppedEvents, slots);
    }
    // Emptied before it is renumbered: a concurrent reader sees the slots twice (their numbers show
    // that), never wrongly.
    os::zero(t->begin,
             static_cast<std::size_t>((t->cursor < t->end ? t->cursor : t->end) - t->begin) * sizeof(trace::RawEvent));
    t->first_slot += slots;
    __atomic_fetch_add(&g_header->slots, slots, __ATOMIC_RELAXED); // a count
    __atomic_store_n(&t->live->first_slot, t->first_slot, __ATOMIC_RELEASE);
  }
  t->last = &kNoEvent;
  t->run = {};
  t->cursor = t->limit = t->begin;
  if (t->live_bytes == kSmallLive && t->first_slot >= kSmallLive / sizeof(trace::RawEvent) / 2) enlarge_buffer(t);
  --__sooth_thread.quiet;
  return true;
}

void write_frames(Thread* t, bool own) {
  SoothThreadAbi& abi = __sooth_thread.abi;
  if (abi.stack_top < t->stack || abi.stack_top >= t->stack_end) {
    // A frame that was entered before the thread had its stack, or one too deep: restart at the
    // bottom.
    if (abi.stack_top >= t->stack_end && abi.stack_top < t->stack_end + 4096) count(Defect::StackOverflows);
    abi.stack_top = abi.stack_low = t->stack;
  }
  std::uint64_t*& written_top = __sooth_thread.written_top;
  std::uint64_t* low = abi.stack_low < written_top ? abi.stack_low : written_top;
  if (low < t->stack || low > abi.stack_top) low = low < t->stack ? t->stack : abi.stack_top;
  const std::uint64_t counter = reading(t);
  std::uint64_t* const top = abi.stack_top;
  const bool left = written_top != low;
  const auto remain = static_cast<std::uint64_t>(low - t->stack);
  written_top = abi.stack_low = top;
  if (!is_recording()) return g_sink->frames(t, low, top);
  const auto put_call = [&](EventKind kind, std::uint64_t address, std::uint64_t value, std::uint32_t site,
                            bool alone) {
    trace::RawEvent* slot = reserve(t, 1);
    if (slot == nullptr) return;
    put(t, slot, kind, address, value, alone ? tick(t) : counter, site, 0, 0, alone ? trace::kTicket : 0);
    if (alone) t->last = slot; // a following read is not a repeat of an earlier one
  };
  for (const std::uint64_t* frame = low; frame < top; ++frame)
    put_call(EventKind::Enter, left && frame == low ? remain + 1 : 0, *frame >> 32, static_cast<std::uint32_t>(*frame),
             own && frame + 1 == top);
  if (left && low == top) put_call(EventKind::Exit, 0, remain, 0, own);
}

void append_payload(Thread* t, EventKind kind, std::uint64_t address, std::uint64_t value, std::uint64_t counter,
                    std::uint32_t site, std::uint8_t order, std::uint8_t flags, const void* first,
                    std::size_t first_bytes, const void* second, std::size_t second_bytes) {
  Appending appending(t);
  if (frames_changed()) write_frames(t);
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
