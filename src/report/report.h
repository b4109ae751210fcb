// What a report says, resolved from a trace into names and places: plain data, made by describe(), printed by text() and
// json(). Finding, describing and printing are three steps; only the second one reads the trace.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "witness/finding.h"

namespace sooth::report {

// A line of the source, and the function it stands in. line 0: unknown.
struct Spot {
  std::string file;
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  std::string function;
  bool system = false; // in a system header
  // The compiler has put the function's body in the place of its call, which is the next spot of the stack.
  bool inlined = false;
  friend bool operator==(const Spot&, const Spot&) = default;
};

// The object that is touched.
struct ObjectText {
  std::string sort; // "global", "heap", "stack", "mapping" or ""
  std::string name; // `heap#3+8`, `net::state`; empty if unknown
  std::uint64_t address = 0;
  std::uint64_t bytes = 0; // size of the whole object; 0: unknown
  Spot spot;               // where it was declared or allocated
  std::uint32_t thread = 0;
  std::vector<Spot> stack; // of the allocation
};

struct HeldLock {
  std::string name;
  std::uint64_t address = 0;
  bool shared = false;
  Spot taken;
};

// An event of the trace, in short.
struct StepText {
  std::uint32_t event = 0;
  std::uint32_t thread = 0;
  std::string kind;
  std::string variable;      // or lock, condition, thread, name of a user event
  std::string value;         // for people
  std::uint64_t address = 0; // as the program used it; 0 if it has none
  std::uint64_t number = 0;  // the value as it was recorded
  std::uint32_t size = 0;
  bool access = false;       // reads or writes memory
  bool synchronises = false; // locks, waits, creates or joins threads, ...
  bool pending = false;      // a request that was never granted: `kind` has not happened
  Spot spot;
};

// An event that the finding is about.
struct PlaceText {
  StepText step;
  witness::Role role = witness::Role::Access;
  std::string order; // memory order of an atomic access, else empty
  ObjectText object;
  std::vector<Spot> stack; // innermost first; [0] is the event itself
  std::vector<HeldLock> locks;
  std::uint32_t since = 0; // of a request that was never granted: the thread's last event before it
};

struct ThreadText {
  std::uint32_t number = 0;
  std::string name;
  std::uint32_t parent = 0;
  bool created = false;    // false: the main thread, or nobody saw its creation
  std::vector<Spot> stack; // of its creation, innermost first
};

// A step of a run that violates a property.
struct RunStepText {
  std::uint32_t event = 0;
  std::uint32_t thread = 0;
  std::string what;
  std::string state;
  std::uint64_t observed = 0; // its place in the observed run; 0: not known
  Spot spot;
};
struct RunText {
  std::string rule; // empty: the finding is about no property
  std::string place;
  std::string initial;
  std::uint64_t skipped = 0;
  std::vector<RunStepText> steps;
  std::uint64_t repeated = 0;
  std::vector<std::uint32_t> cut;
  std::vector<RunStepText> unordered; // none, or two
  std::string entry;                  // as in witness::PropertyRun
};

struct FindingText {
  std::uint32_t id = 0; // 1, 2, ... in this report
  std::string
      fingerprint; // the same for the same finding in another run: no addresses, numbers of threads or processes
  witness::FindingKind kind = witness::FindingKind::Race;
  witness::Status status = witness::Status::Predicted;
  witness::Model model = witness::Model::Maximal;
  std::string engine;
  std::string property;
  std::string note;
  RunText run;
  std::uint64_t count = 1;
  std::vector<PlaceText> places;
  std::vector<ThreadText> threads;     // of the places, and of those that created them
  std::uint64_t observed_prefix = 0;   // so many events of the witness are as recorded ...
  std::vector<std::uint32_t> schedule; // ... then these
  std::vector<std::uint32_t> next;     // what the threads are about to do
  std::vector<std::uint32_t> observed; // what the threads of the finding did, up to its last place, in short
};

// What bounds an answer: a row for each reason that is there.
struct Gap {
  std::string name; // as in JSON: externalWrites
  std::uint64_t count = 0;
  std::string sentence;    // "changes of memory that no recorded event made"
  bool complete = true;    // does the answer stay complete with it?
  std::string detail = {}; // names, if there are some
};

struct Coverage {
  bool complete = true;
  // What was asked for and not looked for at all, in words: "deadlocks". Nothing can be said about it.
  std::vector<std::string> unanswered;
  std::uint64_t windows = 1;
  std::uint64_t undecided = 0;
  std::vector<Gap> gaps;
};

struct Report {
  std::string version;
  std::string program;
  std::vector<std::string> arguments;
  std::string directory; // of the run: relative names of sources start there
  std::string trace;
  std::uint64_t events = 0;   // of the run ...
  std::uint64_t analysed = 0; // ... and so many of them matter; events are numbered without the others
  std::uint64_t threads = 0;
  std::string model;
  std::vector<std::string> looked_for; // words of --find
  std::vector<FindingText> findings;
  std::vector<FindingText> candidates; // no findings: places, and in `note` why they are none
  std::vector<StepText> steps;         // every event that a finding names, ascending
  std::uint64_t suppressed = 0;
  std::uint64_t rejected = 0;          // witnesses that the checker did not accept: mistakes of ours
  std::vector<std::string> objections; // what it said of them, a sentence each
  Coverage coverage;
};

// The row of Report::steps; it is there for every event that a finding names.
const StepText& step_of(const Report& report, std::uint32_t event);

} // namespace sooth::report
