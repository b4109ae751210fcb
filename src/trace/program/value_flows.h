// Classes of sites: reads whose values only flow into stores. Every build has them.
//
//     lock(m); x = x + 1; unlock(m);      the read of x flows into the write of x, and nowhere else
//
// Question: which reads may return another value, without the thread going another way?
// Source: the pass follows each loaded value (capture/pass/facts/value_flows.h): within its basic
//   block to the stores that follow in any case, and through the whole function, its parameters and
//   its result to all stores that it may ever reach. A read without a class may decide anything.
// Where we differ: unlike static_facts.h, no event is recorded for it, and nothing is known but
//   this. So a class says nothing about a read of which the trace does not show the stores
//   (causality/dependence/flow_dependence.h).
#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <vector>

namespace sooth::trace {

struct FlowStore {
  std::uint32_t site = 0;
  bool same_bytes = false; // it writes the bytes that were read; else always the same bytes in one activation
  friend bool operator==(const FlowStore&, const FlowStore&) = default;
};

// A parameter of a function, or its result.
struct FlowSlot {
  bool local = false;         // `function` is a number of ValueFlows::local_functions, else that of a name
  std::uint64_t function = 0; //
  std::uint32_t slot = 0;     // 0: the result; n + 1: parameter n
  friend auto operator<=>(const FlowSlot&, const FlowSlot&) = default;
};

// All places where a value may go.
struct FlowSinks {
  std::vector<std::uint32_t> stores; // sites
  std::vector<FlowSlot> slots;
  bool decides = false;
  bool printed = false; // it goes to the standard streams, too
  friend bool operator==(const FlowSinks&, const FlowSinks&) = default;
};

// The class of a site with reads: of all reads of so many bytes at this site.
struct ValueFlow {
  std::uint32_t site = 0;
  std::uint32_t bytes = 0;
  bool is_update = false; // an atomic read-modify-write; the value flows into its own write
  // Code without hooks cannot read what these stores write: static variables whose address nobody
  // takes.
  bool out_of_reach = false;
  // Each of them follows in the same basic block, with no call and no synchronisation before it,
  // and the value goes nowhere else. Empty: not known (or, of an update, no other store).
  std::vector<FlowStore> stores;
  FlowSinks sinks = {.stores = {}, .slots = {}, .decides = true, .printed = false};
  friend bool operator==(const ValueFlow&, const ValueFlow&) = default;
};

// What is passed there may go to these places. All modules that know a slot list it.
struct PassedFlow {
  FlowSlot slot;
  FlowSinks sinks;
  friend bool operator==(const PassedFlow&, const PassedFlow&) = default;
};

struct ValueFlows {
  std::vector<ValueFlow> reads; // ascending sites
  std::vector<PassedFlow> passed;
  std::uint32_t modules = 0;
  std::uint32_t modules_without = 0;   // modules that have sites, but no classes
  std::uint32_t modules_unseen = 0;    // modules with code that has no hooks
  std::uint32_t modules_main = 0;      // modules that define main; 0: code without hooks runs the program
  std::uint32_t modules_redirects = 0; // modules that may redirect the standard streams
  std::uint64_t local_functions = 0;   // functions that only one module knows, in all modules
  // Numbers of names: functions with hooks, and functions that are called and may have none.
  std::vector<std::uint64_t> defined, called;

  // Whether all of the program's code has hooks, or is known to look at none of its memory. Other
  // code might read what a thread has written, and decide by it: then only classes out of its reach
  // count.
  bool sees_all_code() const;
  const ValueFlow* of(std::uint32_t site) const; // null: it decides

  friend bool operator==(const ValueFlows&, const ValueFlows&) = default;
};

// For each of `flows.reads`: all sites of stores that its value may reach, ascending, through any
// function of the program; or that it may decide something.
struct ReachedStores {
  bool decides = true;
  std::vector<std::uint32_t> sites;
};
std::vector<ReachedStores> reached_stores(const ValueFlows& flows);

// Adds a module's section (format.h). Row r of the module is site first_site + r; `sites` is their
// number. False, with nothing added, if it is malformed.
bool add_flows(std::span<const std::uint8_t> payload, std::uint32_t first_site, std::uint32_t sites, ValueFlows& all);
// For a module whose row 0 is site 1.
std::vector<std::uint8_t> flows_payload(const ValueFlows& flows);

} // namespace sooth::trace
