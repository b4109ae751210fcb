// Classes of sites: reads whose values only flow into stores. Every build has them.
//
//     lock(m); x = x + 1; unlock(m);      the read of x flows into the write of x, and nowhere else
//
// Question: which reads may return another value, without the thread going another way?
// Source: the pass follows each loaded value through its basic block (capture/pass/facts/
//   value_flows.h). A read without a class may decide anything.
// Where we differ: unlike static_facts.h, no event is recorded for it, and nothing is known but
//   this. So a class says nothing about a read of which the trace does not show every store that it
//   names (causality/dependence/flow_dependence.h).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace sooth::trace {

struct FlowStore {
  std::uint32_t site = 0;
  bool same_bytes = false; // it writes the bytes that were read; else always the same bytes in one activation
  friend bool operator==(const FlowStore&, const FlowStore&) = default;
};

// The class of a site with reads: of all reads of so many bytes at this site.
struct ValueFlow {
  std::uint32_t site = 0;
  std::uint32_t bytes = 0;
  bool is_update = false; // an atomic read-modify-write; the value flows into its own write alone
  // Code without hooks cannot read what these stores write: static variables whose address nobody
  // takes.
  bool out_of_reach = false;
  // Each of them follows in the same basic block, with no call and no synchronisation before it.
  std::vector<FlowStore> stores;
  friend bool operator==(const ValueFlow&, const ValueFlow&) = default;
};

struct ValueFlows {
  std::vector<ValueFlow> reads; // ascending sites
  std::uint32_t modules = 0;
  std::uint32_t modules_without = 0; // modules that have sites, but no classes
  std::uint32_t modules_unseen = 0;  // modules with code that has no hooks
  std::uint32_t modules_main = 0;    // modules that define main; 0: code without hooks runs the program
  // Numbers of names: functions with hooks, and functions that are called and may have none.
  std::vector<std::uint64_t> defined, called;

  // Whether all of the program's code has hooks, or is known to look at none of its memory. Other
  // code might read what a thread has written, and decide by it: then only classes out of its reach
  // count.
  bool sees_all_code() const;
  const ValueFlow* of(std::uint32_t site) const; // null: it decides

  friend bool operator==(const ValueFlows&, const ValueFlows&) = default;
};

// Adds a module's section (format.h). Row r of the module is site first_site + r; `sites` is their
// number. False, with nothing added, if it is malformed.
bool add_flows(std::span<const std::uint8_t> payload, std::uint32_t first_site, std::uint32_t sites, ValueFlows& all);
// For a module whose row 0 is site 1.
std::vector<std::uint8_t> flows_payload(const ValueFlows& flows);

} // namespace sooth::trace
