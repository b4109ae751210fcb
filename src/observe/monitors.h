// The properties' monitors over messages: they ride along on every run of the lattice, and on the
// observed one.
//
// Events are kept here while a run may still need them, under names that this class gives. An event
// that is only order (kind 0, a horizon) changes nothing, and monitors do not see it.
//
// Not for several threads at once: faults and letters are collected.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "explore/monitor_set.h"
#include "logic/property.h"
#include "observe/protocol.h"

namespace sooth::observe {

// The contents of a message, besides its order.
struct Happening {
  std::uint64_t position = 0;
  std::uint64_t happened = 0;
  std::uint32_t site = 0;
  std::uint8_t kind = 0;
  std::vector<VariableWrite> writes;
  bool is_silent() const { return kind == 0; }
};

// Where the runs of an epoch start: the values, and the monitors' states (empty: nothing yet).
struct RunState {
  std::vector<std::uint64_t> values;
  std::vector<logic::MonitorState> states;
};

class MessageMonitors : public explore::MonitorSet {
public:
  MessageMonitors(const logic::PropertyFile& file, RunState start);

  std::size_t monitors() const override { return watched_.size(); }
  std::size_t value_words() const override { return file_.variables.size(); }
  explore::Letter begin(std::span<std::uint64_t> values) const override;
  explore::Letter apply(explore::EventName event, std::span<std::uint64_t> values) const override;
  explore::Move start(std::size_t monitor, explore::Letter letter) const override;
  explore::Move step(std::size_t monitor, explore::MonitorState state, explore::Letter letter) const override;

  // The same for one happening that is not kept.
  explore::Letter apply(const Happening& happening, std::span<std::uint64_t> values) const;

  const RunState& start_state() const { return start_; }
  const logic::Property& property(std::size_t monitor) const { return file_.properties[watched_[monitor]]; }

  // The thread's events are kept by their index, 0, 1, 2, ..., in whatever order they come.
  explore::EventName keep(std::uint32_t thread, std::uint32_t index, Happening happening);
  const Happening& kept(explore::EventName event) const;
  // No run needs the thread's first `count` events any more.
  void forget(std::uint32_t thread, std::uint32_t count);

  const logic::Faults& faults() const { return faults_; }

private:
  explore::Letter letter(std::span<const std::uint64_t> values, std::uint64_t happened) const;
  std::uint64_t atoms(std::size_t monitor, explore::Letter letter) const;

  const logic::PropertyFile& file_;
  RunState start_;
  std::vector<std::size_t> watched_; // indexes of properties that have a monitor
  std::vector<unsigned> shift_;      // by monitor: where its atoms are in a letter, if all fit
  bool packed_ = true;
  mutable std::map<std::vector<std::uint64_t>, explore::Letter> letters_; // else, letters are numbers of these
  mutable std::vector<std::vector<std::uint64_t>> by_letter_;
  mutable logic::Faults faults_;

  std::map<std::uint32_t, std::map<std::uint32_t, Happening>> kept_; // by thread, by index
};

} // namespace sooth::observe
