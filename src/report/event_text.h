// One event in words, as commands and reports print it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trace/address_names.h"
#include "trace/stack.h"
#include "trace/trace.h"

namespace sooth::report {

// Follows the trace, because a description depends on earlier events: the names of objects, the
// calls around an event.
class Narrator {
public:
  explicit Narrator(const trace::Trace& trace) : trace_(trace), names_(trace), stacks_(trace) {}

  // Takes the next event; the functions below then describe it. Events must come in order, without
  // gaps.
  void follow(std::size_t index);

  // Where it happened; for code in a system header, the place that called it.
  const trace::Site& place() const;
  std::string place_text() const; // "file.cpp:12", empty if unknown
  std::string function() const;
  // The source's name of the touched variable, or the name of the object at that address; empty if
  // neither is known.
  std::string variable() const;
  // Whether one of the variable's names matches. `*` stands for any letters, `?` for one.
  bool variable_matches(const std::string& glob) const;
  std::string value_text() const; // for people
  std::string name_of(std::uint64_t address) const { return names_.name(address); }
  const trace::AddressNames& names() const { return names_; }
  // The function that an exit leaves; if it leaves several, the outermost one.
  const trace::Site& left() const;
  // The calls around the event, outermost first.
  std::span<const trace::Frame> stack() const { return stacks_.stack(event().thread); }

private:
  const trace::Event& event() const { return trace_.events[index_]; }
  trace::Event shown_event() const; // of a request: the event that it waits for
  const trace::Site& own_site() const;

  const trace::Trace& trace_;
  trace::AddressNames names_;
  trace::StackWalker stacks_;
  std::size_t index_ = 0;
  std::uint32_t left_ = 0; // site
};

// Whether `address` of this kind of event is memory or an object in it.
bool has_address(trace::EventKind kind);
// The thread that the event names (fork, join, ...); false if it names none.
bool other_thread(const trace::Event& event, std::uint32_t& thread);
// Whether the program names events of this kind; then `address` is a string number.
bool is_named(trace::EventKind kind);
std::string string_at(const trace::Trace& trace, std::uint64_t number);
std::vector<std::string_view> flag_names(const trace::Event& event);
std::string lock_type_text(std::uint64_t type);
// "2" or "2 worker"
std::string thread_text(const trace::Trace& trace, std::uint32_t thread);
bool is_lock_event(trace::EventKind kind);
// Synchronisation that explains a schedule; not events that only describe memory, names and calls.
bool explains_schedules(trace::EventKind kind);

} // namespace sooth::report
