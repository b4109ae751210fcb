// A replay: the real program, forced to follow a script (docs/replay.md).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/launch.h"
#include "replay/script.h"

namespace sooth::cli {

struct ReplayOptions {
  replay::Then then = replay::Then::Stop;
  std::uint32_t first = 0;                        // after a race: which of the two goes on first
  double watchdog = 10;                           // seconds in which nothing happens
  double most = 0;                                // seconds for all of it; 0: as many as it takes
  bool silent = false;                            // the program's output is thrown away
  bool gdb = false;                               // under gdb, which stops at the point
  bool step = false;                              // shows each event (stepping.h)
  const replay::RecordedInputs* inputs = nullptr; // what the program gets from outside; null: what is there now
};

struct ReplayFrame {
  std::string function, file;
  std::uint32_t line = 0, column = 0;
};

// A thread at the point.
struct ReplayStop {
  std::uint32_t thread = 0;
  std::string kind;
  std::uint64_t address = 0, size = 0, value = 0;
  std::vector<ReplayFrame> stack; // innermost first
};

// An event that waits to be shown; without a kind if the page makes no sense.
struct ShownEvent {
  ReplayStop event;
  bool failed = false;
};
ShownEvent read_shown_event(const replay::ScheduleHeader& schedule);

struct Replayed {
  bool confirmed = false;
  std::vector<ReplayStop> stops;
  // If it diverged: in how many of the steps it was followed, and why not further, in one sentence.
  std::size_t followed = 0;
  std::string why;
  // Of a race: the schedule with the accesses that touch the same bytes, if others did at first.
  std::optional<replay::Script> corrected;
  Ended ended;            // the program's own end
  bool was_ended = false; // by us
};

// `command`: the program's path and its arguments. Runs the program once more if that says at which
// accesses the threads of a race have to stop.
Result<Replayed> replay_script(const replay::Script& script, const std::vector<std::string>& command,
                               const ReplayOptions& options);

// "and then: SIGSEGV": what became of the program behind the point; empty if it ended well.
std::string what_followed(const Replayed& replayed);
// The critical pair (replay/critical.h), for people, several lines.
std::string explanation(const replay::Script& script);
// For people, several lines.
std::string replay_text(const replay::Script& script, const Replayed& replayed);

} // namespace sooth::cli
