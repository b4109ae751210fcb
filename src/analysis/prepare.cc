#include "analysis/prepare.h"

#include <algorithm>
#include <limits>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <malloc.h>

#include "analysis/cut.h"
#include "analysis/engines.h"
#include "base/interrupt.h"
#include "base/machine_memory.h"
#include "predict/misuse/misuse.h"
#include "trace/reader.h"
#include "trace/verify.h"

namespace sooth::analysis {

using trace::Trace;

namespace {

constexpr double kPartForReading = 3;          // of the time that is left
constexpr std::uint64_t kForTables = 64 << 20; // bytes for reading, even if nothing can be analysed: names and places
constexpr std::uint64_t kBytesOfEvent = 256;   // roughly, for reading and analysing one
constexpr std::uint64_t kFewestEvents = 1000, kMostEvents = 32'000'000; // of a piece

// Events that cannot be verified within a part of the time are left out: computing and checking
// take several times as long.
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
  // Nothing was looked for yet, and nothing will be.
  if (was_interrupted()) rest += cut(trace, trace.standing);
  else if (rest != 0) rest += cut(trace, trace.events.size());
  (spending.budget.spent() == Budget::kMemory ? left_out.for_memory : left_out.for_time) += rest;
  return report;
}

} // namespace

Result<std::unique_ptr<Prepared>> prepare(Trace trace, const Spending& spending, Progress& progress, LeftOut left_out,
                                          std::vector<std::uint64_t>* misused_before) {
  progress.stage("verifying the trace", 0, 3);
  std::vector<witness::Finding> misuse;
  if (misused_before != nullptr)
    for (const std::uint64_t lock : *misused_before) predict::set_aside(trace, lock);
  trace::VerifyReport legality = verify_in_time(trace, spending, progress, left_out);
  while (!legality.legal() && misuse.size() < predict::kMaxSetAside) {
    const auto misused = predict::misuse_of(trace, legality.problems.front());
    if (!misused) break;
    misuse.push_back(misused->finding);
    predict::set_aside(trace, misused->address);
    if (misused_before != nullptr) misused_before->push_back(misused->address);
    legality = verify_in_time(trace, spending, progress, left_out);
  }
  if (!legality.legal()) {
    const trace::Problem& problem = legality.problems.front();
    return Error{fmt::format("the trace is not legal, so nothing can be predicted from it. Event {}: {} "
                             "(`sooth verify` tells more)",
                             problem.event, problem.sentence),
                 "", 0, 0};
  }
  auto out = std::make_unique<Prepared>();
  out->left_out = left_out;
  out->misuse = std::move(misuse);
  out->trace = std::move(trace);
  progress.stage("telling objects apart", 1, 3);
  out->objects = trace::separate_objects(out->trace);
  progress.stage("finding out what can be reordered", 2, 3);
  out->computation = causality::compute(out->trace, out->objects);
  malloc_trim(0); // returns memory that only these steps needed
  out->occupied = resident_memory();
  // No memory is left for the engines.
  if (spending.can_begin_again() && spending.budget.spent() == Budget::kMemory) spending.give_up();
  return out;
}

// With properties there is no sieve: they may name memory that only one thread uses.
Reading::Reading(const Options& options, Spending& spending)
    : spending_(spending), blocks_(!options.atomic.empty()), sharing_(std::make_unique<survey::Sharing>(blocks_)) {
  options_.sieve = options.properties.file.empty() ? sharing_.get() : nullptr;
  options_.enough = [this, &options] {
    return sharing_->is_from_the_runtime() && all_settled(sharing_->settled(), options);
  };
  options_.again = [this] { return sieve_again(); };
  obey();
}

Reading::Reading(Spending& spending)
    : spending_(spending), blocks_(false), sharing_(std::make_unique<survey::Sharing>()) {
  obey();
}

void Reading::obey() {
  options_.stop = [this] { return budget_->spent() != nullptr; };
  options_.stopped = &left_out.unread;
}

// There was no room for the survey of the whole trace.
trace::Sieve* Reading::sieve_again() {
  if (was_interrupted() || spending_.last) return nullptr;
  sharing_ = nullptr;
  malloc_trim(0);
  allow();
  sharing_ = std::make_unique<survey::Sharing>(blocks_);
  return sharing_.get();
}

void Reading::allow() {
  const std::uint64_t occupied = resident_memory();
  std::uint64_t free = spending_.bytes > occupied ? spending_.bytes - occupied : 0;
  if (spending_.last) free = std::max(free, kForTables);
  part_ = static_cast<std::uint64_t>(static_cast<double>(free) * spending_.part_for_reading);
  budget_.emplace(std::max(spending_.left() / kPartForReading, kShortest), spending_.bytes == 0 ? 0 : occupied + part_);
}

std::optional<Error> Reading::open(const std::string& file) {
  allow();
  auto pieces = trace::open_trace(file, options_);
  if (!pieces) return pieces.error();
  pieces_ = std::move(*pieces);
  const std::uint64_t room = spending_.bytes == 0 ? kMostEvents : part_ / kBytesOfEvent;
  most_ = std::clamp<std::uint64_t>(std::min(room, spending_.most_events), kFewestEvents, kMostEvents);
  return std::nullopt;
}

trace::Pieces::Got Reading::next(Trace& piece) {
  if (pieces_ == nullptr) return trace::Pieces::Got::Nothing;
  const double seconds = std::max(spending_.left() / kPartForReading, kShortest); // 0 would be no limit
  budget_.emplace(seconds, spending_.bytes - spending_.bytes / 16);
  const trace::Pieces::Got got = pieces_->next(most_, overlap(), piece);
  if (left_out.unread && budget_->spent() == Budget::kMemory && spending_.can_begin_again()) spending_.give_up();
  note_end();
  if (got == trace::Pieces::Got::Piece) shorten(piece);
  return got;
}

Trace Reading::rest() {
  Trace out;
  if (pieces_ == nullptr) return out;
  pieces_->next(std::numeric_limits<std::size_t>::max(), 0, out);
  note_end();
  pieces_.reset();
  shorten(out);
  return out;
}

void Reading::note_end() {
  left_out.part_read = pieces_->part_read();
  if (!pieces_->is_over()) return;
  left_out.unread = left_out.unread || pieces_->is_beginning();
  pieces_.reset();
}

void Reading::shorten(Trace& trace) {
  if (left_out.unread) cut(trace, trace.events.size()); // where no block is open
  if (const std::uint64_t most = spending_.last ? 0 : spending_.most_events;
      trace.events.size() - trace.standing > most) {
    left_out.for_memory = cut(trace, trace.standing + most);
    trace.events.shrink_to_fit();
  }
  if (spending_.last && trace.is_piece) left_out.unread = true; // there is no room for the next one either
  malloc_trim(0);                                               // returns memory that only reading needed
  if (spending_.works_on) spending_.works_on(trace.events.size());
}

} // namespace sooth::analysis
