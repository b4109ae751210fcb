// Merging the threads' streams by counter.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <queue>
#include <vector>

#include "trace/event_stream.h"

namespace sooth::trace {

// Hands out the threads in the order of their next events: by counter, at the same counter the ticketed one first
// (a reading of c was taken after ticket c), then by number.
class MergeQueue {
public:
  MergeQueue(std::vector<EventStream>& streams, bool frozen)
      : streams_(streams), frozen_(frozen), state_(streams.size()) {
    for (std::size_t i = 0; i < streams.size(); ++i) push(i);
  }

  // Calls step(stream) for each event in order; step must pop it. Ends early if stop() says so, which is asked now and then.
  template <typename Step>
  void run(const std::function<bool()>& stop, Step&& step) {
    std::uint64_t steps = 0;
    while (!queue_.empty()) {
      const Key key = queue_.top();
      queue_.pop();
      if (key.version != state_[key.stream].version) continue;
      for (;;) {
        if (++steps % kBetweenQuestions == 0 && stop && stop()) return;
        step(key.stream);
        const StampedEvent* next = streams_[key.stream].peek();
        if (next == nullptr) break;
        const Key next_key = key_of(key.stream, *next);
        if (!queue_.empty() && queue_.top() < next_key) {
          queue_.push(next_key);
          break;
        }
      }
    }
  }

  // The stream's next event is another one than run() thinks, because a repair took some. Not for the one in step().
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
    std::uint64_t counter = 0; // of a damaged file they may go back; then they stand still
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
};

} // namespace sooth::trace
