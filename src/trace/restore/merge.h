// Merges the threads' streams by counter.
//
//     T1: write (3)  release (ticket 4)          order: 3 write, ticket 4, ticket 5, 5 read
//     T2: acquire (ticket 5)  read (5)
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <queue>
#include <vector>

#include "trace/file/event_stream.h"

namespace sooth::trace {

// Hands out the threads in the order of their next events: by counter, at the same counter the
// ticketed one first (a reading of c was taken after ticket c), then by number.
class MergeQueue {
public:
  MergeQueue(std::vector<EventStream>& streams, bool frozen)
      : streams_(streams), frozen_(frozen), state_(streams.size()) {
    for (std::size_t i = 0; i < streams.size(); ++i) push(i);
  }

  // Calls step(stream) for each event in order; step must pop it. Returns early if pause() returns
  // true, and can be called again; ends for good if stop(), called now and then, returns true.
  // True: no more events will come.
  template <typename Pause, typename Step>
  bool run(const std::function<bool()>& stop, Pause&& pause, Step&& step) {
    while (!queue_.empty()) {
      const Key key = queue_.top();
      if (key.version == state_[key.stream].version && pause()) return false;
      queue_.pop();
      if (key.version != state_[key.stream].version) continue;
      for (;;) {
        if (++steps_ % kBetweenQuestions == 0 && stop && stop()) {
          queue_ = {};
          return true;
        }
        step(key.stream);
        const StampedEvent* next = streams_[key.stream].peek();
        if (next == nullptr) break;
        const Key next_key = key_of(key.stream, *next);
        if ((!queue_.empty() && queue_.top() < next_key) || pause()) {
          queue_.push(next_key);
          break;
        }
      }
    }
    return true;
  }

  // A repair has taken events of this stream, so its next event is another one. Not for the stream
  // in step().
  void moved(std::size_t stream) {
    ++state_[stream].version;
    push(stream);
  }

private:
  static constexpr std::uint64_t kBetweenQuestions = 16'384; // events
  struct Key {
    std::uint64_t counter;
    bool plain;
    std::size_t stream;
    std::uint64_t version;
    bool operator<(const Key& other) const {
      if (counter != other.counter) return counter < other.counter;
      return plain != other.plain ? !plain : stream < other.stream;
    }
    bool operator>(const Key& other) const { return other < *this; }
  };
  struct State {
    std::uint64_t counter = 0; // in a damaged file, counters may go back; this one then stays
    std::uint64_t version = 0;
  };

  Key key_of(std::size_t stream, const StampedEvent& e) {
    State& state = state_[stream];
    state.counter = std::max(state.counter, e.counter);
    return {state.counter, !frozen_ && !e.event.has(kTicket), stream, state.version};
  }
  void push(std::size_t stream) {
    if (const StampedEvent* next = streams_[stream].peek()) queue_.push(key_of(stream, *next));
  }

  std::vector<EventStream>& streams_;
  bool frozen_;
  std::vector<State> state_;
  std::priority_queue<Key, std::vector<Key>, std::greater<>> queue_;
  std::uint64_t steps_ = 0;
};

} // namespace sooth::trace
