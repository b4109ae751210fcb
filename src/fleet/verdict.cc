#include "fleet/verdict.h"

#include <limits>
#include <type_traits>

#include <nlohmann/json.hpp>

#include "report/names.h"

namespace sooth::fleet {
namespace {

using nlohmann::json;

constexpr int kVerdictVersion = 1;
constexpr std::size_t kMostRows = 10'000; // of findings and of lacks; more are not believed

// Reads fields of an object. A missing or wrong one makes `ok` false, and the answer empty.
struct Fields {
  const json& object;
  bool& ok;

  const json* find(const char* name) const {
    const auto at = object.is_object() ? object.find(name) : object.end();
    if (!object.is_object() || at == object.end()) {
      ok = false;
      return nullptr;
    }
    return &*at;
  }
  void get(const char* name, std::string& out) const {
    const json* field = find(name);
    if (field != nullptr && field->is_string()) out = field->get<std::string>();
    else ok = false;
  }
  void get(const char* name, bool& out) const {
    const json* field = find(name);
    if (field != nullptr && field->is_boolean()) out = field->get<bool>();
    else ok = false;
  }
  template <typename T>
    requires std::is_unsigned_v<T> && (!std::is_same_v<T, bool>)
  void get(const char* name, T& out) const {
    const json* field = find(name);
    if (field != nullptr && field->is_number_unsigned() && field->get<std::uint64_t>() <= std::numeric_limits<T>::max())
      out = static_cast<T>(field->get<std::uint64_t>());
    else ok = false;
  }
  template <typename Each>
  void rows(const char* name, Each each) const {
    const json* field = find(name);
    if (field == nullptr || !field->is_array() || field->size() > kMostRows) {
      ok = false;
      return;
    }
    for (const json& row : *field) each(Fields{row, ok});
  }
};

// Names of programs and files need not be UTF-8.
std::string dumped(const json& value) { return value.dump(-1, ' ', false, json::error_handler_t::replace); }

} // namespace

void fill(Verdict& verdict, const report::Report& report) {
  verdict.events = report.events;
  verdict.findings.clear();
  for (const report::FindingText& finding : report.findings)
    verdict.findings.push_back({std::string(report::name_of(finding.status)), finding.property});
  verdict.lacks.clear();
  for (const report::Gap& gap : report.coverage.gaps)
    if (!gap.complete) verdict.lacks.push_back({gap.name, gap.count, gap.sentence});
}

std::string encode_verdict(const Verdict& verdict) {
  json out = {{"verdict", kVerdictVersion},   {"id", verdict.id.text()},    {"program", verdict.program},
              {"pid", verdict.pid},           {"relay", verdict.relay},     {"observer", verdict.observer},
              {"property", verdict.property}, {"final", verdict.final},     {"complete", verdict.complete},
              {"records", verdict.records},   {"waiting", verdict.waiting}, {"events", verdict.events},
              {"findings", json::array()},    {"lacks", json::array()}};
  for (const Verdict::Found& found : verdict.findings)
    out["findings"].push_back({{"status", found.status}, {"property", found.property}});
  for (const Verdict::Lack& lack : verdict.lacks)
    out["lacks"].push_back({{"name", lack.name}, {"count", lack.count}, {"sentence", lack.sentence}});
  std::string text = dumped(out);
  if (verdict.report.empty()) return text;
  out["report"] = verdict.report; // as text: readers of verdicts need not know what is in a report
  std::string whole = dumped(out);
  return whole.size() <= kMostRecord ? whole : text;
}

Result<Verdict> decode_verdict(std::string_view text) {
  const Error wrong = {"a verdict with wrong fields.", "", 0, 0};
  const json object = json::parse(text, nullptr, false);
  if (object.is_discarded() || !object.is_object()) return Error{"bytes that are no verdict.", "", 0, 0};
  bool ok = true;
  const Fields fields{object, ok};
  std::uint32_t version = 0;
  fields.get("verdict", version);
  if (!ok || version != kVerdictVersion) return Error{"a verdict of another version.", "", 0, 0};
  Verdict out;
  std::string id;
  fields.get("id", id);
  fields.get("program", out.program);
  fields.get("pid", out.pid);
  fields.get("relay", out.relay);
  fields.get("observer", out.observer);
  fields.get("property", out.property);
  fields.get("final", out.final);
  fields.get("complete", out.complete);
  fields.get("records", out.records);
  fields.get("waiting", out.waiting);
  fields.get("events", out.events);
  fields.rows("findings", [&](const Fields& row) {
    row.get("status", out.findings.emplace_back().status);
    row.get("property", out.findings.back().property);
  });
  fields.rows("lacks", [&](const Fields& row) {
    row.get("name", out.lacks.emplace_back().name);
    row.get("count", out.lacks.back().count);
    row.get("sentence", out.lacks.back().sentence);
  });
  if (object.contains("report")) fields.get("report", out.report);
  const auto parsed = parse_id(id);
  if (!ok || !parsed) return wrong;
  out.id = parsed.value();
  return out;
}

} // namespace sooth::fleet
