// A witness as a file: the schedule that leads to an error, in words that outlive a build.
//
//     sooth witness 1
//     program bank
//     finding deadlock 5f0c1a2b3c4d5e6f
//     goal deadlock
//     thread 0
//     thread 1 by 0 1
//     run 0 acquire 1 "bank.cpp" 17 43 "spend(int)"
//     stop 1 acquire 1 "bank.cpp" 11 43 "save(int)"
//     stop 0 acquire 1 "bank.cpp" 18 43 "spend(int)"
//
// `thread 1 by 0 1`: thread 1 is the first one that thread 0 creates. `run T KIND N PLACE`: thread
// T runs until it has made N more events of this kind at this place, counted from its step before.
// `stop`: it stands directly before the event. `pause`: the same, and it makes the event in its
// next turn. No line has an address, so the file fits a program that was built again. Lines end
// with the words `fails`, `remember` and `value V` where needed (StepFlags in schedule.h), and with
// `of NAME`, for people.
//
//     early 1 acquire 1 "bank.cpp" 11 43 "save(int)"
//     from "bank.cpp" 30 3 "main"
//     late 0 acquire 1 "bank.cpp" 18 43 "spend(int)"
//
// The critical pair (critical.h): `early` comes first in this schedule, `late` in the recorded run.
// Each has the calls around it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "replay/recorded_inputs.h"
#include "replay/schedule.h"
#include "trace/format.h"

namespace sooth::replay {

struct ScriptPlace {
  std::string file;
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  std::string function;
  friend bool operator==(const ScriptPlace&, const ScriptPlace&) = default;
};

struct ScriptThread {
  std::uint32_t parent = 0;
  std::uint32_t ordinal = 0;
  friend bool operator==(const ScriptThread&, const ScriptThread&) = default;
};

struct ScriptStep {
  std::uint32_t thread = 0;
  trace::EventKind kind = trace::EventKind::None;
  std::uint32_t count = 1;
  ScriptPlace place;
  std::uint16_t flags = 0; // StepFlags
  std::uint64_t value = 0;
  std::string name = {}; // of what it touches, for people; may be empty
  bool stops() const { return (flags & kStops) != 0; }
  bool pauses() const { return (flags & kPauses) != 0; }
  friend bool operator==(const ScriptStep&, const ScriptStep&) = default;
};

// One of the two events whose order decides.
struct ScriptEvent {
  ScriptStep step;                // `count`: of such events of its thread, from its beginning
  std::vector<ScriptPlace> stack; // the calls around it, innermost first
  friend bool operator==(const ScriptEvent&, const ScriptEvent&) = default;
};

struct Script {
  std::string program;     // its file's own name
  std::string finding;     // kind; "recorded" for a recorded run
  std::string fingerprint; // of the finding; may be empty
  Goal goal = Goal::Followed;
  std::vector<ScriptThread> threads; // [0] is the main thread
  std::vector<ScriptStep> steps;
  std::optional<ScriptEvent> early, late; // the critical pair: both or none
  friend bool operator==(const Script&, const Script&) = default;
};

std::string_view goal_name(Goal goal);

std::string print(const Script& script);
// The error names line and column. `name`: of the file, for errors.
Result<Script> parse_script(std::string_view text, const std::string& name);

// One line for people: "thread 1: acquire at bank.cpp:11 in save(int)".
std::string phrase(const ScriptStep& step);

// Of a race between a read and a write: the schedule that makes the write, and ends before the
// read. The script itself ends behind the read. Nothing if there is no such read.
std::optional<Script> with_write_first(const Script& script);

// The schedule for the runtime (schedule.h), ready to be mapped.
// `inputs`: what the program gets from outside; may be null.
std::vector<std::uint8_t> flatten(const Script& script, Then then, std::uint32_t first,
                                  const RecordedInputs* inputs = nullptr);

} // namespace sooth::replay
