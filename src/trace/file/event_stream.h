// One thread's events, in program order, decoded chunk by chunk on demand.
//
//     Events chunk: slots 0-999    Events chunk: slots 1000-1999    Live buffer: slots 1990-2010
//     the stream: 0 ... 2010; the slots 1990 to 1999 are used once
//
// A file holds a thread's slots in pieces: Events chunks and at most a few Live buffers, which may
// repeat slots of a chunk. Sorted by the number of their first slot they make up the stream.
// Repeated slots are used once. Where slots are missing, the stream ends, and the rest is counted.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/file/chunk_scan.h"
#include "trace/file/metadata.h"
#include "trace/restore/moves.h"
#include "trace/sieve.h"
#include "trace/trace.h"

namespace sooth::trace {

// An event with the counter that came with it: its exact place among ticketed events, a hint for
// others.
struct StampedEvent {
  Event event;
  std::uint64_t counter;
};

inline constexpr std::uint64_t kNoEnd = ~std::uint64_t{0};

// Shared by the streams of one file.
struct DecodeContext {
  Trace& trace; // bytes, defects and notes grow while streams are read
  const SiteMap& sites;
  TraceBytes& file;
  std::vector<std::uint8_t> body;     // scratch
  std::vector<RawEvent> slots;        // scratch
  std::vector<std::uint8_t> unpacked; // scratch
  std::uint64_t malformed = 0;        // events that this version cannot read
  bool contents = true;               // keep the contents of ranges
  std::uint64_t last_number = kNoEnd; // events with a larger one are left out (restore/gaps.h) ...
  std::uint64_t behind_last = 0;      // ... and counted
  bool ends_there = false;            // ... or a thread is over at the first of them: the beginning of a whole trace
  std::uint64_t slots_read = 0;       // that are not left out for that
  const Moves* moves = nullptr;       // ends of ownership, if there are any
  Sieve* sieve = nullptr;             // accesses that it calls private do not enter a stream

  void count(Defect defect, std::uint64_t n) { trace.defects[static_cast<unsigned>(defect)] += n; }
};

class EventStream {
public:
  EventStream(std::uint32_t thread, DecodeContext& context) : thread_(thread), context_(&context) {
    if (context.moves != nullptr) moves_ = MovesOfThread(*context.moves, thread);
  }

  std::uint32_t thread() const { return thread_; }
  void add_piece(const Chunk& chunk) { pieces_.push_back(&chunk); }
  // Sorts the pieces; call once, before reading. Returns an upper bound of the events to come.
  std::uint64_t start();

  // The event `ahead` places from here, or null if the stream has fewer. The pointer is good until
  // the next call.
  const StampedEvent* peek(std::size_t ahead = 0);
  void pop() { ++head_; }
  // Pops all events that are decoded, into `events`; at least one, unless the stream is over: then
  // false.
  bool take(std::vector<StampedEvent>& events);
  // After start(): the slots of the pieces follow each other. Each may still be damaged inside.
  bool is_whole() const { return is_whole_; }
  // The number of the last event in a chunk; 0 if it has none.
  static std::uint64_t last_number_in(const Chunk& chunk, DecodeContext& context);
  // The stream ends early: the file has later slots of the thread, but not the next ones.
  bool has_gap() const { return has_gap_; }
  // f(event) for each event that was decoded and not popped.
  template <typename F>
  void each_waiting(F&& f) {
    for (std::size_t i = head_; i < buffer_.size(); ++i) f(buffer_[i].event);
    for (StampedEvent& e : held_back_) f(e.event);
  }

private:
  void decode_next_piece();
  void end_here(const Chunk& chunk, std::uint64_t slots);
  bool unpack(const Chunk& chunk, std::uint64_t& slots);
  void append_events(std::uint64_t slots, std::uint64_t first_slot);
  void append_event(const RawEvent& raw, const std::uint8_t* payload);
  void append_range(const RawEvent& raw, Event event, std::uint64_t bytes);
  void keep(Event event, std::uint64_t counter);
  bool is_left_out(const Event& access);
  void append_moves(const Event& next, std::uint64_t counter, std::uint64_t bytes);
  void append_last_moves();
  void insert_gives();
  template <typename IsOfSort>
  std::size_t before_last(IsOfSort&& is_of_sort, std::uint64_t counter);
  void drop_granted_requests(std::size_t from);

  std::uint32_t thread_;
  DecodeContext* context_;
  std::vector<const Chunk*> pieces_;
  std::size_t next_piece_ = 0;
  std::uint64_t next_slot_ = 0;         // slots before this one are in the stream, or were counted as missing
  std::vector<StampedEvent> held_back_; // from the last request on, until the next chunk shows whether it was granted
  std::vector<StampedEvent> buffer_;
  std::size_t head_ = 0;     // of buffer_
  bool omitted_ = false;     // a held or merged access was left out since the last kept event
  bool after_glued_ = false; // the last access is glued to the next event
  bool is_whole_ = true, has_gap_ = false, has_last_moves_ = false;
  MovesOfThread moves_;
  std::vector<MovesOfThread::Given> gives_; // scratch
  std::vector<Event> takes_;                // scratch
};

} // namespace sooth::trace
