// What a trace's events mean to the properties of a file: which are relevant, and what each changes.
//
// Question: which events can the properties see, and what are the values of their variables before and after each?
// Source: JMPaX online, section 4: a write of a relevant variable is a relevant event; to these
// come the events that property files name. Cost: one pass over the trace.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "causality/models/model.h"
#include "logic/property.h"
#include "trace/trace.h"

namespace sooth::explore {

// A watched variable is where the last `watch` event of its name said; that place is one of its bindings, from 1.
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
  std::vector<std::string> assumed;   // variables whose initial value nobody saw: taken to be zero
  std::uint64_t external_writes = 0;  // relevant ones: nobody knows when exactly they happened
  bool cut_short = false;             // a relevant write's contents are not known: what follows it is left out

  causality::Relevance relevance() const;
};

PropertyEvents property_events(const logic::PropertyFile& file, const trace::Trace& trace);

} // namespace sooth::explore
