// Is this trace legal? Checks the promises of a Trace: each read returns the last write, locks
// exclude, wake-ups follow signals, children follow their fork, joins follow ends
// (legality/rules.def has all rules).
//
//     T1 write x = 1
//     T2 read  x = 0        not legal: read-value
//     T2 read  x = 1        legal
//
// Source: maximal models, Definition 1: a legal, sequentially consistent trace (docs/glossary.md).
// Where we differ: the verifier shares nothing with the writer or with the code that restores the
//   order. It believes only the events.
// Cost: one pass, a hash or tree look-up per event; memory in proportion to the memory that the
//   trace touches.
// It does not judge the program: a use after free or a double free can stand in a legal trace.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trace/trace.h"

namespace sooth::trace {

enum class Rule : std::uint8_t {
#define SOOTH_RULE(enumerator, name, needs_every_event, demand) enumerator,
#include "trace/legality/rules.def"
#undef SOOTH_RULE
};

struct RuleRow {
  Rule rule;
  std::string_view name;
  bool needs_every_event;
  std::string_view demand;
};
// All rows of rules.def; a rule's number is its index.
std::span<const RuleRow> rule_rows();

inline constexpr std::size_t kRules = 0
#define SOOTH_RULE(enumerator, name, needs_every_event, demand) +1
#include "trace/legality/rules.def"
#undef SOOTH_RULE
    ;

struct Problem {
  std::size_t event = 0; // index into Trace::events
  Rule rule = Rule::WellFormed;
  std::string sentence;
};

struct VerifyReport {
  std::vector<Problem> problems;                // the first ones, in the order of the trace
  std::array<std::uint64_t, kRules> broken{};   // how often each rule was broken
  std::array<std::uint64_t, kRules> unjudged{}; // ... where missing events may be the reason
  bool degraded = false;                        // events are missing: rules that need every event are not judged
  std::uint64_t events = 0;
  std::uint64_t compared_bytes = 0; // bytes of reads that had a known last write
  std::uint64_t external_writes = 0;
  std::uint64_t spurious_wakes = 0; // wakes without a signal, up to the number that the trace reports
  std::vector<std::string> remarks; // things that could not be judged, and why

  std::uint64_t broken_count() const {
    std::uint64_t sum = 0;
    for (const std::uint64_t n : broken) sum += n;
    return sum;
  }
  bool legal() const { return broken_count() == 0; }
};

VerifyReport verify(const Trace& trace, std::size_t max_problems = 20);

// The same, for many traces with one beginning and different ends: the beginning is judged once.
// Rules about the whole trace (which threads are forked, start and end) go by the contents of
// `trace` when the Verifier is made.
class Verifier {
public:
  // The caller may change `trace.events` behind what was judged.
  explicit Verifier(const Trace& trace, std::size_t max_problems = 20);
  ~Verifier();
  Verifier(const Verifier&) = delete;
  Verifier& operator=(const Verifier&) = delete;

  std::size_t judged() const; // so many events
  void judge(std::size_t events);
  // Judges the rest, and forgets it again. Cost: its events, and a look at each page of memory that
  // the trace touches.
  VerifyReport judge_rest();
  // Judges the rest, once and for all.
  VerifyReport finish() &&;

private:
  class Parts;
  std::unique_ptr<Parts> parts_;
};

} // namespace sooth::trace
