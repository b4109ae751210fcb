#include "analysis/prepare.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <malloc.h>

#include "analysis/cut.h"
#include "base/machine_memory.h"
#include "trace/reader.h"
#include "trace/verify.h"

namespace sooth::analysis {

using trace::Trace;

namespace {

constexpr double kPartForReading = 3;          // of the time that is left
constexpr std::uint64_t kForTables = 64 << 20; // bytes for reading, even if nothing can be analysed: names and places

// What is not judged within a part of the time is left out: computing and checking take some times as long.
trace::VerifyReport verify_in_time(Trace& trace, const Spending& spending, Progress& progress, LeftOut& left_out) {
  constexpr double kPart = 4;
  constexpr std::size_t kAtOnce = 1 << 16; // events
  const Deadline deadline(spending.budget, spending.left() / kPart);
  trace::Verifier verifier(trace, 1);
  while (verifier.judged() < trace.events.size() && !deadline.passed()) {
    verifier.judge(std::min(verifier.judged() + kAtOnce, trace.events.size()));
    progress.within(verifier.judged(), trace.events.size());
  }
  std::uint64_t rest = trace.events.size() - verifier.judged();
  trace.events.resize(verifier.judged());
  trace::VerifyReport report = std::move(verifier).finish();
  if (rest != 0) rest += cut(trace, trace.events.size());
  (spending.budget.spent() == Budget::kMemory ? left_out.for_memory : left_out.for_time) += rest;
  return report;
}

} // namespace

Result<std::unique_ptr<Prepared>> prepare(Trace trace, const Spending& spending, Progress& progress, LeftOut left_out) {
  progress.stage("verifying the trace", 0, 3);
  const trace::VerifyReport legality = verify_in_time(trace, spending, progress, left_out);
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
  if (spending.can_begin_again() && spending.budget.spent() == Budget::kMemory) spending.give_up();
  return out;
}

Result<Trace> read_in_time(const std::string& file, Spending& spending, LeftOut& left_out, trace::Sieve* sieve) {
  const std::uint64_t occupied = resident_memory();
  std::uint64_t free = spending.bytes > occupied ? spending.bytes - occupied : 0;
  if (spending.last) free = std::max(free, kForTables);
  std::error_code unknown; // reading will tell why
  if (const std::uint64_t size = std::filesystem::file_size(file, unknown);
      !unknown && size > free && spending.bytes != 0) {
    if (spending.can_begin_again()) spending.give_up();
    left_out.unread = true;
    return Trace();
  }
  const auto part = static_cast<std::uint64_t>(static_cast<double>(free) * spending.part_for_reading);
  const Budget budget(spending.left() / kPartForReading, spending.bytes == 0 ? 0 : occupied + part);
  trace::ReadOptions options;
  options.stop = [&] { return budget.spent() != nullptr; };
  options.stopped = &left_out.unread;
  options.sieve = sieve;
  Result<Trace> trace = trace::read_trace(file, options);
  if (!trace) return trace;
  if (left_out.unread) cut(*trace, trace->events.size()); // where no block is open
  if (const std::uint64_t most = spending.last ? 0 : spending.most_events; trace->events.size() > most) {
    left_out.for_memory = cut(*trace, most);
    trace->events.shrink_to_fit();
  }
  malloc_trim(0); // the file's bytes
  if (spending.works_on) spending.works_on(trace->events.size());
  return trace;
}

} // namespace sooth::analysis
