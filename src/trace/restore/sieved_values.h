// What becomes of values that a sieve leaves out together with the memory that they are stored in.
//
//     lock; opened = ++ticks; unlock      the value of `ticks` flows into `opened`
//                                         nobody else uses `opened`: this store is left out
//
// Question: which of the omitted stores may anybody look at? Such a store is missing in the trace,
//   so a value that flows into it may decide anything (docs/sliced.md, "Classes of sites").
// Source: the omitted reads. A store is looked at if a read that is omitted, too, sees it, unless
//   the read's class says that its value goes nowhere (it is printed, say). The sieve leaves out
//   memory that one thread uses or that creation and joining order, so every run has these pairs.
// Where we differ: by four bytes, and by the sites of stores: one store that is looked at stands
//   for all of its site.
// Cost: an omitted access costs a lookup for each 4 bytes, if something near was stored before; at
//   most kMostKnown stores are remembered, what comes after them counts as looked at.
#pragma once

#include <bitset>
#include <cstdint>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "trace/trace.h"

namespace sooth::trace {

class SievedValues {
public:
  // Before the events are read: the trace has its classes.
  void begin(const Trace& trace);
  // A sieve leaves the access, or a part of it, out of the trace. In the order of the run, or of
  // its thread if nobody else uses the memory. Notes in the trace which stores are looked at.
  void leave_out(Trace& trace, const Event& access);

private:
  static constexpr unsigned kNear = 6; // bits of an address
  static constexpr std::size_t kFilter = 1 << 16;

  void store(Trace& trace, const Event& write);
  void look_at(Trace& trace, std::uint32_t site) const;
  bool may_know(const Event& access) const;
  bool goes_nowhere(const Event& read) const;

  bool wanted_ = false;
  std::vector<bool> is_reached_;       // by site: stores that a read value may flow to
  std::vector<std::uint32_t> nowhere_; // by site: the bytes of loads whose values go nowhere; 0: others
  std::bitset<kFilter> near_;          // something is remembered there
  absl::flat_hash_map<std::uint64_t, std::uint32_t> stored_; // by address / 4: the site of the last such store
};

} // namespace sooth::trace
