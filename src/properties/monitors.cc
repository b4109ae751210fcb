#include "properties/monitors.h"

#include <map>
#include <tuple>

#include <fmt/format.h>

#include "properties/faults_text.h"
#include "properties/monitored_run.h"
#include "properties/recorded_run.h"
#include "properties/unordered_accesses.h"
#include "trace/restore/misplaced.h"

namespace sooth::properties {
namespace {

using knowledge::Known;
using witness::Finding;

std::string number_text(const Known& known) {
  switch (known.part->layout.kind) {
  case knowledge::ScalarKind::Float: return fmt::format("{}", knowledge::real_of(known.value));
  case knowledge::ScalarKind::Pointer: return fmt::format("{:#x}", known.value);
  case knowledge::ScalarKind::Unsigned: return fmt::format("{}", known.value);
  default: return fmt::format("{}", static_cast<std::int64_t>(known.value));
  }
}

// "x = 3, @reader(y) = 4 (thread 2, after 17 events)": the values that made it false.
struct Explanation {
  const knowledge::Compiled& compiled;
  const trace::Trace& trace;
  std::string text = {};

  void add(const Known& known) {
    text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", compiled.string(known.part->text), number_text(known));
    if (*compiled.string(known.part->about) == 0) return;
    if (known.thread == knowledge::kNoVariable) text += " (nothing is known of it)";
    else text += fmt::format(" (thread {}, after {} events)", known.thread, known.sequence);
  }
};

class MonitorEngine {
public:
  MonitorEngine(const trace::Trace& trace, const causality::Computation& computation, const logic::PropertyFile& file)
      : trace_(trace), file_(file), order_(trace, computation) {}

  Result<MonitorAnswer> run() {
    std::string wrong;
    MonitoredRun run(trace_, file_, wrong);
    if (!wrong.empty()) return Error{wrong, file_.name};
    const std::vector<std::uint32_t> misplaced = trace::misplaced_reads(trace_);
    auto next = misplaced.begin();
    std::size_t end = trace_.events.size();
    for (std::size_t event = 0; event < trace_.events.size(); ++event) {
      if (next != misplaced.end() && *next == event) {
        ++next;
        if (event < end && is_lost_at(event, run)) end = event;
      }
      const knowledge::Word failed = event < end && !run.stopped() ? run.take(event) : 0;
      order_.take(event, [&](std::uint64_t address, std::uint64_t bytes) { return run.follows(address, bytes); });
      for (std::uint32_t m = 0; m < file_.monitors.size() && failed != 0; ++m)
        if ((failed >> m & 1) != 0) report(run, m, event);
    }
    if (end != trace_.events.size())
      answer_.bounds.push_back(
          fmt::format("nobody knows in which order things happened from event {} on (racing accesses)", end));
    if (order_.doubt()) tell_doubt(*order_.doubt());
    tell(run);
    return std::move(answer_);
  }

private:
  // If the order is unknown, there is nothing to follow. Accesses that have a number each are
  // followed by that, as the monitors in the program do, also if they met and the values show
  // another order.
  bool is_lost_at(std::size_t misplaced, const MonitoredRun& run) const {
    if ((trace_.flags & trace::kOneClock) == 0) return true;
    const trace::Event& e = trace_.events[misplaced];
    return run.follows(e.address, e.size) && !trace::is_numbered_read(trace_, misplaced);
  }

  // The same monitor failing at the same place in the source is one finding.
  void report(const MonitoredRun& run, std::uint32_t monitor, std::size_t event) {
    const auto [known, fresh] =
        findings_.try_emplace({monitor, trace_.events[event].site, trace_.events[event].kind}, answer_.findings.size());
    if (!fresh) {
      ++answer_.findings[known->second].count;
      return;
    }
    const logic::MonitorEntry& entry = file_.monitors[monitor];
    Explanation explanation{run.setup().compiled, trace_};
    explain(
        run.setup(), *run.thread(trace_.events[event].thread), monitor,
        [](void* to, const Known& part) { static_cast<Explanation*>(to)->add(part); }, &explanation);
    Finding finding;
    finding.kind = witness::FindingKind::Monitor;
    finding.status = witness::Status::Observed;
    finding.model = witness::Model::HappensBefore;
    finding.engine = "knowledge";
    finding.property = entry.name;
    finding.note =
        fmt::format("{}\n  known: {}", entry.expansion.empty() ? entry.text : entry.expansion, explanation.text);
    finding.places.push_back({static_cast<std::uint32_t>(event), witness::Role::Step});
    finding.witness.observed = static_cast<std::uint32_t>(event) + 1;
    answer_.findings.push_back(std::move(finding));
  }

  // Later events may have been in another order.
  void tell_doubt(const Doubt& doubt) {
    for (Finding& finding : answer_.findings) {
      if (finding.places.front().event < doubt.from) continue;
      finding.status = witness::Status::Predicted;
      for (const causality::EventIndex event : {doubt.first, doubt.second})
        finding.run.unordered.push_back({static_cast<std::uint32_t>(event), "", "", 0});
    }
    answer_.bounds.push_back(fmt::format(
        "monitors were followed in an order that the recording allows, from event {} on; the real one is not known{}",
        doubt.from, how_to_know_order(trace_, {doubt.first, doubt.second})));
  }

  void tell(const MonitoredRun& run) {
    for (const std::string& name : run.variables().assumed)
      answer_.remarks.push_back(
          fmt::format("nobody saw what `{}` was before it was first written; it is taken to have been zero.", name));
    for (const std::string& role : run.roles_without_thread())
      answer_.remarks.push_back(fmt::format("the run had no thread `{}` that the monitors speak of.", role));
    if (run.stopped())
      answer_.bounds.emplace_back("a write's contents are not known, and monitors were not checked after it");
    if (run.places().refused() + run.places().given_early() != 0)
      answer_.bounds.push_back(fmt::format("{} threads were not ranged over: there were too many at the same time",
                                           run.places().refused() + run.places().given_early()));
    const knowledge::Faults faults = run.faults();
    if (faults.any())
      answer_.remarks.push_back(
          fmt::format("{} in monitors; a condition without a value is false, a number 0.", faults_text(faults)));
  }

  const trace::Trace& trace_;
  const logic::PropertyFile& file_;
  UnorderedAccesses order_;
  std::map<std::tuple<std::uint32_t, std::uint32_t, trace::EventKind>, std::size_t> findings_;
  MonitorAnswer answer_;
};

} // namespace

Result<MonitorAnswer> check_monitors(const trace::Trace& trace, const causality::Computation& computation,
                                     const logic::PropertyFile& file) {
  return MonitorEngine(trace, computation, file).run();
}

} // namespace sooth::properties
