#include "report/between/known.h"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <utility>

#include <absl/container/flat_hash_set.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace sooth::report {

namespace {

using Known = nlohmann::json;

std::string word(const Known& object, const char* name) {
  const auto it = object.find(name);
  return it != object.end() && it->is_string() ? it->get<std::string>() : std::string();
}

std::string place_of(const Known& site) {
  const auto line = site.find("line");
  const std::string file = word(site, "file"), function = word(site, "function");
  if (file.empty() || line == site.end() || !line->is_number_unsigned()) return function;
  return fmt::format("{}:{}{}{}", file, line->get<std::uint64_t>(), function.empty() ? "" : " in ", function);
}

KnownFinding known_of(const Known& finding) {
  KnownFinding out{
      word(finding, "fingerprint"), word(finding, "kind"), word(finding, "status"), word(finding, "title"), {}};
  if (out.title.empty()) out.title = out.status + " " + out.kind;
  if (const auto sites = finding.find("sites"); sites != finding.end() && sites->is_array())
    for (const Known& site : *sites)
      if (site.is_object() && word(site, "role") != "hold") out.places.push_back(place_of(site));
  return out;
}

bool has(const absl::flat_hash_set<std::string>& fingerprints, const std::string& one) {
  return fingerprints.contains(one);
}

absl::flat_hash_set<std::string> fingerprints_of(const std::vector<KnownFinding>& findings) {
  absl::flat_hash_set<std::string> out;
  for (const KnownFinding& finding : findings) out.insert(finding.fingerprint);
  return out;
}

} // namespace

Result<std::vector<KnownFinding>> read_known(std::string_view json, const std::string& file) {
  const Known all = Known::parse(json, nullptr, false);
  if (all.is_discarded()) return Error{"this is no JSON; a report is what --json writes.", file};
  const auto findings = all.is_object() ? all.find("findings") : all.end();
  if (!all.is_object() || findings == all.end() || !findings->is_array())
    return Error{"this is no report: it has no list `findings`. A report is what --json writes.", file};
  std::vector<KnownFinding> out;
  for (const Known& finding : *findings) {
    if (!finding.is_object() || word(finding, "fingerprint").empty())
      return Error{fmt::format("finding {} has no fingerprint.", out.size() + 1), file};
    out.push_back(known_of(finding));
  }
  return out;
}

Result<std::vector<KnownFinding>> read_known_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  if (!in) return Error{"cannot read the report.", path};
  return read_known(std::move(text).str(), path);
}

Difference difference(const std::vector<KnownFinding>& before, const std::vector<KnownFinding>& after) {
  const auto old_ones = fingerprints_of(before), new_ones = fingerprints_of(after);
  Difference out;
  for (const KnownFinding& finding : after)
    (has(old_ones, finding.fingerprint) ? out.unchanged : out.fresh).push_back(finding);
  for (const KnownFinding& finding : before)
    if (!has(new_ones, finding.fingerprint)) out.gone.push_back(finding);
  return out;
}

void leave_out_known(const std::vector<KnownFinding>& known, const std::string& file, Report& report) {
  const auto fingerprints = fingerprints_of(known);
  const std::size_t left_out = std::erase_if(
      report.findings, [&](const FindingText& finding) { return has(fingerprints, finding.fingerprint); });
  if (left_out == 0) return;
  std::uint32_t id = 0;
  for (FindingText& finding : report.findings) finding.id = ++id;
  report.coverage.gaps.push_back(
      {"known", left_out,
       left_out == 1 ? "finding is in the baseline and not shown" : "findings are in the baseline and not shown", true,
       file});
}

} // namespace sooth::report
