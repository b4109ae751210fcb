// Which signal handlers a thread is in, at each event of the trace.
//
//     T1 signal-enter, T1 enter on_signal, T1 write x, T1 exit, T1 signal-exit
//     at the write, T1 is in the handler that the first event began
//
// A handler ends where its function is left, also by siglongjmp; one that is not instrumented has
// no function here.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/trace.h"

namespace sooth::predict {

struct RunningHandler {
  std::uint32_t signal = 0;           // its signal-enter
  std::uint64_t depth = 0;            // of the calls that it interrupted
  bool asynchronous = false;          // it may come at any time
  bool entered = false, left = false; // its function
  bool is_inside() const { return entered && !left; }
};

class RunningHandlers {
public:
  explicit RunningHandlers(const trace::Trace& trace) : trace_(trace), threads_(trace.threads.size()) {}

  // For every event, in the trace's order. A handler's last event is still in it.
  void follow(std::uint32_t event) {
    const trace::Event& e = trace_.events[event];
    Thread& t = threads_[e.thread];
    if (t.ending) t.handlers.pop_back();
    t.ending = false;
    switch (e.kind) {
    case trace::EventKind::SignalEnter:
      t.handlers.push_back({event, t.depth, !e.has(trace::kFill) && event >= trace_.standing, false, false});
      return;
    case trace::EventKind::SignalExit: t.ending = !t.handlers.empty(); return;
    case trace::EventKind::Enter:
      ++t.depth;
      if (!t.handlers.empty()) t.handlers.back().entered = true;
      return;
    case trace::EventKind::Exit:
      t.depth = e.value;
      // By siglongjmp it may leave several at once, and no signal-exit follows.
      while (!t.handlers.empty() && t.handlers.back().depth > t.depth) t.handlers.pop_back();
      if (!t.handlers.empty() && t.handlers.back().depth == t.depth) t.handlers.back().left = true;
      return;
    default: return;
    }
  }

  // The innermost one of the thread; null: none.
  const RunningHandler* of(std::uint32_t thread) const {
    const Thread& t = threads_[thread];
    return t.handlers.empty() ? nullptr : &t.handlers.back();
  }

private:
  struct Thread {
    std::uint64_t depth = 0; // of calls
    std::vector<RunningHandler> handlers;
    bool ending = false; // the innermost one ends behind the present event
  };

  const trace::Trace& trace_;
  std::vector<Thread> threads_;
};

} // namespace sooth::predict
