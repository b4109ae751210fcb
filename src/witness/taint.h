// Which values of a run may differ from the trace: the checker's own account of them, for the model
// `full`.
//
//     T2 read x sees 0, in the trace 1        the load is tainted
//     T2 write y = x + 1                      its source is that load: tainted
//     T2 branch on y                          misled: the witness is rejected
//
// Question: at this moment of the run, has something changed that this event depends on?
// Source: docs/sliced.md, the definition of a run of `full`; trace/static_facts.h defines facts. A
//   trace without them may have classes of sites (flow_classes.h): then every read decides that is
//   not free.
// Where we differ: it goes forwards with the run, as the program would: a stack of activations for
//   each thread, and in each the results of its loads and calls, as one bit, tainted or not. (The
//   engines have graphs and go backwards; nothing is shared with them.)
// Cost: an event costs the sources of its site.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "trace/trace.h"
#include "witness/flow_classes.h"
#include "witness/memory_map.h"

namespace sooth::witness::checking {

class Taint {
public:
  Taint(const trace::Trace& trace, const std::vector<std::vector<EventNumber>>& of_thread,
        const std::vector<std::uint32_t>& place);

  bool applies() const { return applies_; } // the trace has what this needs
  bool has_facts() const { return applies_ && !classes_; }
  void reset();

  // Whether something that leads to the event is tainted: then it is not known that it happens, or
  // where.
  bool misled(EventNumber event) const;
  // ... or that its thread goes on as it did, given that the event reads something that is tainted.
  bool misleads(EventNumber event, bool reads_tainted) const;
  // The event happens. Returns whether what it writes is tainted.
  bool apply(EventNumber event, bool reads_tainted);

private:
  struct Given {
    bool latest = false;
    bool every = false; // any of them
  };
  struct Frame {
    std::uint32_t function = 0xffffffff;
    std::uint32_t call_site = 0;
    bool caller_known = false;
    std::vector<bool> parameters;
    std::map<std::uint32_t, Given> loads, results; // by site
  };
  struct Thread {
    std::vector<Frame> frames;
    bool anything = false;                // some read was tainted
    std::map<std::uint32_t, bool> copied; // by site: what a copy has read since it last wrote
    std::map<std::uint32_t, bool> wrote;  // by site: the copy's last event was a write
    std::set<EventNumber> tainted;        // free reads
    std::set<std::uint32_t> reached;      // sites of stores into which tainted values may flow
  };

  bool apply_by_class(EventNumber event, bool reads_tainted);
  bool of(trace::SourceSet set, const Thread& thread) const;
  bool arguments(const trace::SiteFacts& facts, const Thread& thread) const;
  bool is_copy(const trace::SiteFacts& facts, std::uint32_t site) const;
  bool is_followed_by_its_activation(EventNumber event) const;
  bool enters_what_is_named(const trace::Event& enter) const;
  std::uint32_t function_at(std::uint32_t site) const;
  void enter(const trace::Event& event, Thread& thread);
  static void give(std::map<std::uint32_t, Given>& to, std::uint32_t site, bool tainted);

  const trace::Trace& trace_;
  const trace::StaticFacts& facts_;
  const std::vector<std::vector<EventNumber>>& of_thread_;
  const std::vector<std::uint32_t>& place_;
  std::shared_ptr<const FlowClasses> classes_; // of a trace without facts
  const bool applies_;
  std::map<std::uint32_t, std::uint32_t> functions_; // by site
  std::vector<Thread> threads_;
};

} // namespace sooth::witness::checking
