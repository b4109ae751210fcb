// Errors that are reported. Engines make findings, the checker accepts or rejects them, reports
// show them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "witness/witness.h"

namespace sooth::witness {

enum class FindingKind : std::uint8_t {
  Race,
  Deadlock,
  LostWakeup,
  Atomicity,
  UseAfterFree,
  DoubleFree,
  Property,
  Monitor,
  PossibleLiveness,
  Crash,
  Misuse,
  Assertion,
  ThreadLeak,   // a thread that has ended, and that nobody joined or detached
  SignalUnsafe, // a call that a signal handler must not make
  SignalErrno,  // a signal handler that changes errno
};

enum class Status : std::uint8_t { Observed, Predicted, Confirmed };

// From strictest to most permissive (docs/report.md, Models).
enum class Model : std::uint8_t {
#define SOOTH_MODEL(enumerator, name, make, reads, locks, needs, question, sentence) enumerator,
#include "causality/models/models.def"
#undef SOOTH_MODEL
};

enum class Role : std::uint8_t {
  Access,      // one of two conflicting accesses
  Request,     // asks for a lock (or joins, or waits) that it will not get
  Hold,        // took what another one asks for
  BlockBegin,  // begins the block that is not atomic
  BlockEnd,    // ends it
  Interleaved, // the other thread's event inside the block
  Use,         // touches an object that is gone
  Free,        // ended the object's life
  Wait,        // waits for a signal that will not come
  Signal,      // the signal that came too early
  Step,        // a step of a run that violates a property
  End,         // the program dies here
};

// An event that the finding is about.
struct Place {
  std::uint32_t event = 0; // index into Trace::events
  Role role = Role::Access;
  friend bool operator==(const Place&, const Place&) = default;
};

// A run that violates a property, in the steps that the property can see.
struct RunStep {
  std::uint32_t event = 0;    // index into Trace::events
  std::string what;           // "radio = 0", "call f"
  std::string state;          // the property's variables after it: "radio = 0, landing = 1"
  std::uint64_t observed = 0; // its place among all such steps of the observed run, from 1
};
struct PropertyRun {
  std::string rule;           // the entry of the property file, on one line; empty: the finding is about no property
  std::string place;          // of the entry: "landing.prop:2"
  std::string initial;        // the state before the first step
  std::uint64_t skipped = 0;  // steps before the first one that is kept here
  std::vector<RunStep> steps; // the last one leads to the first state in which the property fails ...
  std::uint64_t repeated = 0; // ... or, of a possible-liveness, so many of the last ones could go on for ever
  std::vector<std::uint32_t> cut; // by thread: so many steps lead here, those that are skipped included
  std::vector<RunStep> unordered; // two steps whose order the recording does not know, if there are such
  std::string entry;              // what the file calls it: property, pattern, machine, liveness
};

struct Finding {
  FindingKind kind = FindingKind::Race;
  Status status = Status::Predicted;
  Model model = Model::Maximal;
  // What decided it: a tier ("linear", "closure", "search"), "memory-model", "lattice", "lasso",
  // "knowledge".
  std::string engine;
  std::string property;      // name of the property, block or pattern; empty for races and deadlocks
  std::vector<Place> places; // the first ones distinguish findings
  Witness witness;
  std::uint64_t count = 1; // how many such pairs (cycles, blocks) there are at the same sites, as far as looked at
  std::string note;        // one more sentence, if the kind and the places do not say it all
  PropertyRun run;
  // Another finding has the same variable and the same functions, and this one only adds its lines.
  bool alike = false;
};

} // namespace sooth::witness
