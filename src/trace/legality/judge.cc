#include "trace/legality/judge.h"

#include <algorithm>

#include <fmt/format.h>

namespace sooth::trace::legality {

namespace {

// Looking back is rare and short in traces of real programs; the budget stops hostile ones.
constexpr std::uint64_t kLookBackEvents = 200'000'000;
constexpr std::size_t kMaxRemarks = 20;

bool is_child_process(const Trace& trace) {
  const std::uint64_t parent = trace.process.parent_pid;
  if (parent == 0) return false;
  return std::any_of(trace.events.begin(), trace.events.end(), [parent](const Event& e) {
    return e.kind == EventKind::ProcessFork && (e.address == parent || e.value == parent);
  });
}

} // namespace

Judge::Judge(const Trace& t, std::size_t max_problems)
    : trace(t), ended(t.threads.size()), inherited(is_child_process(t)), max_problems_(max_problems),
      look_back_budget_(kLookBackEvents) {
  report.events = t.events.size();
  report.degraded = t.defect(Defect::MissingEvents) != 0 || t.defect(Defect::DroppedEvents) != 0 ||
                    t.defect(Defect::DamagedChunks) != 0;
}

void Judge::restore(const State& state) {
  report = state.report;
  index = state.index;
  ended = state.ended;
  look_back_budget_ = state.look_back_budget;
}

bool Judge::count(Rule rule) {
  const auto number = static_cast<std::size_t>(rule);
  if (report.degraded && rule_rows()[number].needs_every_event) {
    ++report.unjudged[number];
    return false;
  }
  ++report.broken[number];
  return report.problems.size() < max_problems_;
}

void Judge::describe(Rule rule, std::string sentence) {
  if (sentence.front() >= 'a' && sentence.front() <= 'z')
    sentence.front() = static_cast<char>(sentence.front() - 'a' + 'A');
  report.problems.push_back({index, rule, std::move(sentence)});
}

bool Judge::written_over(std::uint64_t address, std::size_t since) {
  for (std::size_t i = index; i-- > since + 1;) {
    if (look_back_budget_ == 0) {
      remark("Objects that may have been made anew were not judged: there were too many.");
      return true;
    }
    --look_back_budget_;
    const Event& e = trace.events[i];
    // Only plain writes count: a lock's own memory changes by external writes, a guard's by the
    // atomic write that ends its initialiser.
    if (e.kind == EventKind::Write && address >= e.address && address - e.address < e.size) return true;
  }
  return false;
}

std::string Judge::name_of(std::uint64_t address) const {
  const auto after = std::upper_bound(trace.globals.begin(), trace.globals.end(), address,
                                      [](std::uint64_t a, const Global& g) { return a < g.address; });
  if (after != trace.globals.begin()) {
    const Global& global = *(after - 1);
    const std::uint64_t offset = address - global.address;
    if (offset == 0) return fmt::format("{:#x} (`{}`)", address, global.name);
    if (offset < global.bytes) return fmt::format("{:#x} (`{}`+{})", address, global.name, offset);
  }
  return fmt::format("{:#x}", address);
}

std::string Judge::thread_name(std::uint32_t thread) const {
  if (thread < trace.threads.size() && !trace.threads[thread].name.empty())
    return fmt::format("thread {} ({})", thread, trace.threads[thread].name);
  return fmt::format("thread {}", thread);
}

void Judge::remark(std::string sentence) {
  auto& remarks = report.remarks;
  if (remarks.size() < kMaxRemarks && std::find(remarks.begin(), remarks.end(), sentence) == remarks.end())
    remarks.push_back(std::move(sentence));
}

} // namespace sooth::trace::legality
