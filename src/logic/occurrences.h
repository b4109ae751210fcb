// Which event predicates are true of which events of a trace.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "logic/property.h"
#include "trace/trace.h"

namespace sooth::logic {

// Walks along a trace once; remembers call stacks (for `return`) and where watched locks are.
class Occurrences {
public:
  Occurrences(const PropertyFile& file, const trace::Trace& trace);
  ~Occurrences();

  // Bit k: file.events[k] is true of trace.events[event]. Ask for every event, in ascending order.
  std::uint64_t of(std::size_t event);

private:
  struct Walk;
  std::unique_ptr<Walk> walk_;
};

// Functions in `call` and `return` of which only calls with recorded events inside are seen: the
// program was not compiled with -fsooth-property.
std::vector<std::string> partly_seen_calls(const PropertyFile& file, const std::vector<trace::Site>& sites);

} // namespace sooth::logic
