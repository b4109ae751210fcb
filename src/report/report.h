// A report, resolved from a trace into names and places: plain data. describe() makes it; text()
// and json() print it. Finding, describing and printing are three steps; only the second one reads
// the trace.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "witness/finding.h"

namespace sooth::report {

// A line of the source, and the function around it. line 0: unknown.
struct Spot {
  std::string file;
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  std::string function;
  bool system = false; // in a system header
  // The compiler inlined the function; the next spot of the stack is the call.
  bool inlined = false;
  friend bool operator==(const Spot&, const Spot&) = default;
};

// The touched object.
struct ObjectText {
  std::string sort; // "global", "heap", "stack", "mapping" or ""
  std::string name; // `heap#3+8`, `net::state`; empty if unknown
  std::string type; // of a heap block, if its allocation tells; else empty
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
  friend bool operator==(const HeldLock&, const HeldLock&) = default;
};

// The calls around an event and the locks that its thread holds. Many events share one.
struct Context {
  std::vector<Spot> stack; // innermost first
  std::vector<HeldLock> locks;
  friend bool operator==(const Context&, const Context&) = default;
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
  std::string order = {};    // memory order of an atomic access, else empty
  bool access = false;       // reads or writes memory
  bool synchronises = false; // locks, waits, creates or joins threads, ...
  bool pending = false;      // a request that was never granted: the event has not happened
  Spot spot;
  std::optional<std::uint32_t> from = {};      // of a read: the write that it saw in the recorded run
  std::shared_ptr<const Context> context = {}; // null: not known
};

// An event at a place of the finding.
struct PlaceText {
  StepText step;
  witness::Role role = witness::Role::Access;
  std::string order; // memory order of an atomic access, else empty
  ObjectText object;
  std::vector<Spot> stack; // innermost first; [0] is the event itself
  std::vector<HeldLock> locks;
  std::uint32_t since = 0; // of a request never granted: the thread's last event before it
};

struct ThreadText {
  std::uint32_t number = 0;
  std::string name;
  std::uint32_t parent = 0;
  bool created = false;    // false: the main thread, or its creation was not recorded
  std::vector<Spot> stack; // of its creation, innermost first
  std::string start = {};  // the outermost function of its own stack outside of libraries, if known
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
  std::string rule; // empty: the finding is not about a property
  std::string place;
  std::string initial;
  std::uint64_t skipped = 0;
  std::vector<RunStepText> steps;
  std::uint64_t repeated = 0;
  std::vector<std::uint32_t> cut;
  std::vector<RunStepText> unordered; // none, or two
  std::string entry;                  // as in witness::PropertyRun
};

// Steps of a witness that one thread makes in a row (schedule.h).
struct Turn {
  std::uint32_t thread = 0;
  std::uint64_t events = 0;
  std::size_t listed = 0;    // how many of them are in FindingText::schedule
  std::uint64_t more = 0;    // how many others matter, but are not listed
  std::uint64_t skipped = 0; // turns left out before this one
  friend bool operator==(const Turn&, const Turn&) = default;
};

// A step of the recorded run or of a predicted one that explains the finding (story.h).
struct StoryStep {
  std::uint32_t event = 0;
  std::uint64_t left_out = 0; // steps of the same run that were left out before it
  bool decisive = false;      // a place of the finding, or where a lock was taken that matters there
  bool next = false;          // the thread stands directly before it when the run ends
  friend bool operator==(const StoryStep&, const StoryStep&) = default;
};

// The lines of a finding: two for a race, one for each request of a deadlock.
struct PairText {
  std::string identity;    // distinguishes it from others in this run
  std::string fingerprint; // of these lines
  witness::Status status = witness::Status::Predicted;
  std::string engine;
  std::uint64_t count = 1;
  std::vector<witness::Place> places;
};

// One finding. If it is a group (groups.h), it describes the first of `pairs` in full.
struct FindingText {
  std::uint32_t id = 0;    // 1, 2, ... in this report
  std::string fingerprint; // stable between runs: has no addresses, and no numbers of threads or processes
  std::string identity;    // distinguishes it from others in this run; has addresses where nothing else does
  witness::FindingKind kind = witness::FindingKind::Race;
  witness::Status status = witness::Status::Predicted;
  witness::Model model = witness::Model::Maximal;
  std::string engine;
  std::string property;
  std::string note;
  RunText run;
  std::uint64_t count = 1;            // of all its pairs
  std::vector<PairText> pairs;        // all lines at which it was found; empty: only those of `places`
  std::uint64_t suppressed_pairs = 0; // unwanted pairs
  std::vector<PlaceText> places;
  std::vector<ThreadText> threads;     // of the places, and their creators
  std::uint64_t observed_prefix = 0;   // how many events of the witness are as recorded ...
  std::vector<std::uint32_t> schedule; // ... then these, and ...
  std::uint64_t left_out = 0;          // ... the number of the others, which follow the recorded order of their threads
  std::vector<Turn> turns;             // the schedule by turns
  std::vector<std::uint32_t> next;     // the events that the threads are about to execute
  std::map<std::uint32_t, std::uint32_t> reads_from; // in the witness, by listed read: the write that it sees
  std::size_t trace = 0;                             // row of Report::traces ...
  std::vector<std::size_t> also_in;                  // ... and others with the same finding
  std::vector<std::uint32_t> observed;               // the main events of the finding's threads, up to its last place
  std::vector<StoryStep> recorded;                   // the recorded run in the steps that explain the finding
  std::vector<StoryStep> predicted;                  // the same of the witness; empty if the recorded run shows it
  std::string script;                                // for `sooth replay`; empty: it has none, or nobody asked for it
  std::string diverged;                              // why a replay did not reach it; empty if it did, or none was made
  std::vector<std::string> replayed;                 // what a replay saw at the point, line by line
};

// A reason why the answer is bounded.
struct Gap {
  std::string name; // as in JSON: externalWrites
  std::uint64_t count = 0;
  std::string sentence;    // "changes of memory that no recorded event made"
  bool complete = true;    // whether the answer is complete in spite of it
  std::string detail = {}; // names, if there are some
};

// Suppressions that matched nothing: `detail` has them, separated by ", ".
inline constexpr const char* kUnusedSuppressions = "unusedSuppressions";

// Stretches that look as if they should be atomic, though nobody marked them.
inline constexpr const char* kUnmarkedBlocks = "unmarkedBlocks";
inline constexpr const char* kUnmetSignals = "unmetSignals";

struct Coverage {
  bool complete = true;
  // Kinds that were requested and not searched at all, in words: "deadlocks".
  std::vector<std::string> unanswered;
  std::uint64_t pieces = 1;     // of the trace, each of which was analysed on its own
  std::uint64_t candidates = 0; // that were looked at more closely ...
  std::uint64_t undecided = 0;  // ... and how many of them have no answer
  double budget = 0;            // seconds that the analysis could use; 0: no limit
  std::vector<Gap> gaps;
};

// The process that a trace is of (between/processes.h).
struct ProcessText {
  std::uint64_t number = 0; // 0: not known
  std::uint64_t parent = 0;
  std::vector<std::uint64_t> forked; // its children
  bool became_another = false;       // its trace ends where it became another program (exec)
};

// One of several traces that a report is about.
struct TraceText {
  std::string file;
  std::uint64_t events = 0, analysed = 0, threads = 0;
  std::uint64_t first_event = 0; // the number of its first event in this report
  ProcessText process = {};
  bool child = false; // of the process that `sooth run` started
};

struct Report {
  std::string version;
  std::string program;
  std::vector<std::string> arguments;
  std::string directory; // of the run: relative names of sources start there
  std::string trace;
  std::uint64_t events = 0;   // of the run ...
  std::uint64_t analysed = 0; // ... and how many of them matter; event numbers count only these
  std::uint64_t threads = 0;
  ProcessText process;
  std::vector<std::uint64_t> processes_left_out; // children whose traces nobody had time for
  std::vector<TraceText> traces;                 // if there are several (between/merge.h); empty: only `trace`
  bool partial = false;                          // the analysis was interrupted; the report has the results so far
  std::string model;
  std::vector<std::string> looked_for; // words of --find
  std::string replay; // the command that replays a predicted finding; `{}` stands for its number. Empty: none
  std::vector<FindingText> findings;
  std::vector<FindingText> candidates; // unproven candidates: places, and in `note` why they are not findings
  std::vector<StepText> steps;         // every event that a finding names, ascending
  std::uint64_t suppressed = 0;        // findings without a remaining pair
  std::uint64_t rejected = 0;          // witnesses that the checker rejected: mistakes of Sooth
  std::vector<std::string> objections; // the checker's sentence about each
  Coverage coverage;
};

// The row of Report::steps; every event that a finding names has one.
const StepText& step_of(const Report& report, std::uint32_t event);

} // namespace sooth::report
