#include "report/json.h"

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "report/files/excerpts.h"
#include "report/headline.h"
#include "report/names.h"
#include "report/phrases.h"
#include "report/terminal/advice.h"

namespace sooth::report {

namespace {

using Json = nlohmann::ordered_json;

std::string hex(std::uint64_t number) { return fmt::format("{:#x}", number); }

Json spot_json(const Spot& spot) {
  return {{"file", spot.file}, {"line", spot.line}, {"column", spot.column}, {"function", spot.function}};
}

Json stack_json(const std::vector<Spot>& stack) {
  Json out = Json::array();
  for (const Spot& spot : stack) {
    out.push_back(spot_json(spot));
    if (spot.inlined) out.back()["inlined"] = true;
    if (spot.system) out.back()["system"] = true;
  }
  return out;
}

Json object_json(const ObjectText& object) {
  Json out = {{"sort", object.sort}, {"name", object.name}, {"address", hex(object.address)}, {"bytes", object.bytes}};
  if (!object.type.empty()) out["type"] = object.type;
  if (object.spot.line != 0) out["at"] = spot_json(object.spot);
  if (object.sort != "global") out["thread"] = object.thread;
  if (!object.stack.empty()) out["stack"] = stack_json(object.stack);
  return out;
}

Json site_json(const PlaceText& place) {
  const StepText& step = place.step;
  Json out = spot_json(step.spot);
  out["variable"] = step.variable;
  out["thread"] = step.thread;
  out["event"] = step.event;
  out["kind"] = step.kind;
  out["role"] = name_of(place.role);
  if (!place.order.empty()) out["order"] = place.order;
  if (step.access) out["size"] = step.size;
  if (step.pending) out["since"] = place.since;
  out["stack"] = stack_json(place.stack);
  out["locks"] = Json::array();
  for (const HeldLock& lock : place.locks)
    out["locks"].push_back({{"name", lock.name},
                            {"address", hex(lock.address)},
                            {"shared", lock.shared},
                            {"taken", spot_json(lock.taken)}});
  if (!place.object.sort.empty()) out["object"] = object_json(place.object);
  return out;
}

Json thread_json(const ThreadText& thread) {
  Json out = {{"thread", thread.number}, {"name", thread.name}};
  if (!thread.start.empty()) out["start"] = thread.start;
  if (thread.created) {
    out["parent"] = thread.parent;
    out["stack"] = stack_json(thread.stack);
  }
  return out;
}

Json step_json(const StepText& step) {
  Json out = {{"thread", step.thread},  {"event", step.event},    {"kind", step.kind},
              {"file", step.spot.file}, {"line", step.spot.line}, {"value", hex(step.number)}};
  if (!step.variable.empty()) out["variable"] = step.variable;
  return out;
}

Json steps_json(const Report& report, const std::vector<std::uint32_t>& events) {
  Json out = Json::array();
  for (const std::uint32_t event : events) out.push_back(step_json(step_of(report, event)));
  return out;
}

Json run_step_json(const RunStepText& step) {
  return {{"thread", step.thread},  {"event", step.event},       {"what", step.what},  {"file", step.spot.file},
          {"line", step.spot.line}, {"observed", step.observed}, {"state", step.state}};
}

Json steps_of_run(const std::vector<RunStepText>& steps) {
  Json out = Json::array();
  for (const RunStepText& step : steps) out.push_back(run_step_json(step));
  return out;
}

Json run_json(const RunText& run) {
  Json out = {{"rule", run.rule}, {"place", run.place}, {"initial", run.initial}, {"skipped", run.skipped}};
  if (run.repeated != 0) out["repeated"] = run.repeated;
  if (!run.cut.empty()) out["cut"] = run.cut;
  out["steps"] = steps_of_run(run.steps);
  if (!run.unordered.empty()) out["unordered"] = steps_of_run(run.unordered);
  return out;
}

Json replay_json(const FindingText& finding) {
  Json out = {{"witness", finding.script}};
  if (!finding.diverged.empty()) out["diverged"] = finding.diverged;
  if (!finding.replayed.empty()) out["seen"] = finding.replayed;
  return out;
}

// Files below `folder` by their names there.
std::string without_folder(std::string text, const std::string& folder) {
  if (folder.empty()) return text;
  for (std::size_t at = 0; (at = text.find(folder + "/", at)) != std::string::npos;) text.erase(at, folder.size() + 1);
  return text;
}

// The events of the two orders that the text shows.
Json story_json(const FindingText& finding) {
  Json out = {{"recorded", Json::array()}, {"predicted", Json::array()}};
  for (const StoryStep& step : finding.recorded) out["recorded"].push_back(step.event);
  for (const StoryStep& step : finding.predicted) out["predicted"].push_back(step.event);
  return out;
}

Json finding_json(const Report& report, const FindingText& finding) {
  Json out;
  out["id"] = finding.id;
  out["fingerprint"] = finding.fingerprint;
  out["title"] = headline(finding);
  out["kind"] = row_of(finding.kind).name;
  out["status"] = name_of(finding.status);
  out["property"] = finding.property.empty() ? Json(nullptr) : Json(finding.property);
  out["model"] = name_of(finding.model);
  out["engine"] = finding.engine;
  out["count"] = finding.count;
  if (!finding.note.empty()) out["note"] = finding.note;
  if (const std::string reason = reason_for(finding); !reason.empty()) out["reason"] = reason;
  if (const std::string advice = advice_for(report, finding); !advice.empty())
    out["advice"] = without_folder(advice, report.directory);
  if (const std::string command = replay_command(report, finding); !command.empty()) out["toSeeIt"] = command;
  if (!finding.run.rule.empty()) out["run"] = run_json(finding.run);
  else if (!finding.run.unordered.empty()) out["run"] = {{"unordered", steps_of_run(finding.run.unordered)}};
  if (finding.suppressed_pairs != 0) out["suppressedPairs"] = finding.suppressed_pairs;
  if (!report.traces.empty()) {
    out["trace"] = finding.trace;
    out["alsoIn"] = finding.also_in;
  }
  out["sites"] = Json::array();
  for (const PlaceText& place : finding.places) out["sites"].push_back(site_json(place));
  out["threads"] = Json::array();
  for (const ThreadText& thread : finding.threads) out["threads"].push_back(thread_json(thread));
  if (!finding.recorded.empty()) out["story"] = story_json(finding);
  out["observed"] = steps_json(report, finding.observed);
  out["witnessObserved"] = finding.observed_prefix;
  out["witness"] = steps_json(report, finding.schedule);
  out["witnessLeftOut"] = finding.left_out;
  out["next"] = steps_json(report, finding.next);
  if (!finding.script.empty()) out["replay"] = replay_json(finding);
  if (!finding.reads_from.empty()) {
    out["readsFrom"] = Json::array();
    for (const auto& [read, write] : finding.reads_from) out["readsFrom"].push_back({{"event", read}, {"from", write}});
  }
  return out;
}

// Everything about an event that does not depend on a finding. Short, because there are many.
Json event_json(const StepText& step, std::size_t context) {
  Json out = {{"event", step.event},        {"thread", step.thread},         {"kind", step.kind},
              {"what", step_phrase(step)},  {"variable", step.variable},     {"value", hex(step.number)},
              {"text", step.value},         {"file", step.spot.file},        {"line", step.spot.line},
              {"column", step.spot.column}, {"function", step.spot.function}};
  if (step.address != 0) out["address"] = hex(step.address);
  if (step.size != 0) out["size"] = step.size;
  if (!step.order.empty()) out["order"] = step.order;
  if (step.synchronises) out["synchronises"] = true;
  if (step.pending) out["pending"] = true;
  if (step.from) out["from"] = *step.from;
  if (step.context) out["context"] = context;
  return out;
}

Json context_json(const Context& context) {
  Json locks = Json::array();
  for (const HeldLock& lock : context.locks)
    locks.push_back({{"name", lock.name}, {"address", hex(lock.address)}, {"shared", lock.shared}});
  return {{"stack", stack_json(context.stack)}, {"locks", std::move(locks)}};
}

// The contexts of the steps, each once, and the number of each.
struct Contexts {
  explicit Contexts(const Report& report) {
    for (const StepText& step : report.steps)
      if (step.context && numbers.try_emplace(step.context.get(), all.size()).second) all.push_back(step.context.get());
  }
  std::size_t number(const StepText& step) const {
    const auto it = numbers.find(step.context.get());
    return it == numbers.end() ? 0 : it->second;
  }
  std::vector<const Context*> all;
  absl::flat_hash_map<const Context*, std::size_t> numbers;
};

// Short, because a report may have very many.
Json pair_json(const Report& report, const PairText& pair) {
  Json sites = Json::array();
  for (const witness::Place& place : pair.places) {
    const StepText& step = step_of(report, place.event);
    sites.push_back({{"file", step.spot.file},
                     {"line", step.spot.line},
                     {"column", step.spot.column},
                     {"function", step.spot.function},
                     {"variable", step.variable},
                     {"kind", step.kind},
                     {"role", name_of(place.role)},
                     {"thread", step.thread},
                     {"event", step.event}});
  }
  return {{"fingerprint", pair.fingerprint},
          {"status", name_of(pair.status)},
          {"engine", pair.engine},
          {"count", pair.count},
          {"sites", std::move(sites)}};
}

Json candidate_json(const FindingText& candidate) {
  Json out = {{"kind", row_of(candidate.kind).name}, {"reason", candidate.note}, {"sites", Json::array()}};
  for (const PlaceText& place : candidate.places) out["sites"].push_back(site_json(place));
  return out;
}

Json coverage_json(const Report& report) {
  const Coverage& coverage = report.coverage;
  Json out = {{"complete", coverage.complete},     {"unanswered", coverage.unanswered}, {"pieces", coverage.pieces},
              {"candidates", coverage.candidates}, {"undecided", coverage.undecided},   {"externalWrites", 0},
              {"uninstrumentedLibraries", 0}};
  for (const Gap& gap : coverage.gaps) out[gap.name] = gap.count;
  out["rejected"] = report.rejected;
  out["suppressed"] = report.suppressed;
  out["limits"] = Json::array();
  for (const Gap& gap : coverage.gaps)
    out["limits"].push_back({{"name", gap.name},
                             {"count", gap.count},
                             {"sentence", gap.sentence},
                             {"complete", gap.complete},
                             {"detail", gap.detail}});
  return out;
}

Json traces_json(const Report& report) {
  Json out = Json::array();
  for (const TraceText& trace : report.traces) {
    out.push_back({{"file", trace.file},
                   {"events", trace.events},
                   {"analysed", trace.analysed},
                   {"threads", trace.threads},
                   {"firstEvent", trace.first_event}});
    if (trace.process.number == 0) continue; // imported
    out.back()["process"] = trace.process.number;
    out.back()["parent"] = trace.process.parent;
    out.back()["child"] = trace.child;
  }
  return out;
}

// Writes one JSON object, value by value.
class JsonWriter {
public:
  explicit JsonWriter(const JsonSink& sink) : sink_(sink) {}

  void open() { put("{"); }
  void close() { put("\n}\n"); }

  void member(std::string_view name, const Json& value) {
    begin_member(name);
    put(indented(value, 1));
  }
  // A list; `write_item(i)` makes one item after the other.
  template <typename WriteItem>
  void list(std::string_view name, std::size_t items, const WriteItem& write_item) {
    begin_member(name);
    put(items == 0 ? "[]" : "[");
    for (std::size_t i = 0; i < items && wanted_; ++i) {
      put(i == 0 ? "\n    " : ",\n    ");
      write_item(i);
    }
    if (items != 0) put("\n  ]");
  }
  void put(std::string_view text) { wanted_ = wanted_ && sink_(text); }

  // Names come from the program: replaces bytes that are not UTF-8.
  static std::string dumped(const Json& value, int indent) {
    return value.dump(indent, ' ', false, Json::error_handler_t::replace);
  }
  // As a part of a value that is nested `levels` deep.
  static std::string indented(const Json& value, std::size_t levels) {
    const std::string text = dumped(value, 2);
    const std::string margin(2 * levels, ' ');
    std::string out;
    out.reserve(text.size() + text.size() / 4);
    for (const char letter : text) {
      out += letter;
      if (letter == '\n') out += margin;
    }
    return out;
  }

private:
  void begin_member(std::string_view name) {
    put(fmt::format("{}\n  \"{}\": ", first_ ? "" : ",", name));
    first_ = false;
  }

  const JsonSink& sink_;
  bool first_ = true;
  bool wanted_ = true;
};

// The lines come last, each on a line of its own.
void write_finding(const Report& report, const FindingText& finding, JsonWriter& out) {
  std::string text = JsonWriter::indented(finding_json(report, finding), 2);
  if (finding.pairs.empty()) return out.put(text);
  text.resize(text.rfind('\n')); // without the closing brace
  out.put(text);
  out.put(",\n      \"pairs\": [");
  for (const PairText& pair : finding.pairs)
    out.put(fmt::format("{}\n        {}", &pair == finding.pairs.data() ? "" : ",",
                        JsonWriter::dumped(pair_json(report, pair), -1)));
  out.put("\n      ]\n    }");
}

void write_events(const Report& report, JsonWriter& out) {
  const Contexts contexts(report);
  out.list("events", report.steps.size(), [&](std::size_t i) {
    out.put(JsonWriter::dumped(event_json(report.steps[i], contexts.number(report.steps[i])), -1));
  });
  out.list("contexts", contexts.all.size(),
           [&](std::size_t i) { out.put(JsonWriter::dumped(context_json(*contexts.all[i]), -1)); });
  const std::vector<Excerpt> sources = excerpts(report);
  out.list("sources", sources.size(), [&](std::size_t i) {
    out.put(
        JsonWriter::dumped({{"file", sources[i].file}, {"first", sources[i].first}, {"lines", sources[i].lines}}, -1));
  });
}

} // namespace

void json(const Report& report, const JsonSink& sink) {
  JsonWriter out(sink);
  out.open();
  out.member("sooth", report.version);
  out.member("program", {{"name", report.program}, {"arguments", report.arguments}, {"directory", report.directory}});
  out.member(
      "trace",
      {{"file", report.trace}, {"events", report.events}, {"analysed", report.analysed}, {"threads", report.threads}});
  if (!report.traces.empty()) out.member("traces", traces_json(report));
  out.member("partial", report.partial);
  out.member("model", report.model);
  out.member("find", report.looked_for);
  out.list("findings", report.findings.size(), [&](std::size_t i) { write_finding(report, report.findings[i], out); });
  if (!report.candidates.empty())
    out.list("candidates", report.candidates.size(),
             [&](std::size_t i) { out.put(JsonWriter::indented(candidate_json(report.candidates[i]), 2)); });
  out.member("coverage", coverage_json(report));
  write_events(report, out);
  out.close();
}

std::string json(const Report& report) {
  std::string out;
  json(report, [&](std::string_view text) {
    out += text;
    return true;
  });
  return out;
}

} // namespace sooth::report
