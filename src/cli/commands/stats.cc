// `sooth stats`: the contents of a trace, and its gaps.
#include <algorithm>
#include <string>

#include <nlohmann/json.hpp>

#include "cli/account.h"
#include "cli/command.h"
#include "cli/output.h"
#include "cli/parser.h"
#include "cli/tally.h"
#include "cli/trace_within.h"
#include "report/end_text.h"

namespace sooth::cli {

using trace::Trace;

namespace {

using Json = nlohmann::ordered_json;

Json defects_json(const Trace& trace) {
  Json out = Json::object();
  for (const trace::DefectRow& row : trace::defect_rows())
    if (const std::uint64_t count = trace.defect(row.defect); count != 0)
      out[std::string(row.name)] = {{"count", count}, {"severity", row.severity}, {"sentence", row.sentence}};
  return out;
}

Json by_thread_json(const std::map<std::uint32_t, std::uint64_t>& by_thread) {
  Json out = Json::object();
  for (const auto& [thread, count] : by_thread) out[std::to_string(thread)] = count;
  return out;
}

Json process_json(const trace::ProcessInfo& process) {
  Json out;
  out["name"] = process.program;
  out["arguments"] = process.arguments;
  out["directory"] = process.directory;
  out["pid"] = process.pid;
  out["end"] = report::end_text(process);
  out["endValue"] = process.end_value;
  out["plainLibraries"] = process.plain_libraries;
  out["unsupported"] = Json::object();
  for (const auto& [name, calls] : process.unsupported) out["unsupported"][name] = calls;
  return out;
}

void print_json(const Trace& trace, const Tally& counts, std::size_t top, Output& out) {
  Json json;
  json["program"] = process_json(trace.process);
  json["events"] = trace.events.size();
  json["bytes"] = trace.file_bytes;
  json["bytesPerEvent"] =
      trace.events.empty() ? 0.0 : static_cast<double>(trace.file_bytes) / static_cast<double>(trace.events.size());
  json["kinds"] = Json::object();
  for (const trace::EventKind kind : trace::all_kinds())
    if (counts.of(kind) != 0) json["kinds"][std::string(trace::kind_name(kind))] = counts.of(kind);
  json["threads"] = Json::array();
  for (std::size_t i = 0; i < trace.threads.size(); ++i)
    json["threads"].push_back({{"thread", i},
                               {"name", trace.threads[i].name},
                               {"parent", trace.threads[i].parent},
                               {"events", counts.by_thread[i]},
                               {"ended", trace.threads[i].ended}});
  json["sharedVariables"] = Json::array();
  for (std::size_t i = 0; i < std::min(top, counts.shared.size()); ++i) {
    const VariableRow& row = counts.shared[i];
    json["sharedVariables"].push_back({{"name", row.name},
                                       {"places", row.places},
                                       {"sharedPlaces", row.shared_places},
                                       {"reads", row.reads},
                                       {"writes", row.writes},
                                       {"byThread", by_thread_json(row.by_thread)}});
  }
  json["sharedVariableCount"] = counts.shared.size();
  json["locks"] = Json::array();
  for (std::size_t i = 0; i < std::min(top, counts.locks.size()); ++i) {
    const LockRow& row = counts.locks[i];
    json["locks"].push_back({{"name", row.name},
                             {"acquires", row.acquires},
                             {"sharedAcquires", row.shared_acquires},
                             {"failed", row.failed},
                             {"byThread", by_thread_json(row.by_thread)}});
  }
  json["lockCount"] = counts.locks.size();
  json["externalWrites"] = counts.of(trace::EventKind::ExternalWrite);
  json["defects"] = defects_json(trace);
  json["notes"] = trace.notes;
  out.print("{}\n", json.dump(2, ' ', false, Json::error_handler_t::replace));
}

void print_text(const Trace& trace, const Tally& counts, std::size_t top, Output& out) {
  print_program(trace, out);
  out.print("\nevents      {}\n", trace.events.size());
  for (const trace::EventKind kind : trace::all_kinds())
    if (counts.of(kind) != 0) out.print("  {:<15} {:>12}\n", trace::kind_name(kind), counts.of(kind));
  if (trace.file_bytes != 0 && !trace.events.empty())
    out.print("file        {}, {:.1f} bytes per event\n", byte_text(trace.file_bytes),
              static_cast<double>(trace.file_bytes) / static_cast<double>(trace.events.size()));
  out.text("\n");
  print_threads(trace, counts, top, out);
  print_shared(trace, counts, top, out);
  print_locks(trace, counts, top, out);
  print_gaps(trace, out);
}

} // namespace

int run_stats(int argc, char** argv) {
  std::string file, memory;
  bool json = false;
  std::size_t top = 20;
  Parser parser("stats",
                "Count what is in a trace: events, threads, shared variables, locks; and what is not: defects.",
                "  sooth stats bank.sooth\n"
                "  sooth stats bank.sooth --top 100 --json\n");
  parser.add_option("trace", file, "The trace file")->required()->type_name("T.sooth");
  parser.add_flag("--json", json, "The result as one JSON object");
  parser.add_option("--top", top, "List at most N threads, variables and locks")->type_name("N")->show_default();
  add_memory_option(parser, memory);
  if (const auto status = parser.parse_all(argc, argv)) return *status;

  return with_trace(file, memory, [&](const Trace& trace, const BeginTelling& begin) {
    const Tally counts = tally(trace);
    begin();
    Output out;
    if (json) print_json(trace, counts, top, out);
    else print_text(trace, counts, top, out);
    return out.finish();
  });
}

} // namespace sooth::cli
