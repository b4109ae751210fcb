#include "logic/occurrences.h"

#include <string_view>

#include "logic/lookup.h"

namespace sooth::logic {

using trace::Event;
using trace::EventKind;

struct Occurrences::Walk {
  const PropertyFile& file;
  const trace::Trace& trace;
  std::vector<std::uint64_t> called; // by site of a function: predicates `call` that are about it
  std::vector<std::uint64_t> returned;
  std::vector<std::vector<std::uint32_t>> stacks; // by thread: sites of active functions
  struct WatchedLock {
    std::uint64_t address = 0, bytes = 0;
  };
  std::vector<WatchedLock> locks; // by predicate

  Walk(const PropertyFile& f, const trace::Trace& t)
      : file(f), trace(t), called(t.sites.size()), returned(t.sites.size()), stacks(t.threads.size()),
        locks(f.events.size()) {
    for (std::size_t site = 0; site < trace.sites.size(); ++site) {
      if ((trace.sites[site].flags & trace::kSiteFunction) == 0) continue;
      const std::string name = plain_function_name(trace.sites[site].function);
      for (std::size_t k = 0; k < file.events.size(); ++k) {
        const EventPredicate& p = file.events[k];
        if (!p.any && !same_function(name, p.name)) continue;
        if (p.what == EventClass::Call) called[site] |= std::uint64_t{1} << k;
        if (p.what == EventClass::Return) returned[site] |= std::uint64_t{1} << k;
      }
    }
  }

  std::string_view string(std::uint64_t number) const {
    return number < trace.strings.size() ? std::string_view(trace.strings[number]) : std::string_view();
  }

  std::uint64_t enter(const Event& e) {
    if (e.thread < stacks.size()) stacks[e.thread].push_back(e.site);
    return e.site < called.size() ? called[e.site] : 0;
  }

  // A longjmp or an exception may end several activations at once.
  std::uint64_t exit(const Event& e) {
    std::uint64_t result = 0;
    if (e.thread >= stacks.size()) return 0;
    std::vector<std::uint32_t>& stack = stacks[e.thread];
    for (; stack.size() > e.value; stack.pop_back())
      if (stack.back() < returned.size()) result |= returned[stack.back()];
    return result;
  }

  void watch(const Event& e) {
    const std::string_view name = string(e.value >> 32);
    for (std::size_t k = 0; k < file.events.size(); ++k)
      if (!file.events[k].watch_name.empty() && file.events[k].watch_name == name)
        locks[k] = {e.address, e.value & 0xffffffff};
  }

  bool is_lock(std::size_t k, std::uint64_t address) const {
    const EventPredicate& p = file.events[k];
    if (p.any) return true;
    if (!p.watch_name.empty()) return address - locks[k].address < locks[k].bytes;
    return address - p.address < p.size;
  }

  bool is_thread(const EventPredicate& p, const Event& e) const {
    if (p.any) return true;
    if (p.has_thread) return p.thread == e.thread;
    return e.thread < trace.threads.size() && trace.threads[e.thread].name == p.name;
  }

  // Predicates of one class for which `test` holds.
  template <typename Test>
  std::uint64_t each(EventClass what, Test test) const {
    std::uint64_t result = 0;
    for (std::size_t k = 0; k < file.events.size(); ++k)
      if (file.events[k].what == what && test(k, file.events[k])) result |= std::uint64_t{1} << k;
    return result;
  }

  std::uint64_t take(const Event& e) {
    switch (e.kind) {
    case EventKind::Enter: return enter(e);
    case EventKind::Exit: return exit(e);
    case EventKind::Watch: watch(e); return 0;
    case EventKind::Acquire:
    case EventKind::AcquireShared:
      if (e.has(trace::kFailed)) return 0;
      return each(EventClass::Acquire, [&](std::size_t k, const EventPredicate&) { return is_lock(k, e.address); });
    // A wait gives the mutex up and has it again when it wakes up.
    case EventKind::Wake:
      return each(EventClass::Acquire, [&](std::size_t k, const EventPredicate&) { return is_lock(k, e.value); });
    case EventKind::Wait:
      return each(EventClass::Release, [&](std::size_t k, const EventPredicate&) { return is_lock(k, e.value); });
    case EventKind::Release:
    case EventKind::ReleaseShared:
      return each(EventClass::Release, [&](std::size_t k, const EventPredicate&) { return is_lock(k, e.address); });
    case EventKind::ThreadStart:
      return each(EventClass::ThreadStart, [&](std::size_t, const EventPredicate& p) { return is_thread(p, e); });
    case EventKind::ThreadEnd:
      return each(EventClass::ThreadEnd, [&](std::size_t, const EventPredicate& p) { return is_thread(p, e); });
    case EventKind::User:
      return each(EventClass::User,
                  [&](std::size_t, const EventPredicate& p) { return p.any || string(e.address) == p.name; });
    default: return 0;
    }
  }
};

Occurrences::Occurrences(const PropertyFile& file, const trace::Trace& trace)
    : walk_(std::make_unique<Walk>(file, trace)) {}
Occurrences::~Occurrences() = default;

std::uint64_t Occurrences::of(std::size_t event) {
  return event < walk_->trace.events.size() ? walk_->take(walk_->trace.events[event]) : 0;
}

} // namespace sooth::logic
