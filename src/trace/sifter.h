// Takes events from the threads' streams and hands on those that the sieve keeps.
//
//     enter f ; read a (32 bytes) ; exit f     bytes 0-7 and 16-23 kept: two reads, glued together
//                                              no byte kept: f disappears as well
//
// When events disappear,
//  - an access with only some bytes kept becomes an access of these bytes, or several glued ones;
//  - a glued block whose last event disappears ends with its last kept event;
//  - calls in which no event is kept disappear as well, as they do in the recorder;
//  - branches disappear: without the events around them they say nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "trace/file/event_stream.h"
#include "trace/sieve.h"
#include "trace/trace.h"

namespace sooth::trace {

class Sifter {
public:
  // Without a sieve, hands on every event as it is.
  Sifter(std::vector<EventStream>& streams, Trace& trace, Sieve* sieve)
      : streams_(streams), trace_(trace), sieve_(sieve), calls_(sieve == nullptr ? 0 : streams.size()) {}

  // Pops the stream's next event and calls put(event) for each part that is kept.
  template <typename Put>
  void take(std::size_t stream, Put&& put) {
    Event e = streams_[stream].peek()->event;
    if (sieve_ == nullptr) {
      streams_[stream].pop();
      put(e);
      return;
    }
    if (ends_early(stream, e)) e.flags &= static_cast<std::uint8_t>(~kGlued);
    streams_[stream].pop();
    ++trace_.events_recorded;
    sieve_->passes(e, trace_.bytes);
    out_.clear();
    sift(calls_[stream], e);
    // Copies, because put() may call take() again.
    if (out_.size() == 1) {
      const Event kept = out_.front();
      put(kept);
    } else if (!out_.empty()) {
      const std::vector<Event> out = out_;
      for (const Event& kept : out) put(kept);
    }
  }

private:
  // A thread's activations: those handed on, and above them the pending ones, which are handed on
  // before the first kept event inside them.
  struct Calls {
    std::uint64_t handed_on = 0;
    std::vector<Event> pending;
    bool omitted = false; // a held or merged access was left out since the last kept event
  };

  static bool is_plain_access(const Event& e) { return e.kind == EventKind::Read || e.kind == EventKind::Write; }
  // The event is glued to later ones of its block, and none of them is kept.
  bool ends_early(std::size_t stream, const Event& e);
  void sift(Calls& calls, const Event& e);
  void hand_on_parts(Calls& calls, const Event& e);
  void hand_on(Calls& calls, const Event& e);
  void leave(Calls& calls, const Event& exit);
  Event part_of(const Event& e, const KeptPart& part) const;

  std::vector<EventStream>& streams_;
  Trace& trace_;
  Sieve* sieve_;
  std::vector<Calls> calls_;
  std::vector<Event> out_;
  std::vector<KeptPart> parts_;
};

} // namespace sooth::trace
