#include "report/files/sarif.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "report/headline.h"
#include "report/names.h"
#include "report/phrases.h"
#include "report/source_lines.h"

namespace sooth::report {

namespace {

using Sarif = nlohmann::ordered_json;

constexpr const char* kRoot = "SRCROOT";

bool is_plain_in_uri(unsigned char letter) {
  constexpr std::string_view kPlain = "-._~/";
  return (letter >= '0' && letter <= '9') || (letter >= 'A' && letter <= 'Z') || (letter >= 'a' && letter <= 'z') ||
         kPlain.find(static_cast<char>(letter)) != std::string_view::npos;
}

std::string uri_of(std::string_view path) {
  std::string out;
  for (const char letter : path) {
    const auto byte = static_cast<unsigned char>(letter);
    if (is_plain_in_uri(byte)) out += letter;
    else out += fmt::format("%{:02X}", byte);
  }
  return out;
}

class SarifWriter {
public:
  explicit SarifWriter(const Report& report)
      : report_(report), sources_(report.directory),
        root_(report.directory.empty() || report.directory.ends_with('/') ? report.directory : report.directory + "/") {
  }

  Sarif write() {
    Sarif run = {{"tool", {{"driver", driver()}}}, {"invocations", Sarif::array({invocation()})}};
    if (!root_.empty()) run["originalUriBaseIds"] = {{kRoot, {{"uri", "file://" + uri_of(root_)}}}};
    run["results"] = Sarif::array();
    for (const FindingText& finding : report_.findings) run["results"].push_back(result(finding));
    return {{"$schema", "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"},
            {"version", "2.1.0"},
            {"runs", Sarif::array({std::move(run)})}};
  }

private:
  Sarif driver() const {
    Sarif rules = Sarif::array();
    for (const KindRow& row : kind_rows())
      rules.push_back({{"id", row.name}, {"shortDescription", {{"text", row.headline}}}});
    return {{"name", "Sooth"}, {"version", report_.version}, {"rules", std::move(rules)}};
  }

  Sarif invocation() const {
    Sarif out = {{"executionSuccessful", !report_.partial}};
    Sarif notes = Sarif::array();
    for (const Gap& gap : report_.coverage.gaps)
      notes.push_back(
          {{"level", gap.complete ? "note" : "warning"},
           {"message",
            {{"text", fmt::format("{} {}{}", gap.count, gap.sentence, gap.detail.empty() ? "" : ": " + gap.detail)}}}});
    for (const std::string& words : report_.coverage.unanswered)
      notes.push_back({{"level", "warning"}, {"message", {{"text", "no answer about " + words}}}});
    for (const std::string& objection : report_.objections)
      notes.push_back({{"level", "error"}, {"message", {{"text", "internal error: " + objection}}}});
    out["toolExecutionNotifications"] = std::move(notes);
    return out;
  }

  Sarif artifact(const std::string& file) const {
    if (!root_.empty() && file.starts_with(root_))
      return {{"uri", uri_of(file.substr(root_.size()))}, {"uriBaseId", kRoot}};
    if (file.starts_with('/')) return {{"uri", "file://" + uri_of(file)}};
    Sarif out = {{"uri", uri_of(file)}};
    if (!root_.empty()) out["uriBaseId"] = kRoot;
    return out;
  }

  Sarif location(const Spot& spot, const std::string& message) {
    Sarif out = Sarif::object();
    if (!spot.file.empty() && spot.line != 0) {
      Sarif region = {{"startLine", spot.line}};
      if (spot.column != 0) region["startColumn"] = spot.column;
      if (const auto line = sources_.line(spot.file, spot.line)) region["snippet"] = {{"text", *line}};
      out["physicalLocation"] = {{"artifactLocation", artifact(spot.file)}, {"region", std::move(region)}};
    }
    if (!spot.function.empty())
      out["logicalLocations"] = Sarif::array({{{"fullyQualifiedName", spot.function}, {"kind", "function"}}});
    if (!message.empty()) out["message"] = {{"text", message}};
    return out;
  }

  Sarif stack(const std::vector<Spot>& spots, const std::string& message) {
    Sarif frames = Sarif::array();
    for (const Spot& spot : spots) frames.push_back({{"location", location(spot, "")}});
    return {{"message", {{"text", message}}}, {"frames", std::move(frames)}};
  }

  // One thread flow for each thread, in the order of their first steps.
  Sarif code_flow(const FindingText& finding, const std::string& name, const std::vector<std::uint32_t>& events) {
    std::vector<std::uint32_t> order; // threads
    std::map<std::uint32_t, Sarif> flows;
    std::uint64_t place = 0;
    for (const std::uint32_t event : events) {
      const StepText& step = step_of(report_, event);
      ++place;
      if (step.spot.file.empty() || step.spot.line == 0 || step.spot.system) continue;
      const auto [it, fresh] = flows.try_emplace(step.thread, Sarif::array());
      if (fresh) order.push_back(step.thread);
      const bool essential =
          std::ranges::any_of(finding.places, [&](const PlaceText& one) { return one.step.event == event; });
      it->second.push_back({{"location", location(step.spot, step_phrase(step))},
                            {"executionOrder", place},
                            {"importance", essential ? "essential" : "important"}});
    }
    if (order.empty()) return {};
    Sarif threads = Sarif::array();
    for (const std::uint32_t thread : order)
      threads.push_back({{"id", fmt::format("{}", thread)},
                         {"message", {{"text", thread_phrase(finding, thread)}}},
                         {"locations", std::move(flows[thread])}});
    return {{"message", {{"text", name}}}, {"threadFlows", std::move(threads)}};
  }

  Sarif code_flows(const FindingText& finding) {
    std::vector<std::uint32_t> other = finding.schedule;
    if (!finding.run.steps.empty()) {
      other.clear();
      for (const RunStepText& step : finding.run.steps) other.push_back(step.event);
    }
    other.insert(other.end(), finding.next.begin(), finding.next.end());
    Sarif out = Sarif::array();
    if (Sarif flow = code_flow(finding, "the recorded run", finding.observed); !flow.is_null())
      out.push_back(std::move(flow));
    const std::string name = fmt::format("the {} run, after the first {} events as recorded", name_of(finding.status),
                                         finding.observed_prefix);
    if (Sarif flow = code_flow(finding, name, other); !flow.is_null()) out.push_back(std::move(flow));
    return out;
  }

  static std::string place_text(const FindingText& finding, const PlaceText& place) {
    return fmt::format("{} {}", thread_phrase(finding, place.step.thread), place_phrase(place));
  }

  Sarif result(const FindingText& finding) {
    const auto rows = kind_rows();
    const auto row = std::ranges::find(rows, finding.kind, &KindRow::kind);
    Sarif out = {{"ruleId", row_of(finding.kind).name},
                 {"ruleIndex", row - rows.begin()},
                 {"level", finding.kind == witness::FindingKind::PossibleLiveness ? "warning" : "error"},
                 {"message", {{"text", message(finding)}}},
                 {"partialFingerprints", {{"sooth/v1", finding.fingerprint}}}};
    Sarif locations = Sarif::array(), related = Sarif::array(), stacks = Sarif::array();
    for (const PlaceText& place : finding.places) {
      Sarif one = location(place.step.spot, place_text(finding, place));
      if (locations.empty() && one.contains("physicalLocation")) locations.push_back(std::move(one));
      else related.push_back(std::move(one));
      if (!place.stack.empty()) stacks.push_back(stack(place.stack, place_text(finding, place)));
    }
    out["locations"] = std::move(locations);
    if (!related.empty()) out["relatedLocations"] = std::move(related);
    if (!stacks.empty()) out["stacks"] = std::move(stacks);
    if (Sarif flows = code_flows(finding); !flows.empty()) out["codeFlows"] = std::move(flows);
    out["properties"] = {{"status", name_of(finding.status)},
                         {"model", name_of(finding.model)},
                         {"engine", finding.engine},
                         {"count", finding.count}};
    return out;
  }

  static std::string message(const FindingText& finding) {
    std::string out = headline(finding);
    if (const std::string places = places_sentence(finding); !places.empty()) out += ": " + places;
    return finding.note.empty() ? out + "." : out + ". " + finding.note;
  }

  const Report& report_;
  SourceLines sources_;
  const std::string root_;
};

} // namespace

void sarif(const Report& report, const JsonSink& sink) {
  sink(SarifWriter(report).write().dump(1, ' ', false, Sarif::error_handler_t::replace) + "\n");
}

} // namespace sooth::report
