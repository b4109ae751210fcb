#include "analysis/property_engine.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "causality/models/model.h"
#include "explore/exploration.h"
#include "logic/resolve.h"
#include "properties/monitors.h"
#include "properties/properties.h"

namespace sooth::analysis {

namespace {

constexpr double kLeastForProperties = 1; // properties are checked in any case

struct PropertyFindings {
  std::vector<witness::Finding> found;
  std::vector<report::Gap> gaps; // coverage, remarks, and requested counts
};

void add_counts(const properties::PropertyAnswer& answer, std::vector<report::Gap>& gaps) {
  const explore::RunCount& counted = *answer.counted;
  if (counted.end != explore::End::Complete) {
    gaps.push_back({"runs", 1, "count was not finished within the budget", false});
    return;
  }
  gaps.push_back({"cuts", counted.cuts, fmt::format("cuts, through which {} runs go", counted.runs.text()), true});
  for (std::size_t m = 0; m < counted.violating.size(); ++m)
    gaps.push_back({"violatingRuns", 1,
                    fmt::format("property: `{}` is violated in {} of {} runs", answer.counted_properties[m],
                                counted.violating[m].text(), counted.runs.text()),
                    true});
}

// `monitor` entries. They are about the recorded computation, under every model.
std::optional<Error> find_monitors(const Prepared& prepared, const logic::PropertyFile& file, PropertyFindings& out) {
  auto answer = properties::check_monitors(prepared.trace, prepared.computation, file);
  if (!answer) return answer.error();
  out.found = std::move(answer->findings);
  for (const std::string& bound : answer->bounds) out.gaps.push_back({"monitorBounds", 1, "bound: " + bound, false});
  for (const std::string& remark : answer->remarks)
    out.gaps.push_back({"monitorRemarks", 1, "remark: " + remark, true});
  return std::nullopt;
}

// Without --model, the answer is that of `full` where reads are free. Its lattice may be too large
// to be explored to the end; that of `hb` is smaller, and all its runs are runs of `full`, too. So
// violations that `hb` finds are kept whatever becomes of `full`. Only `full` can say "complete".
// Runs are counted under `hb`: those of `full` also differ in steps that no property sees.
Result<properties::PropertyAnswer> check_default(const Prepared& prepared, const logic::PropertyFile& file,
                                                 properties::PropertyOptions options) {
  const auto check = [&](std::string_view model) {
    return properties::check_properties(prepared.trace, prepared.computation, file, model, options);
  };
  const bool one_only = options.exploration.until == explore::Until::First;
  if (options.exploration.until == explore::Until::All) return check("full");
  const auto start = std::chrono::steady_clock::now();
  auto quick = check("hb");
  if (!quick || (one_only && !quick->findings.empty())) return quick;
  const double spent = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  double& budget = options.exploration.budget_seconds;
  if (budget != 0) budget = std::max(budget - spent, kLeastForProperties);
  options.count = false;
  auto answer = check("full");
  if (!answer) return answer;
  if (quick->counted) {
    answer->counted = std::move(quick->counted);
    answer->counted_properties = std::move(quick->counted_properties);
    answer->remarks.emplace_back("runs are counted under hb");
  }
  for (witness::Finding& finding : quick->findings) {
    const auto same = [&](const witness::Finding& other) { return other.property == finding.property; };
    if (std::ranges::none_of(answer->findings, same)) answer->findings.push_back(std::move(finding));
  }
  return answer;
}

// All other entries, under the chosen model.
std::optional<Error> find_violations(const Prepared& prepared, const logic::PropertyFile& file,
                                     const PropertyOptions& choice, const explore::Options& exploration,
                                     PropertyFindings& out) {
  properties::PropertyOptions options;
  options.exploration = exploration;
  options.count = choice.count;
  const std::string model = choice.model.empty() ? default_model_for_properties(prepared) : choice.model;
  auto answer = choice.model.empty() && model == "full"
                    ? check_default(prepared, file, options)
                    : properties::check_properties(prepared.trace, prepared.computation, file, model, options);
  if (!answer) return answer.error();
  std::move(answer->findings.begin(), answer->findings.end(), std::back_inserter(out.found));
  for (const std::string& bound : answer->bounds) out.gaps.push_back({"propertyBounds", 1, "bound: " + bound, false});
  for (const std::string& remark : answer->remarks)
    out.gaps.push_back({"propertyRemarks", 1, "remark: " + remark, true});
  if (answer->counted) add_counts(*answer, out.gaps);
  return std::nullopt;
}

// --first: the observed violation that comes first in the recorded run, otherwise the first
// predicted one.
void keep_first(std::vector<witness::Finding>& found) {
  if (found.size() < 2) return;
  const auto first = std::ranges::min_element(found, {}, [](const witness::Finding& finding) {
    const bool observed = finding.status == witness::Status::Observed;
    return std::pair(!observed, observed ? finding.witness.observed : 0);
  });
  std::iter_swap(found.begin(), first);
  found.resize(1);
}

explore::Options exploration_options(const EngineInput& input) {
  const PropertyOptions& wanted = input.options.properties;
  explore::Options out;
  if (wanted.first) out.until = explore::Until::First;
  if (wanted.all) out.until = explore::Until::All;
  out.max_width = wanted.max_width;
  out.budget_seconds = input.spending.limited() ? std::max(input.spending.left(), kLeastForProperties) : 0;
  out.memory_bytes = memory_limit(input.options);
  out.process_bytes = input.spending.budget.bytes();
  const unsigned jobs = input.limits.jobs;
  out.workers = jobs != 0 ? jobs : std::max(1u, std::thread::hardware_concurrency());
  return out;
}

} // namespace

std::string default_model_for_properties(const Prepared& prepared) {
  return prepared.computation.dependence.known ? "full" : "hb";
}

std::optional<Error> find_properties(const EngineInput& input, EngineOutput& output) {
  const PropertyOptions& wanted = input.options.properties;
  if (wanted.file.empty()) return std::nullopt;
  const auto file = logic::load_properties(wanted.file, logic::symbols_of_trace(input.prepared.trace));
  if (!file) return file.error();
  PropertyFindings out;
  if (!file.value().monitors.empty())
    if (auto error = find_monitors(input.prepared, file.value(), out)) return error;
  if (!file.value().properties.empty())
    if (auto error = find_violations(input.prepared, file.value(), wanted, exploration_options(input), out))
      return error;
  if (wanted.first) keep_first(out.found);
  std::move(out.found.begin(), out.found.end(), std::back_inserter(output.found));
  std::move(out.gaps.begin(), out.gaps.end(), std::back_inserter(output.gaps));
  return std::nullopt;
}

} // namespace sooth::analysis
