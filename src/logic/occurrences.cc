#include "logic/occurrences.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "logic/names/lookup.h"
#include "trace/effects.h"

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
  std::vector<std::string_view> first_names,
      names; // by thread: the first one that it is ever given, and the one it has now

  Walk(const PropertyFile& f, const trace::Trace& t)
      : file(f), trace(t), called(t.sites.size()), returned(t.sites.size()), stacks(t.threads.size()),
        locks(f.events.size()), first_names(t.threads.size()), names(t.threads.size()) {
    // A thread gets its name after it has started; so only the whole trace says which start is
    // meant.
    for (const Event& e : trace.events)
      if (std::string_view* name = e.kind == EventKind::ThreadName ? name_of(first_names, e) : nullptr)
        if (name->empty()) *name = string(e.address);
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

  // Of the thread that a thread-name event names; null if there is none.
  static std::string_view* name_of(std::vector<std::string_view>& names, const Event& e) {
    const std::uint64_t named = e.value == 0 ? e.thread : e.value - 1;
    return named < names.size() ? &names[named] : nullptr;
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

  bool is_thread(const EventPredicate& p, const Event& e, const std::vector<std::string_view>& its_names) const {
    if (p.any) return true;
    if (p.has_thread) return p.thread == e.thread;
    if (e.thread >= its_names.size()) return false;
    // A trace from elsewhere has names without events that give them.
    const std::string_view name = its_names[e.thread].empty() ? trace.threads[e.thread].name : its_names[e.thread];
    return !name.empty() && name == p.name;
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
    case EventKind::ThreadName:
      if (std::string_view* name = name_of(names, e)) *name = string(e.address);
      return 0;
    case EventKind::ThreadStart:
      return each(EventClass::ThreadStart,
                  [&](std::size_t, const EventPredicate& p) { return is_thread(p, e, first_names); });
    case EventKind::ThreadEnd:
      return each(EventClass::ThreadEnd, [&](std::size_t, const EventPredicate& p) { return is_thread(p, e, names); });
    case EventKind::User:
      return each(EventClass::User,
                  [&](std::size_t, const EventPredicate& p) { return p.any || string(e.address) == p.name; });
    default: return lock_move(e);
    }
  }

  // A wait gives the mutex up and has it again when it wakes up.
  std::uint64_t lock_move(const Event& e) const {
    std::uint64_t result = 0;
    const auto moves = [&](EventClass what) {
      return [&, what](const trace::Affected& lock) {
        result = each(what, [&](std::size_t k, const EventPredicate&) { return is_lock(k, lock.address); });
      };
    };
    for_lock_move(e, moves(EventClass::Acquire), moves(EventClass::Release));
    return result;
  }
};

Occurrences::Occurrences(const PropertyFile& file, const trace::Trace& trace)
    : walk_(std::make_unique<Walk>(file, trace)) {}
Occurrences::~Occurrences() = default;

std::uint64_t Occurrences::of(std::size_t event) {
  return event < walk_->trace.events.size() ? walk_->take(walk_->trace.events[event]) : 0;
}

std::vector<std::string> partly_seen_calls(const PropertyFile& file, const std::vector<trace::Site>& sites) {
  std::set<std::string> names;
  const auto is_call = [](const EventPredicate& p) {
    return p.what == EventClass::Call || p.what == EventClass::Return;
  };
  if (std::ranges::none_of(file.events, is_call)) return {};
  for (const trace::Site& site : sites) {
    if ((site.flags & trace::kSiteFunction) == 0 || (site.flags & (trace::kSiteCall | trace::kSiteSystem)) != 0)
      continue;
    const std::string name = plain_function_name(site.function);
    for (const EventPredicate& p : file.events)
      if (is_call(p) && (p.any || same_function(name, p.name))) names.insert(p.any ? "*" : p.name);
  }
  return {names.begin(), names.end()};
}

} // namespace sooth::logic
