#include "trace/summary.h"

#include <absl/container/btree_set.h>
#include <absl/container/flat_hash_map.h>

#include "trace/file/chunk_scan.h"

namespace sooth::trace {

void follow_threads(std::span<const Event> events, Trace& trace) {
  std::vector<Thread>& threads = trace.threads;
  const auto known = [&](std::uint64_t number) { return number < threads.size(); };
  for (const Event& e : events) {
    switch (e.kind) {
    case EventKind::Fork: // a child may have been stopped before its first event
      if (e.value == threads.size() && e.value < kMaxThreads) threads.push_back({{}, e.thread, false});
      else if (known(e.value) && e.value != e.thread) threads[e.value].parent = e.thread;
      break;
    case EventKind::ThreadStart:
      if (known(e.value)) threads[e.thread].parent = static_cast<std::uint32_t>(e.value);
      break;
    case EventKind::ThreadName: { // another thread may have given the name
      const std::uint64_t named = e.value == 0 ? e.thread : e.value - 1;
      if (known(named) && e.address < trace.strings.size()) threads[named].name = trace.strings[e.address];
      break;
    }
    case EventKind::ThreadEnd: threads[e.thread].ended = true; break;
    default: break;
    }
  }
}

void count_open_threads(Trace& trace) {
  const std::vector<Thread>& threads = trace.threads;
  // The main thread ends with its process, without an event of its own.
  for (std::size_t i = 0; i < threads.size(); ++i) {
    const bool open = !threads[i].ended && (i != 0 || trace.process.end == EndKind::Running);
    trace.defects[static_cast<unsigned>(Defect::OpenThreads)] += open;
  }
}

void count_spurious_wakes(Trace& trace) {
  struct Condition {
    absl::flat_hash_map<std::uint32_t, std::size_t> waits; // thread: position of its wait
    absl::btree_set<std::size_t> signals;                  // not given to a wake yet
    std::size_t broadcast = 0;                             // position + 1 of the last one
  };
  absl::flat_hash_map<std::uint64_t, Condition> conditions;
  for (std::size_t i = 0; i < trace.events.size(); ++i) {
    const Event& e = trace.events[i];
    if (object_of(e.kind) != ObjectKind::Condition) continue;
    Condition& condition = conditions[e.address];
    if (e.kind == EventKind::Wait) {
      condition.waits[e.thread] = i;
    } else if (e.kind == EventKind::Signal) {
      if (!condition.waits.empty()) condition.signals.insert(i);
    } else if (e.kind == EventKind::Broadcast) {
      condition.broadcast = i + 1;
    } else if (const auto wait = condition.waits.find(e.thread); wait != condition.waits.end()) {
      const std::size_t since = wait->second;
      condition.waits.erase(wait);
      if (!e.has(kFailed) && condition.broadcast <= since) {
        const auto signal = condition.signals.lower_bound(since);
        if (signal != condition.signals.end()) {
          condition.signals.erase(signal);
        } else {
          ++trace.defects[static_cast<unsigned>(Defect::SpuriousWakes)];
        }
      }
      if (condition.waits.empty()) condition.signals.clear();
    }
  }
}

} // namespace sooth::trace
