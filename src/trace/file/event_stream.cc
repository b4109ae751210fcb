#include "trace/file/event_stream.h"

#include <lz4.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <tuple>

#include "trace/event_codec.h"
#include "trace/kind_groups.h"

namespace sooth::trace {
namespace {

constexpr std::uint64_t kLongestRange = std::uint64_t{1} << 36; // a longer one must be damage
constexpr std::uint64_t kLargestSplit = std::uint64_t{1} << 31; // of ranges too long for Event::size

std::uint64_t low_bytes(std::uint64_t value, std::uint64_t size) {
  return size >= 8 ? value : value & ((std::uint64_t{1} << (8 * size)) - 1);
}

std::uint64_t load(const std::uint8_t* bytes, std::uint64_t size) {
  std::uint64_t value = 0;
  std::memcpy(&value, bytes, std::min<std::uint64_t>(size, 8));
  return value;
}

std::uint64_t slots_of(const Chunk& chunk) {
  return chunk.header.type == static_cast<std::uint32_t>(ChunkType::Live) ? chunk.bytes / sizeof(RawEvent)
                                                                          : chunk.header.count;
}

// Without slots of a Live buffer that were not finished.
std::uint64_t slots_there(const Chunk& chunk) {
  return chunk.header.type == static_cast<std::uint32_t>(ChunkType::Live) ? finished_slots(chunk.body)
                                                                          : slots_of(chunk);
}

// Of the memory that the event uses, from its address on.
std::uint64_t bytes_used(const RawEvent& raw, const Event& e) {
  if (begins_or_ends_object(e.kind)) return raw.value <= ~raw.address ? raw.value : 0;
  if (!is_access(e.kind)) return 0;
  const std::uint64_t bytes = (raw.flags & kFill)                  ? raw.value & ((std::uint64_t{1} << 56) - 1)
                              : (raw.flags & (kPayload | kOpaque)) ? raw.value
                                                                   : raw.size;
  return bytes <= ~raw.address ? bytes : 0;
}

} // namespace

std::uint64_t EventStream::start() {
  // A Live buffer comes after the chunk that repeats it: the chunk has a checksum.
  const auto key = [](const Chunk* c) { return std::tuple(c->header.first_slot, c->header.type, c->offset); };
  std::sort(pieces_.begin(), pieces_.end(), [&](const Chunk* a, const Chunk* b) { return key(a) < key(b); });
  std::uint64_t bound = 0, next = 0;
  for (const Chunk* piece : pieces_) {
    const std::uint64_t first = piece->header.first_slot, slots = slots_there(*piece);
    bound += slots;
    if (first > next) is_whole_ = false;
    if (first <= UINT64_MAX - slots) next = std::max(next, first + slots);
  }
  return bound;
}

const StampedEvent* EventStream::peek(std::size_t ahead) {
  while (head_ + ahead >= buffer_.size()) {
    if (next_piece_ != pieces_.size()) {
      decode_next_piece();
    } else if (!has_last_moves_) {
      append_last_moves();
    } else if (!held_back_.empty()) { // never granted
      buffer_.insert(buffer_.end(), held_back_.begin(), held_back_.end());
      held_back_.clear();
    } else {
      return nullptr;
    }
  }
  return &buffer_[head_ + ahead];
}

bool EventStream::take(std::vector<StampedEvent>& events) {
  events.clear();
  if (peek() == nullptr) return false;
  buffer_.erase(buffer_.begin(), buffer_.begin() + static_cast<std::ptrdiff_t>(head_));
  head_ = 0;
  events.swap(buffer_);
  return true;
}

void EventStream::decode_next_piece() {
  buffer_.erase(buffer_.begin(), buffer_.begin() + static_cast<std::ptrdiff_t>(head_));
  head_ = 0;
  const Chunk& chunk = *pieces_[next_piece_++];
  const std::uint64_t first = chunk.header.first_slot;
  std::uint64_t slots = slots_of(chunk);
  if (first + slots < first || (slots != 0 && first + slots <= next_slot_)) return; // all of it is a repetition
  const bool good = unpack(chunk, slots);
  if (first > next_slot_) return end_here(chunk, slots);
  if (slots == 0) return;
  if (good) {
    const std::size_t from = buffer_.size();
    buffer_.insert(buffer_.end(), held_back_.begin(), held_back_.end());
    held_back_.clear();
    append_events(slots, first);
    if (!(context_->trace.flags & kFrozen)) drop_granted_requests(from); // in a frozen trace, the writer did it
  } else {
    context_->count(Defect::DamagedChunks, 1);
    context_->count(Defect::DamagedBytes, sizeof(ChunkHeader) + chunk.bytes);
    const bool other = is_of_other_version(context_->unpacked.data(), context_->unpacked.size());
    context_->trace.notes.push_back("chunk at offset " + hexadecimal(chunk.offset) +
                                    (other ? " was encoded by another version of Sooth, which has to read it; "
                                           : " is damaged (its events cannot be decoded); ") +
                                    std::to_string(sizeof(ChunkHeader) + chunk.bytes) + " bytes skipped");
    return end_here(chunk, slots);
  }
  next_slot_ = std::max(next_slot_, first + slots);
}

// The thread's next slots are not in the file. Without them, its later events mean nothing: which
// locks it holds, for one, is not known. `chunk` has later slots.
void EventStream::end_here(const Chunk& chunk, std::uint64_t slots) {
  has_gap_ = true;
  std::uint64_t end = chunk.header.first_slot + slots;
  for (; next_piece_ != pieces_.size(); ++next_piece_) {
    const Chunk& later = *pieces_[next_piece_];
    const std::uint64_t more = slots_there(later);
    if (later.header.first_slot <= UINT64_MAX - more) end = std::max(end, later.header.first_slot + more);
  }
  const bool known = context_->last_number != kNoEnd; // else later events of other threads are in the trace
  context_->count(known ? Defect::EventsBehindEnd : Defect::MissingEvents, end - next_slot_);
  context_->trace.notes.push_back("thread " + std::to_string(thread_) + ": its events from slot " +
                                  std::to_string(next_slot_) + " on are lost");
  next_slot_ = end;
}

// The chunk's slots, into context_->slots.
bool EventStream::unpack(const Chunk& chunk, std::uint64_t& slots) {
  std::vector<RawEvent>& out = context_->slots;
  if (chunk.header.type == static_cast<std::uint32_t>(ChunkType::Live)) {
    slots = finished_slots(chunk.body);
    out.resize(slots);
    if (slots != 0) std::memcpy(out.data(), chunk.body.data(), slots * sizeof(RawEvent));
    return true;
  }
  std::vector<std::uint8_t>& body = context_->body;
  if (!body_of(chunk, context_->file, body)) return false;
  std::vector<std::uint8_t>& raw = context_->unpacked;
  raw.resize(chunk.header.raw_bytes); // bounded by scan_chunks
  out.resize(slots);
  const int size = LZ4_decompress_safe(reinterpret_cast<const char*>(body.data()), reinterpret_cast<char*>(raw.data()),
                                       static_cast<int>(body.size()), static_cast<int>(raw.size()));
  return size >= 0 && static_cast<std::size_t>(size) == raw.size() &&
         decode_slots(raw.data(), raw.size(), out.data(), slots);
}

std::uint64_t EventStream::last_number_in(const Chunk& chunk, DecodeContext& context) {
  std::uint64_t slots = slots_of(chunk), last = 0;
  if (!EventStream(chunk.header.thread, context).unpack(chunk, slots)) return 0;
  for (std::uint64_t i = 0; i < slots; i += 1 + payload_slots(context.slots[i])) last = context.slots[i].counter;
  return last;
}

void EventStream::append_events(std::uint64_t slots, std::uint64_t first_slot) {
  const std::vector<RawEvent>& raw = context_->slots;
  buffer_.reserve(buffer_.size() + slots);
  for (std::uint64_t i = 0; i < slots; ++i) {
    const std::uint64_t extra = payload_slots(raw[i]); // complete: decode_slots and finished_slots checked it
    if (raw[i].counter > context_->last_number) {
      if (context_->ends_there) return pieces_.resize(next_piece_);
      ++context_->behind_last;
    } else if (first_slot + i >= next_slot_) {
      append_event(raw[i], reinterpret_cast<const std::uint8_t*>(raw.data() + i + 1));
      context_->slots_read += 1 + extra;
    }
    i += extra;
  }
}

// A request is over as soon as its thread does something else. A signal's handler may interrupt it.
// The thread still waits while the handler runs, and also afterwards if the call goes on; the
// request then stands behind the handler.
void EventStream::drop_granted_requests(std::size_t from) {
  constexpr std::size_t kNone = ~std::size_t{0};
  std::size_t waits = kNone; // the place of the request
  unsigned handlers = 0;     // that interrupt it
  for (std::size_t i = from; i < buffer_.size(); ++i) {
    const EventKind kind = buffer_[i].event.kind;
    if (waits != kNone && kind != EventKind::Request) {
      if (kind == EventKind::SignalEnter) ++handlers;
      const bool returned = kind == EventKind::SignalExit && handlers != 0 && --handlers == 0;
      if (handlers != 0) continue;
      if (returned && does(awaited(buffer_[waits].event).kind, act::kResumes)) {
        const auto at = [&](std::size_t place) { return buffer_.begin() + static_cast<std::ptrdiff_t>(place); };
        std::rotate(at(waits), at(waits + 1), at(i + 1));
        waits = i;
        continue;
      }
    }
    if (waits != kNone) buffer_[waits].event.kind = EventKind::None; // it was granted
    waits = kind == EventKind::Request ? i : kNone;
    handlers = 0;
  }
  const auto first = buffer_.begin() + static_cast<std::ptrdiff_t>(from);
  buffer_.erase(
      std::remove_if(first, buffer_.end(), [](const StampedEvent& e) { return e.event.kind == EventKind::None; }),
      buffer_.end());
  if (waits == kNone) return;
  const auto rest = std::find_if(buffer_.begin() + static_cast<std::ptrdiff_t>(from), buffer_.end(),
                                 [](const StampedEvent& e) { return e.event.kind == EventKind::Request; });
  held_back_.assign(rest, buffer_.end());
  buffer_.erase(rest, buffer_.end());
}

void EventStream::append_event(const RawEvent& raw, const std::uint8_t* payload) {
  Trace& trace = context_->trace;
  Event e;
  e.address = raw.address;
  e.value = raw.value;
  e.site = context_->sites.index_of(raw.site);
  e.thread = thread_;
  e.kind = static_cast<EventKind>(raw.kind);
  std::uint8_t order = raw.order;
  if ((e.kind == EventKind::Read || e.kind == EventKind::AtomicRead) && (order & kRepeatedElsewhere) != 0) {
    order &= static_cast<std::uint8_t>(~kRepeatedElsewhere);
    e.marks = kOtherSites;
  }
  const bool known = order <= static_cast<std::uint8_t>(MemoryOrder::SeqCst);
  e.order = known ? static_cast<MemoryOrder>(order) : MemoryOrder::SeqCst;
  e.flags = raw.flags;
  const int shapes = ((raw.flags & kPayload) != 0) + ((raw.flags & kFill) != 0) + ((raw.flags & kOpaque) != 0);
  if (kind_name(e.kind).empty() || shapes > 1) {
    ++context_->malformed;
    return;
  }
  if (context_->moves != nullptr) append_moves(e, raw.counter, bytes_used(raw, e));
  if (!is_access(e.kind)) {
    if (raw.flags & kPayload) {
      ++context_->malformed;
      return;
    }
    if (e.kind == EventKind::Enter) {
      e.value = context_->sites.index_of(static_cast<std::uint32_t>(raw.value));
      if (raw.address != 0 && !(trace.flags & kFrozen)) { // the runtime puts the exit just before into the same slot
        Event left;
        left.thread = thread_;
        left.kind = EventKind::Exit;
        left.value = raw.address - 1;
        buffer_.push_back({left, raw.counter});
        e.address = 0;
      }
    }
    keep(e, raw.counter);
    return;
  }
  const bool rmw = e.kind == EventKind::AtomicRmw;
  if (rmw && !(raw.flags & kPayload)) {
    ++context_->malformed;
    return;
  }
  if (trace.sites[e.site].flags & kSiteVolatile) e.flags |= kVolatile;
  if (raw.flags & kFill) {
    e.value = raw.value >> 56;
    append_range(raw, e, raw.value & ((std::uint64_t{1} << 56) - 1));
    return;
  }
  if (raw.flags & kOpaque) {
    e.value = 0;
    append_range(raw, e, raw.value);
    return;
  }
  const std::uint64_t bytes = (raw.flags & kPayload) ? raw.value : raw.size;
  if (bytes == 0 || raw.size > 8 || raw.address > UINT64_MAX - bytes) {
    ++context_->malformed;
    return;
  }
  e.size = static_cast<std::uint32_t>(bytes);
  if (is_left_out(e)) return;
  if (!(raw.flags & kPayload)) {
    e.value = low_bytes(raw.value, bytes);
  } else if (bytes <= 8) {
    e.flags &= static_cast<std::uint8_t>(~kPayload);
    e.value = load(rmw ? payload + bytes : payload, bytes);
    if (rmw) e.extra = load(payload, bytes);
  } else {
    e.value = load(rmw ? payload + bytes : payload, bytes);
    e.extra = trace.bytes.size();
    if (context_->contents) trace.bytes.insert(trace.bytes.end(), payload, payload + (rmw ? 2 * bytes : bytes));
  }
  keep(e, raw.counter);
}

// A request may be dropped again.
void EventStream::keep(Event e, std::uint64_t counter) {
  if (omitted_ && e.kind != EventKind::Request) {
    e.marks |= kBehindOmitted;
    omitted_ = false;
  }
  buffer_.push_back({e, counter});
}

// What comes before this event, because an ownership ended. A request stays the last thing that its
// thread did; and a glued block stays together: what its thread takes, it takes before the block.
void EventStream::append_moves(const Event& next, std::uint64_t counter, std::uint64_t bytes) {
  gives_.clear();
  takes_.clear();
  moves_.before(next, counter, {next.address, bytes}, gives_, takes_);
  insert_gives();
  if (takes_.empty()) return;
  const auto stays = [](const Event& e) {
    return e.kind == EventKind::Request || ((e.kind == EventKind::Read || e.kind == EventKind::Write) && e.has(kGlued));
  };
  const std::size_t at = before_last(stays, counter);
  std::vector<StampedEvent> stamped;
  for (const Event& e : takes_) stamped.push_back({e, counter});
  buffer_.insert(buffer_.begin() + static_cast<std::ptrdiff_t>(at), stamped.begin(), stamped.end());
}

void EventStream::append_last_moves() {
  has_last_moves_ = true;
  gives_.clear();
  moves_.at_end(gives_);
  insert_gives();
}

void EventStream::insert_gives() {
  if (gives_.empty()) return;
  const auto waits = [](const Event& e) { return e.kind == EventKind::Request; };
  const std::size_t at = before_last(waits, gives_.back().counter);
  std::vector<StampedEvent> stamped;
  for (const MovesOfThread::Given& given : gives_) {
    const bool access = given.event.kind == EventKind::Write;
    if (!access || context_->sieve == nullptr || !context_->sieve->is_private(given.event))
      stamped.push_back({given.event, given.counter});
  }
  buffer_.insert(buffer_.begin() + static_cast<std::ptrdiff_t>(at), stamped.begin(), stamped.end());
}

// The place before the last events of this sort, which get at least this number.
template <typename IsOfSort>
std::size_t EventStream::before_last(IsOfSort&& is_of_sort, std::uint64_t counter) {
  std::size_t at = buffer_.size();
  for (; at > head_ && is_of_sort(buffer_[at - 1].event); --at)
    buffer_[at - 1].counter = std::max(buffer_[at - 1].counter, counter);
  return at;
}

// Accesses of glued blocks are left to the sifter, which sees the whole block.
bool EventStream::is_left_out(const Event& access) {
  if (context_->sieve == nullptr || (access.kind != EventKind::Read && access.kind != EventKind::Write)) return false;
  const bool in_block = after_glued_ || access.has(kGlued);
  after_glued_ = access.has(kGlued);
  if (in_block || !context_->sieve->is_private(access)) return false;
  note_sieved(context_->trace, *context_->sieve, access, omitted_);
  ++context_->trace.events_recorded;
  return true;
}

void EventStream::append_range(const RawEvent& raw, Event event, std::uint64_t bytes) {
  if (bytes == 0 || bytes > kLongestRange || event.address > UINT64_MAX - bytes) {
    ++context_->malformed;
    return;
  }
  while (bytes != 0) {
    event.size = static_cast<std::uint32_t>(bytes <= UINT32_MAX ? bytes : kLargestSplit);
    if (!is_left_out(event)) keep(event, raw.counter);
    event.address += event.size;
    bytes -= event.size;
  }
}

} // namespace sooth::trace
