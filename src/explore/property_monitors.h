// The monitors of a property file, ready to ride along: the effects of events on atoms, computed
// before the exploration.
//
// Most atoms depend on one variable, and most writes set all of it. For these the atom's new truth
// is a constant of the event. A node then carries one bit for each atom, and values only of the
// other variables.
// Cost: for an event, two operations on a word for each 64 atoms, and an evaluation for each other
//   atom it can change.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "explore/monitor_set.h"
#include "explore/property_events.h"
#include "logic/property.h"

namespace sooth::explore {

class PropertyMonitors : public MonitorSet {
public:
  // Monitors for all properties of the file but `liveness` ones; monitor k is properties()[k]. All
  // must outlive this. Events are named by their index in the trace.
  PropertyMonitors(const logic::PropertyFile& file, const PropertyEvents& events);

  const std::vector<const logic::Property*>& properties() const { return properties_; }
  const PropertyEvents& events() const { return events_; }
  // Evaluations so far of conditions that had no value in C. Constants of an event are evaluated
  // once.
  logic::Faults faults() const { return {divisions_by_zero_, wide_shifts_}; }

  std::size_t monitors() const override { return properties_.size(); }
  std::size_t value_words() const override { return bit_words_ + kept_variables_ + bound_variables_; }
  Letter begin(std::span<std::uint64_t> values) const override;
  Letter apply(EventName event, std::span<std::uint64_t> values) const override;
  Move start(std::size_t monitor, Letter letter) const override;
  Move step(std::size_t monitor, MonitorState state, Letter letter) const override;

private:
  struct Atom {
    const logic::Expression* expression = nullptr;
    std::vector<std::uint32_t> variables;
    bool on_events = false; // true only in the state after the event
    bool evaluated = false; // not worked out beforehand
  };
  // An event's effect on the precomputed atoms, and the other atoms that it can change.
  struct Change {
    std::vector<std::uint64_t> mask, bits; // a word for each 64 atoms
    std::vector<std::uint32_t> evaluate;   // atoms
    const RelevantEvent* event = nullptr;
  };

  void find_atoms();
  void choose_kept();
  void work_out();
  Letter letter_of(std::span<const std::uint64_t> bits) const;
  logic::Letter for_monitor(std::size_t monitor, Letter letter) const;
  void take_effect(const Effect& effect, std::span<std::uint64_t> values) const;
  bool holds(const Atom& atom, std::span<const std::uint64_t> all, std::uint64_t happened) const;
  bool evaluate(const Atom& atom, std::span<const std::uint64_t> values, std::uint64_t happened) const;

  const logic::PropertyFile& file_;
  const PropertyEvents& events_;
  std::vector<const logic::Property*> properties_;
  std::vector<Atom> atoms_;              // of all properties
  std::vector<std::size_t> first_atom_;  // by monitor
  std::vector<std::uint64_t> momentary_; // atoms on events: false as soon as something else happens
  std::vector<std::uint32_t> kept_at_;   // by variable: its word behind the bits, or kNotKept
  std::vector<std::uint32_t> bound_at_;  // by variable: the word of its binding, or kNotKept
  std::size_t bit_words_ = 1, kept_variables_ = 0, bound_variables_ = 0;
  std::vector<std::uint32_t> change_of_; // by event of the trace: index into changes_
  std::vector<Change> changes_;

  mutable std::atomic<std::uint64_t> divisions_by_zero_ = 0, wide_shifts_ = 0; // workers evaluate at the same time

  // Letters of more than 64 atoms are numbered.
  mutable std::mutex mutex_;
  mutable absl::flat_hash_map<std::vector<std::uint64_t>, Letter> numbers_;
  mutable std::vector<std::vector<std::uint64_t>> letters_;
};

} // namespace sooth::explore
