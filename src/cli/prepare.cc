#include "cli/prepare.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <malloc.h>

#include "base/machine_memory.h"
#include "cli/fit.h"
#include "cli/load.h"
#include "cli/progress.h"
#include "trace/verify.h"

namespace sooth::cli {

using trace::Trace;

namespace {

// What is not judged within a part of the time is left out: computing and checking take some times as long.
trace::VerifyReport verify_in_time(Trace& trace, const Allowance& allowance, Progress& progress, LeftOut& left_out) {
  constexpr double kPart = 4;
  constexpr std::size_t kAtOnce = 1 << 16; // events
  const Deadline deadline(allowance.budget, allowance.left() / kPart);
  trace::Verifier verifier(trace, 1);
  while (verifier.judged() < trace.events.size() && !deadline.passed()) {
    verifier.judge(std::min(verifier.judged() + kAtOnce, trace.events.size()));
    progress.within(verifier.judged(), trace.events.size());
  }
  std::uint64_t rest = trace.events.size() - verifier.judged();
  trace.events.resize(verifier.judged());
  trace::VerifyReport report = std::move(verifier).finish();
  if (rest != 0) rest += cut(trace, trace.events.size());
  (allowance.budget.spent() == Budget::kMemory ? left_out.for_memory : left_out.for_time) += rest;
  return report;
}

} // namespace

Result<std::unique_ptr<Prepared>> prepare(Trace trace, const Allowance& allowance, LeftOut left_out, Attempt* attempt) {
  Progress progress("verifying the trace");
  progress.stage("verifying the trace", 0, 3);
  const trace::VerifyReport legality = verify_in_time(trace, allowance, progress, left_out);
  if (!legality.legal()) {
    const trace::Problem& problem = legality.problems.front();
    return Error{fmt::format("the trace is not legal, so nothing can be predicted from it. Event {}: {} "
                             "(`sooth verify` tells more)",
                             problem.event, problem.sentence),
                 "", 0, 0};
  }
  auto out = std::make_unique<Prepared>();
  out->left_out = left_out;
  out->trace = std::move(trace);
  progress.stage("telling objects apart", 1, 3);
  out->objects = trace::separate_objects(out->trace);
  progress.stage("finding out what can be reordered", 2, 3);
  out->computation = causality::compute(out->trace, out->objects);
  malloc_trim(0); // much was needed only on the way
  out->occupied = resident_memory();
  // Nothing would be left for what follows.
  if (attempt != nullptr && !attempt->last && allowance.budget.spent() == Budget::kMemory) attempt->give_up();
  return out;
}

std::optional<Trace> load_in_time(const std::string& file, const Allowance& allowance, Attempt& attempt,
                                  LeftOut& left_out) {
  auto trace = load_trace(file, allowance, attempt, left_out.unread);
  if (!trace) return trace;
  if (left_out.unread) cut(*trace, trace->events.size()); // where no block is open
  if (const std::uint64_t most = attempt.last ? 0 : attempt.most_events; trace->events.size() > most) {
    left_out.for_memory = cut(*trace, most);
    trace->events.shrink_to_fit();
  }
  malloc_trim(0); // the file's bytes
  attempt.works_on(trace->events.size());
  return trace;
}

} // namespace sooth::cli
