// The messages between two checkpoints, and the lattice of the runs that they allow.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "base/result.h"
#include "explore/lattice.h"
#include "observe/monitors.h"
#include "observe/protocol.h"

namespace sooth::observe {

class Epoch {
public:
  // `threads`: those that exist at the start, as the checkpoint listed them; empty in the first
  // epoch, which begins with thread 0 alone.
  Epoch(const logic::PropertyFile& file, RunState start, const explore::Options& options,
        std::span<const ThreadAt> threads);

  // Each in any order, and as often as they come. True: it is new. An error: it contradicts earlier
  // messages.
  Result<bool> add(const EventMessage& message);
  Result<bool> add(const ForkMessage& message);
  Result<bool> add(const EndMessage& message);
  Result<bool> add(const WaitsMessage& message);

  // Expands the lattice as far as the messages allow, by at most so many levels, and forgets what
  // no run needs any more. Returns whether a level was finished.
  bool advance(std::uint64_t levels = UINT64_MAX);
  // Lattice::look_ahead.
  std::optional<std::set<std::uint32_t>> look_ahead(std::size_t most) { return lattice_.look_ahead(most); }
  // Nothing more will come.
  void finish();
  // Whether all messages that the checkpoint speaks of have come.
  bool has_all(std::span<const ThreadAt> threads) const;

  const explore::Exploration& result() const { return lattice_.result(); }
  const MessageMonitors& monitors() const { return monitors_; }
  // Events that no run reached, because something before them is missing. (Without a monitor the
  // lattice looks at none.)
  std::uint64_t unreached() const { return monitors_.monitors() != 0 ? lattice_.unreached() : 0; }
  std::uint64_t bytes() const { return lattice_.bytes(); }

private:
  // Which messages of a thread have come: all before `next`, and some beyond.
  struct Received {
    std::uint64_t next = 0;
    std::set<std::uint64_t> beyond;
    std::uint64_t shift = 0; // messages that this class put before them
  };
  std::optional<Error> check(const Place& place) const;
  bool is_new(const Place& place) const;
  Result<bool> take(const Place& place, explore::Message message);
  void put(explore::Message message);

  MessageMonitors monitors_;
  explore::Lattice lattice_; // after the monitors, which it uses
  std::map<std::uint32_t, Received> received_;
  std::set<std::uint32_t> with_events_; // threads that have sent some
  std::uint64_t since_forgotten_ = 0;
};

} // namespace sooth::observe
