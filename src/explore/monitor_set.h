// The passengers of every run: the program state that the properties can see, and their monitors.
//
// Explorers know nothing of variables, formulas or messages. They carry `value_words()` words for
// each node, hand them to `apply` with each visible event, and step every monitor on the letter
// that comes back. `property_monitors.h` makes one from property files; tests and benchmarks make
// their own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace sooth::explore {

// Names an event to the monitor set: its index in the trace, or any number that an observer gave
// it.
using EventName = std::uint64_t;
// All that monitors can see of one state. Equal letters mean the same to every monitor.
using Letter = std::uint64_t;
using MonitorState = std::uint64_t;

struct Move {
  MonitorState state = 0;
  bool violated = false; // here, in the state just reached, the property fails
};

class MonitorSet {
public:
  virtual ~MonitorSet() = default;

  virtual std::size_t monitors() const = 0;
  virtual std::size_t value_words() const = 0;

  // All functions may be called from several threads at once.

  // The values before the first event, and their letter.
  virtual Letter begin(std::span<std::uint64_t> values) const = 0;
  // The event happens: changes the values; the letter of the state that is reached.
  virtual Letter apply(EventName event, std::span<std::uint64_t> values) const = 0;

  virtual Move start(std::size_t monitor, Letter letter) const = 0;
  virtual Move step(std::size_t monitor, MonitorState state, Letter letter) const = 0;
};

} // namespace sooth::explore
