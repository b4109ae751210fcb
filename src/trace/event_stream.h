// One thread's events, in program order, decoded chunk by chunk as they are asked for.
//
// A file holds a thread's slots in pieces: Events chunks and at most a few Live buffers, which may repeat what a chunk
// has already. Sorted by the number of their first slot they make up the stream; what is twice there is used once,
// what is not there is counted.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/chunk_scan.h"
#include "trace/metadata.h"
#include "trace/sieve.h"
#include "trace/trace.h"

namespace sooth::trace {

// An event with the counter that came with it: its exact place among ticketed events, a hint for others.
struct StampedEvent {
  Event event;
  std::uint64_t counter;
};

// What the streams of one file share.
struct DecodeContext {
  Trace& trace; // bytes, defects and notes grow while streams are read
  const SiteMap& sites;
  std::vector<RawEvent> slots;        // scratch
  std::vector<std::uint8_t> unpacked; // scratch
  std::uint64_t malformed = 0;        // events that mean nothing
  bool contents = true;               // keep what ranges hold
  const Sieve* sieve = nullptr;       // accesses that are private by its word are not even put into a stream

  void count(Defect defect, std::uint64_t n) { trace.defects[static_cast<unsigned>(defect)] += n; }
};

class EventStream {
public:
  EventStream(std::uint32_t thread, DecodeContext& context) : thread_(thread), context_(&context) {}

  std::uint32_t thread() const { return thread_; }
  void add_piece(const Chunk& chunk) { pieces_.push_back(&chunk); }
  // Sorts the pieces; call once, before reading. Returns an upper bound of the events to come.
  std::uint64_t start();

  // Event number `ahead` from here, or null if the stream has no so many. The pointer is good until the next call.
  const StampedEvent* peek(std::size_t ahead = 0);
  void pop() { ++head_; }

private:
  void decode_next_piece();
  bool unpack(const Chunk& chunk, std::uint64_t& slots);
  void append_events(std::uint64_t slots, std::uint64_t first_slot);
  void append_event(const RawEvent& raw, const std::uint8_t* payload);
  void append_range(const RawEvent& raw, Event event, std::uint64_t bytes);
  bool is_left_out(const Event& access);
  void drop_granted_requests(std::size_t from);

  std::uint32_t thread_;
  DecodeContext* context_;
  std::vector<const Chunk*> pieces_;
  std::size_t next_piece_ = 0;
  std::uint64_t next_slot_ = 0;         // slots before this one are in the stream, or were counted as missing
  std::vector<StampedEvent> held_back_; // from a request on of which it is not known yet whether it was granted
  std::vector<StampedEvent> buffer_;
  std::size_t head_ = 0;     // of buffer_
  bool after_glued_ = false; // the last access is glued to what comes next
};

} // namespace sooth::trace
