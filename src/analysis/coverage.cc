#include "analysis/coverage.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <string>
#include <string_view>

#include <absl/container/btree_set.h>
#include <fmt/format.h>

#include "predict/deadlocks/waiting_at_end.h"
#include "report/end_text.h"
#include "report/event_text.h"
#include "report/terminal/coverage_text.h"
#include "trace/effects.h"
#include "trace/program/unmade_waits.h"

namespace sooth::analysis {

namespace {

// external-writes -> externalWrites
std::string camel_case(std::string_view name) {
  std::string out;
  bool capital = false;
  for (const char letter : name) {
    if (letter == '-') capital = true;
    else {
      out += capital ? static_cast<char>(std::toupper(static_cast<unsigned char>(letter))) : letter;
      capital = false;
    }
  }
  return out;
}

class Collector {
public:
  void add(std::string name, std::uint64_t count, std::string sentence, bool complete, std::string detail = {}) {
    if (count == 0) return;
    result.complete &= complete;
    result.gaps.push_back({std::move(name), count, std::move(sentence), complete, std::move(detail)});
  }
  report::Coverage result;
};

void add_engines(const predict::Coverage& engines, Collector& out) {
  out.result.candidates = engines.candidates;
  out.result.undecided = engines.undecided;
  for (const auto& [reason, times] : engines.reasons)
    out.add("undecided", times, fmt::format("candidates are undecided: {}", reason), false);
  if (engines.undecided != 0 && engines.reasons.empty())
    out.add("undecided", engines.undecided, "candidates are undecided", false);
  out.add(
      "furtherPairs", engines.alike,
      "further pairs of lines of variables and functions of which a race is reported were not decided (--each does)",
      true);
}

// What came from outside of the recorded program: all that was observed before it stays before it.
void add_outside(const trace::Trace& trace, const causality::Computation& computation, Collector& out) {
  std::uint64_t inputs = 0, handlers = 0, calls = 0;
  for (const causality::Step& step : computation.steps) {
    if ((step.flags & causality::kExternalRead) == 0) continue;
    const trace::EventKind kind = trace.events[step.event].kind;
    inputs += kind == trace::EventKind::Receive ? 1 : 0;
    handlers += kind == trace::EventKind::SignalEnter ? 1 : 0;
    calls += trace::is_primitive(trace::object_of(kind)) ? 1 : 0;
  }
  out.add("inputs", inputs, "inputs may depend on all that was observed before them, which stays before them", false);
  out.add("signals", handlers, "signals came from outside; all that was observed before them stays before them", false);
  out.add("heldCalls", calls,
          "tries failed, or primitives were initialised once more; all that was observed before them stays before them",
          false);
  out.add("externalReads", computation.external_reads - inputs - handlers - calls,
          "reads of what no recorded event wrote; all that was observed before them stays before them", false);
}

// Conditions that were signalled while no thread ever waited: what a wait would have done is not in
// this run.
void add_unmet_signals(const trace::Trace& trace, Collector& out) {
  absl::btree_set<std::uint64_t> signalled, waited;
  for (const trace::Event& e : trace.events) {
    if (e.kind == trace::EventKind::Signal || e.kind == trace::EventKind::Broadcast) signalled.insert(e.address);
    if (e.kind == trace::EventKind::Wait || e.kind == trace::EventKind::Wake) waited.insert(e.address);
  }
  const auto unmet = std::ranges::count_if(signalled, [&](std::uint64_t c) { return !waited.contains(c); });
  out.add(std::string(report::kUnmetSignals), static_cast<std::uint64_t>(unmet),
          "condition variables were signalled, and no thread waited: whether a wake-up can be lost needs a run with a "
          "wait",
          true);
}

// Calls of waits that the run came by without waiting. A piece does not know the others.
void add_unmade_waits(const trace::Trace& trace, Collector& out) {
  constexpr std::size_t kShown = 3;
  if (trace.is_piece) return;
  trace::UnmadeWaits waits(trace);
  for (const trace::Event& e : trace.events) waits.see(e);
  const std::vector<std::uint32_t> sites = waits.all();
  std::string places;
  for (std::size_t i = 0; i < std::min(kShown, sites.size()); ++i) {
    const trace::Site& site = trace.sites[sites[i]];
    places += fmt::format("{}{}:{} in {}", i == 0 ? "" : ", ", std::filesystem::path(site.file).filename().string(),
                          site.line, site.function);
  }
  if (sites.size() > kShown) places += fmt::format(" and at {} more places", sites.size() - kShown);
  out.add(report::kUnmadeWaits, sites.size(),
          "waits on condition variables were not made: what would end them does not show in this run", true, places);
}

void add_computation(const trace::Trace& trace, const causality::Computation& computation, Collector& out) {
  add_outside(trace, computation, out);
  out.add("untrustedSteps", computation.untrusted_steps,
          "steps are in no predicted run, because what led to them is unknown", false);
  out.add("conservativeOrders", computation.conservative_orders,
          "orders are kept as they were recorded: of barriers that more threads use than a round has, of initialisers, "
          "cancelled threads, failed joins, input and output",
          false);
}

void add_defects(const trace::Trace& trace, Collector& out) {
  const auto bounds = [](const trace::DefectRow& row) {
    return row.severity == "error" || row.defect == trace::Defect::HandedOver;
  };
  for (const trace::DefectRow& row : trace::defect_rows())
    if (row.defect != trace::Defect::UnsupportedCalls)
      out.add(camel_case(row.name), trace.defect(row.defect), std::string(row.sentence), !bounds(row));
}

// The C and C++ runtimes are in every program; their accesses of the caller's memory are recorded
// at their calls.
bool is_of_the_language(const std::string& library) {
  for (const std::string_view known : {"linux-vdso.", "linux-gate.", "ld-linux", "libc.so", "libm.so", "libgcc_s.",
                                       "libstdc++.", "libpthread.", "librt."})
    if (library.starts_with(known)) return true;
  return false;
}

void add_recording(const trace::Trace& trace, Collector& out) {
  std::string names;
  std::uint64_t calls = 0;
  for (const auto& [name, times] : trace.process.unsupported) {
    names += fmt::format("{}{}", names.empty() ? "" : ", ", name);
    calls += times;
  }
  out.add("unsupportedCalls", calls, "calls of synchronisation that Sooth does not follow", false, names);
  out.add("functionsLeftOut", trace.static_facts.functions_left_out,
          "functions have no hooks, as was asked for; calls of them count as if they could do anything", true);
  names.clear();
  std::uint64_t libraries = 0;
  for (const std::string& path : trace.process.plain_libraries) {
    const std::string library = std::filesystem::path(path).filename().string();
    if (is_of_the_language(library)) continue;
    names += fmt::format("{}{}", names.empty() ? "" : ", ", library);
    ++libraries;
  }
  out.add("uninstrumentedLibraries", libraries,
          "libraries or object files were not built with Sooth; what they do to memory is not seen", true, names);
}

// "thread 1 for `lock` at file.c:7 in f"
std::string waiting_text(const trace::Trace& trace, const std::vector<std::uint32_t>& requests) {
  constexpr std::size_t kShown = 8;
  std::string out;
  report::Narrator narrator(trace);
  std::size_t shown = 0;
  for (std::uint32_t i = 0; i < trace.events.size() && shown < kShown; ++i) {
    narrator.follow(i);
    if (std::ranges::find(requests, i) == requests.end()) continue;
    const trace::Event e = trace::awaited(trace.events[i]);
    std::string what = e.kind == trace::EventKind::Join ? narrator.value_text() : narrator.variable();
    if (what.empty()) what = fmt::format("{:#x}", e.address);
    out += fmt::format("{}thread {} for `{}`", shown++ == 0 ? "" : "; ", report::thread_text(trace, e.thread), what);
    if (const std::string place = narrator.place_text(); !place.empty()) out += " at " + place;
    if (const std::string function = narrator.function(); !function.empty()) out += " in " + function;
  }
  if (requests.size() > shown) out += fmt::format("; {} more", requests.size() - shown);
  return out;
}

// A run that was ended from outside does not show how it would have gone on. Imported traces do not
// say how they ended.
void add_end(const trace::Trace& trace, Collector& out) {
  const trace::ProcessInfo& process = trace.process;
  const bool killed = process.end == trace::EndKind::Signal;
  if (!killed && (process.end != trace::EndKind::Running || process.pid == 0)) return;
  out.add("runCutShort", 1, "run was not over when it ended; nobody knows what it would still have done", false,
          report::end_text(process));
  const std::vector<std::uint32_t> waiting = predict::waiting_at_end(trace).others;
  out.add("threadsWaiting", waiting.size(), "threads waited at the end, for what they might still have got", false,
          waiting_text(trace, waiting));
}

} // namespace

report::Coverage coverage_of(const trace::Trace& trace, const trace::ObjectTable& objects,
                             const causality::Computation& computation, const predict::Coverage& engines,
                             const LeftOut& left_out) {
  Collector out;
  out.add("eventsLeftOut", left_out.for_memory,
          "events at the end of the trace were not looked at: more memory is needed (--memory)", false);
  out.add("eventsNotReached", left_out.for_time,
          "events at the end of the trace were not looked at: more time is needed (--budget)", false);
  out.add("eventsBeyondNumbers", left_out.for_numbers,
          "events at the end of the trace were not looked at: more than 4,294,967,294 that can matter have no number",
          false);
  out.add("traceNotRead", left_out.unread ? 1 : 0,
          "trace was not read to its end: more time (--budget) or memory (--memory) is needed", false,
          left_out.part_read < 0.01 ? "less than 1 % of it"
                                    : fmt::format("about {:.0f} % of it", std::floor(100 * left_out.part_read)));
  add_end(trace, out);
  add_engines(engines, out);
  add_computation(trace, computation, out);
  if (!left_out.any()) { // or what was not read may have them
    add_unmet_signals(trace, out);
    add_unmade_waits(trace, out);
  }
  out.add("benignRaces", engines.benign,
          "pairs of places may race where that is meant to be, as the program says or in the C++ library's own memory; "
          "they are "
          "left out",
          true);
  out.add("objectsKeptTogether", objects.kept_together, "objects at reused addresses could not be told apart", false);
  out.add("eventsNotVerified", trace.events_settled,
          "events were not put into order and verified: whatever their order, locks and the creation and joining of "
          "threads rule out all that was looked for",
          true);
  add_defects(trace, out);
  add_recording(trace, out);
  return std::move(out.result);
}

} // namespace sooth::analysis
