// The checker: accepts a finding's witness or says what is wrong with it. A rejected finding is not
// shown.
//
//     a race on x; witness: T2 acquire m, T2 release m; next: T1 write x, T2 write x
//     Each step must be its thread's next event, m must be free for T2, and after the last step T1
//     and T2 must stand directly before two conflicting accesses.
//
// Question: is this witness a run that the model allows, and does it end in what the finding says?
// Source: maximal models: Definition 1 (legal), Theorems 2 to 7 (the models), Definition 4 (races);
//   docs/trace_format.md, the four rules for predicted runs.
// Where we differ: the checker knows the trace and the rules. It includes nothing that predicts,
//   and computes everything from the events, byte by byte, in its own words. Two mistakes would
//   have to agree before a false alarm gets through.
// Cost: the trace is read once per Checker, and once more for witnesses that come in the order of
//   their observed events; each witness costs its own events, and a copy of the memory that the
//   recorded run has left by then.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "trace/objects.h"
#include "trace/trace.h"
#include "witness/finding.h"

namespace sooth::witness {

class Checker {
public:
  // The trace must be legal (trace::verify) and must outlive the checker. Objects at reused
  // addresses should have been separated (trace/objects.h), by the same call that served the
  // engines; `objects` is its result, or null.
  explicit Checker(const trace::Trace& trace, const trace::ObjectTable* objects = nullptr);
  ~Checker();
  Checker(const Checker&) = delete;
  Checker& operator=(const Checker&) = delete;

  // Why the finding is not to be shown, as one sentence; nothing if it is accepted.
  // Not for several threads at once: one permuted trace is reused for all witnesses.
  std::optional<std::string> objection(const Finding& finding);

private:
  class Parts;
  std::unique_ptr<Parts> parts_;
};

} // namespace sooth::witness
