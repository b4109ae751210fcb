// The checker's own view of classes of sites (trace/program/value_flows.h): which reads of a trace
// may return another value, and which writes then write another one.
//
//     T2 read x, T2 write x (its class names this store)      free; the write follows the read
//     T2 read x, T2 release m                                 the store is missing: it decides
//
// Question: do all stores that the read's class names follow in its thread, before anything else
//   than plain accesses in full detail? Or are all stores known that its value may ever reach, and
//   can none of them be missing in the trace?
// Source: docs/sliced.md, "Classes of sites". (The engines look ahead from each read; this goes
//   once through each thread, with the reads that still wait for their stores.)
// Cost: an event costs the reads that wait.
#pragma once

#include <map>
#include <set>
#include <vector>

#include "trace/program/static_stores.h"
#include "trace/trace.h"
#include "witness/memory_map.h"

namespace sooth::witness::checking {

class FlowClasses {
public:
  FlowClasses(const trace::Trace& trace, const std::vector<std::vector<EventNumber>>& of_thread);

  bool is_free(EventNumber read) const { return free_.contains(read); }
  // It may flow into any later store of its thread at these sites.
  bool flows_later(EventNumber read) const { return later_.contains(read); }
  const std::vector<std::uint32_t>& later_sites(EventNumber read) const;
  // Afterwards a thread is alone, and its reads may have no events: no value may differ by then.
  bool leaves_alone(EventNumber event) const { return event < alone_.size() && alone_[event]; }
  // Stores of its thread may be missing between the event before and the next synchronisation.
  static bool may_hide_stores(const trace::Event& event);
  // An atomic update that is free: it writes what it makes of what it reads.
  bool is_update(EventNumber event) const;
  // The free reads that the written value depends on.
  const std::vector<EventNumber>& sources(EventNumber write) const;

private:
  struct Waiting {
    EventNumber read;
    std::vector<EventNumber> stores; // that were found
    std::set<std::size_t> missing;   // numbers of stores of its class
  };
  void follow(EventNumber event, std::vector<Waiting>& waiting);
  void find_later(const std::vector<EventNumber>& events);
  void find_alone();
  void find_settled();
  bool reaches_known_stores(std::size_t read) const;
  bool takes(Waiting& one, EventNumber event);
  bool is_in_variable(const trace::Event& event) const;
  bool stands_for_itself(const trace::Event& event) const;

  const trace::Trace& trace_;
  const bool sees_all_code_;                         // no code without hooks reads what the program writes
  const bool has_owners_;                            // what threads did in blocks that they owned has no events
  std::map<std::uint64_t, std::uint64_t> variables_; // by address: their last bytes
  const trace::StaticStores static_stores_;
  std::set<EventNumber> settled_; // stores into memory that nobody owns again
  std::set<EventNumber> free_, later_;
  std::vector<bool> alone_;                                 // by event
  std::vector<trace::ReachedStores> reached_;               // by class
  std::map<EventNumber, std::vector<EventNumber>> sources_; // by write
};

} // namespace sooth::witness::checking
