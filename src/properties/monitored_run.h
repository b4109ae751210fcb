// Feeds a trace's events to the knowledge vectors, one after the other.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "causality/computation/locations.h"
#include "explore/property_events.h"
#include "knowledge/heap_snapshots.h"
#include "knowledge/monitoring.h"
#include "knowledge/places.h"
#include "logic/property.h"
#include "trace/trace.h"

namespace sooth::properties {

class MonitoredRun {
public:
  // The compiled monitors with variables of this trace. `wrong`: why they cannot be used.
  MonitoredRun(const trace::Trace& trace, const logic::PropertyFile& file, std::string& wrong);

  // Processes the event: several events of the monitors, or none. Returns the monitors that have
  // just failed.
  knowledge::Word take(std::size_t event);

  const knowledge::Setup& setup() const { return setup_; }
  const knowledge::Thread* thread(std::uint32_t number) const { return threads_[number].state; }
  const explore::PropertyEvents& variables() const { return changes_; }
  // Knowledge travels through these bytes.
  bool follows(std::uint64_t address, std::uint64_t bytes) const;
  bool stopped() const { return stopped_; } // a variable was written with an unknown value
  const knowledge::Places& places() const { return places_; }
  knowledge::Faults faults() const;
  // Roles that no thread has had so far.
  std::vector<std::string> roles_without_thread() const;

private:
  using Memory = std::unique_ptr<knowledge::Word[]>;
  struct Touches; // a visitor of trace/effects.h
  struct Owned {
    Memory memory;
    knowledge::Thread* state = nullptr;
    bool detached = false, ended = false;
    bool inside = false;         // a function of the program's own is active
    std::vector<bool> functions; // by activation: one of its own
  };
  enum class Target : std::uint8_t { Variable, Lock, Object, Memory };

  void fill_variables(logic::PropertyFile& named);
  knowledge::Thread& of(std::uint32_t number, const knowledge::Thread* creator);
  knowledge::Carrier& carrier(Target target, std::uint64_t number) {
    return carriers_[static_cast<std::size_t>(target)][number];
  }
  void add(knowledge::Outcome outcome) { fresh_ |= outcome.fresh; }
  void write_object(knowledge::Thread& thread, Target target, std::uint64_t address);
  void read_object(knowledge::Thread& thread, Target target, std::uint64_t address);

  void memory(std::size_t event, knowledge::Thread& thread);
  void touch_variables(const trace::Event& event);
  void touch_pieces(std::size_t event);
  bool is_named(std::uint64_t address, std::uint64_t bytes) const;
  void forget(Target target, std::uint64_t first, std::uint64_t end);
  void forget_object(std::uint64_t address, std::uint64_t bytes);
  void watch(const trace::Event& event, knowledge::Thread& thread);
  bool synchronisation(const trace::Event& event, knowledge::Thread& thread);
  bool life(const trace::Event& event, knowledge::Thread& thread);
  void annotation(const trace::Event& event, knowledge::Thread& thread);
  void call(const trace::Event& event);
  std::string string(std::uint64_t number) const;

  const trace::Trace& trace_;
  knowledge::Setup setup_;
  knowledge::HeapSnapshots snapshots_;
  std::vector<knowledge::Word> block_, initial_, places_memory_;
  knowledge::Places places_;
  std::vector<Owned> threads_;
  std::map<std::uint64_t, knowledge::Carrier> carriers_[4]; // by target; they stay where they are
  std::vector<knowledge::Touch> touches_;                   // of the present access
  explore::PropertyEvents changes_;                         // of named variables
  std::size_t next_change_ = 0;
  std::vector<std::uint64_t> values_;               // of named variables, now
  std::vector<std::uint64_t> addresses_;            // of named variables, now; 0: not watched yet
  bool all_memory_ = false;                         // knowledge travels through every access
  std::unique_ptr<causality::Locations> locations_; // if accesses of different extents may overlap
  knowledge::Word roles_taken_ = 0;
  knowledge::Word fresh_ = 0;
  bool stopped_ = false;
};

} // namespace sooth::properties
