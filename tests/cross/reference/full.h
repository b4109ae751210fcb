// The model `full`, written plainly from its definition (docs/sliced.md), for small traces. Linked only into tests.
//
// A relation says what events depend on, event by event; nothing is derived here. States are enumerated forwards: each has the
// values that may be other ones than in the trace.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "reference/reference.h"
#include "trace/trace.h"

namespace sooth::reference {

// By event: reads of its own thread before it.
struct Relation {
  std::vector<std::set<EventNumber>> leads; // on these it depends that it happens, and where: addresses, conditions
  std::vector<std::set<EventNumber>>
      writes;             // on these it depends what it writes; a read-modify-write's own read is not named
  std::vector<bool> used; // what it reads goes where nobody sees it
};

struct FullState {
  State state;
  std::set<std::uint64_t> tainted_bytes;
  std::set<EventNumber> tainted_reads;
  friend auto operator<=>(const FullState&, const FullState&) = default;
};

class FullReference {
public:
  // `step_of_event`: events of one thread with the same number, one after the other, happen at once.
  FullReference(const trace::Trace& trace, const Relation& relation, std::vector<std::uint32_t> step_of_event);

  // Monitors look at what these write and read.
  void look_at(std::set<EventNumber> events) { looked_at_ = std::move(events); }

  std::set<FullState> states() const;
  // Definition 4, with addresses that are certain.
  std::set<Reference::Pair> races(const std::set<FullState>& states) const;

private:
  bool step(FullState& state, std::uint32_t thread) const; // false: it may not follow
  bool event(FullState& state, EventNumber number) const;
  bool leads(const FullState& state, EventNumber number) const;

  const trace::Trace& trace_;
  const Relation& relation_;
  const std::vector<std::uint32_t> step_of_event_;
  const Reference reference_;
  std::set<EventNumber> looked_at_;
};

} // namespace sooth::reference
