#include "cli/prepare.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "cli/fit.h"
#include "cli/load.h"
#include "cli/progress.h"
#include "trace/verify.h"

namespace sooth::cli {

using trace::Trace;

namespace {

// What is not judged within a part of the time is left out: computing and checking take some times as long.
trace::VerifyReport verify_in_time(Trace& trace, const Allowance& allowance, Progress& progress,
                                   std::uint64_t& left_out) {
  constexpr double kPart = 4;
  constexpr std::size_t kAtOnce = 1 << 16; // events
  const Deadline deadline(allowance.budget, allowance.left() / kPart);
  trace::Verifier verifier(trace, 1);
  while (verifier.judged() < trace.events.size() && !deadline.passed()) {
    verifier.judge(std::min(verifier.judged() + kAtOnce, trace.events.size()));
    progress.within(verifier.judged(), trace.events.size());
  }
  left_out = trace.events.size() - verifier.judged();
  trace.events.resize(verifier.judged());
  trace::VerifyReport report = std::move(verifier).finish();
  if (left_out != 0) left_out += cut(trace, trace.events.size());
  return report;
}

} // namespace

Result<std::unique_ptr<Prepared>> prepare(Trace trace, const Allowance& allowance, LeftOut left_out) {
  left_out.for_memory = cut_to_fit(trace, allowance.bytes);
  Progress progress("verifying the trace");
  progress.stage("verifying the trace", 0, 3);
  const trace::VerifyReport legality = verify_in_time(trace, allowance, progress, left_out.for_time);
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
  return out;
}

std::optional<Trace> load_in_time(const std::string& file, const Allowance& allowance, LeftOut& left_out) {
  auto trace = load_trace(file, allowance, left_out.unread);
  if (trace && left_out.unread) cut(*trace, trace->events.size()); // where no block is open
  return trace;
}

} // namespace sooth::cli
