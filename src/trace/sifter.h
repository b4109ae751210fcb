// Takes events from the threads' streams and hands on what the sieve keeps.
//
// Three things have to be seen to when events disappear:
//  - an access of which only some bytes are kept becomes an access of these, or several that are glued together;
//  - a glued block whose last event disappears ends with the last one that is kept;
//  - calls in which nothing is kept disappear as well, as they do in the recorder.
// Branches say nothing without the events around them, so they go, too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "trace/event_stream.h"
#include "trace/sieve.h"
#include "trace/trace.h"

namespace sooth::trace {

class Sifter {
public:
  // Without a sieve everything is handed on as it is.
  Sifter(std::vector<EventStream>& streams, Trace& trace, Sieve* sieve)
      : streams_(streams), trace_(trace), sieve_(sieve), calls_(sieve == nullptr ? 0 : streams.size()) {}

  // Pops the stream's next event and calls put(event) for what is kept of it.
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
    // Copies: putting one may take others.
    if (out_.size() == 1) {
      const Event kept = out_.front();
      put(kept);
    } else if (!out_.empty()) {
      const std::vector<Event> out = out_;
      for (const Event& kept : out) put(kept);
    }
  }

private:
  // Activations of a thread: those that were handed on, and above them those that are handed on when something in them is.
  struct Calls {
    std::uint64_t handed_on = 0;
    std::vector<Event> pending;
  };

  static bool is_plain_access(const Event& e) { return e.kind == EventKind::Read || e.kind == EventKind::Write; }
  // The event is glued to others of its block, and none of them is kept.
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
