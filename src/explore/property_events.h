// The meaning of a trace's events for the properties of a file: which are relevant, and what each
// changes.
//
//     property p: x > 0 -> y > 0
//     T1 write x = 1   relevant: x becomes 1
//     T1 write z = 2   not relevant
//     T2 acquire m     not relevant, unless the file names acquire(m)
//
// Question: which events can the properties see, and what are the values of their variables before
//   and after each?
// Source: JMPaX online, sections 2.3 and 4.1: a write of a relevant variable is a relevant event.
//   Events that property files name are relevant, too.
// Cost: one pass over the trace.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "causality/models/model.h"
#include "logic/property.h"
#include "trace/trace.h"

namespace sooth::explore {

// A watched variable is where the last `watch` event of its name said; that place is one of its
// bindings, from 1.
inline constexpr std::uint32_t kAnyBinding = 0;

// value = (value & ~mask) | bits, if the variable has this binding.
struct Effect {
  std::uint32_t variable = 0;
  std::uint32_t binding = kAnyBinding;
  std::uint32_t binds = 0; // a `watch` event: the binding that it makes
  std::uint64_t mask = 0;
  std::uint64_t bits = 0;
};

struct RelevantEvent {
  causality::EventIndex event = 0;
  std::uint64_t happened = 0; // bit k: PropertyFile::events[k] is true of it
  std::uint32_t first_effect = 0;
  std::uint32_t effects = 0;
};

struct PropertyEvents {
  std::vector<RelevantEvent> events; // in the order of the trace
  std::vector<Effect> effects;
  std::vector<std::uint64_t> initial; // by variable: before the first event
  std::vector<std::string> assumed;   // variables whose initial value is unknown: taken to be zero
  std::uint64_t external_writes = 0;  // relevant ones: their exact time is unknown
  bool cut_short = false;             // a relevant write's contents are not known: what follows it is left out

  causality::Relevance relevance() const;
};

PropertyEvents property_events(const logic::PropertyFile& file, const trace::Trace& trace);

} // namespace sooth::explore
