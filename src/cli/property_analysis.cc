#include "cli/property_analysis.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <optional>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "base/machine_memory.h"
#include "causality/model.h"
#include "cli/analysis.h"
#include "logic/resolve.h"
#include "predict/monitors.h"
#include "predict/properties.h"

namespace sooth::cli {

namespace {

// "1000", "64K", "2G"; nothing if it is not a number of bytes.
std::optional<std::uint64_t> byte_count(const std::string& text) {
  std::uint64_t number = 0;
  std::size_t i = 0;
  for (; i < text.size() && text[i] >= '0' && text[i] <= '9'; ++i) {
    if (number > std::numeric_limits<std::uint64_t>::max() / 20) return std::nullopt;
    number = number * 10 + static_cast<std::uint64_t>(text[i] - '0');
  }
  if (i == 0 || i + 1 < text.size()) return std::nullopt;
  if (i == text.size()) return number;
  const std::size_t power = std::string("KMGT").find(text[i]);
  if (power == std::string::npos || number > (std::uint64_t{1} << 20)) return std::nullopt;
  return number << (10 * (power + 1));
}

void add_counts(const predict::PropertyAnswer& answer, std::vector<report::Gap>& gaps) {
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

// `monitor` entries, which are about the recorded computation whatever the model.
std::optional<Error> find_monitors(const Prepared& prepared, const logic::PropertyFile& file, PropertyFindings& out) {
  auto answer = predict::check_monitors(prepared.trace, prepared.computation, file);
  if (!answer) return answer.error();
  out.found = std::move(answer->findings);
  for (const std::string& bound : answer->bounds) out.gaps.push_back({"monitorBounds", 1, "bound: " + bound, false});
  for (const std::string& remark : answer->remarks)
    out.gaps.push_back({"monitorRemarks", 1, "remark: " + remark, true});
  return std::nullopt;
}

// All other entries, under the chosen model.
std::optional<Error> find_violations(const Prepared& prepared, const logic::PropertyFile& file,
                                     const PropertyChoice& choice, const explore::Options& exploration,
                                     PropertyFindings& out) {
  predict::PropertyOptions options;
  options.exploration = exploration;
  options.count = choice.count;
  auto answer = predict::check_properties(prepared.trace, prepared.computation, file,
                                          choice.model.empty() ? "hb" : choice.model, options);
  if (!answer) return answer.error();
  std::move(answer->findings.begin(), answer->findings.end(), std::back_inserter(out.found));
  for (const std::string& bound : answer->bounds) out.gaps.push_back({"propertyBounds", 1, "bound: " + bound, false});
  for (const std::string& remark : answer->remarks)
    out.gaps.push_back({"propertyRemarks", 1, "remark: " + remark, true});
  if (answer->counted) add_counts(*answer, out.gaps);
  return std::nullopt;
}

// --first: the observed violation that comes first in the recorded run, or else the first one that was predicted.
void keep_first(std::vector<witness::Finding>& found) {
  if (found.size() < 2) return;
  const auto first = std::ranges::min_element(found, {}, [](const witness::Finding& finding) {
    const bool observed = finding.status == witness::Status::Observed;
    return std::pair(!observed, observed ? finding.witness.observed : 0);
  });
  std::iter_swap(found.begin(), first);
  found.resize(1);
}

} // namespace

void add_property_options(Parser& parser, PropertyChoice& choice) {
  parser.add_flag("--count", choice.count, "Also say how many cuts and runs there are, and how many runs violate");
  parser.add_flag("--first", choice.first, "Only the first violation: of the recorded run, or else of another");
  parser.add_flag("--all", choice.all, "One finding for each property and each cut in which it can fail");
  parser
      .add_option("--max-width", choice.max_width, "Keep the N cuts of each level that are nearest to the observed run")
      ->type_name("N");
}

void add_memory_option(Parser& parser, PropertyChoice& choice) {
  parser
      .add_option("--memory", choice.memory,
                  "Analyse what fits into so many bytes (K, M, G); half of the machine's if not given")
      ->type_name("BYTES");
}

std::uint64_t memory_limit(const PropertyChoice& choice) {
  return choice.memory.empty() ? physical_memory() / 2 : *byte_count(choice.memory);
}

std::string check_property_options(const PropertyChoice& choice) {
  if (choice.first && choice.all) return "--first and --all contradict each other.";
  if (!choice.memory.empty() && !byte_count(choice.memory))
    return fmt::format("`{}` is not a number of bytes; --memory takes 500M, 2G and the like.", choice.memory);
  const bool unused = choice.count || choice.first || choice.all || choice.max_width != 0;
  if (choice.file.empty() && unused) return "--count, --first, --all and --max-width are for --property.";
  return {};
}

explore::Options exploration_options(const PropertyChoice& choice, double seconds, unsigned jobs,
                                     const Budget& budget) {
  explore::Options out;
  if (choice.first) out.until = explore::Until::First;
  if (choice.all) out.until = explore::Until::All;
  out.max_width = choice.max_width;
  out.budget_seconds = seconds;
  out.memory_bytes = memory_limit(choice);
  out.process_bytes = budget.bytes();
  out.workers = jobs != 0 ? jobs : std::max(1u, std::thread::hardware_concurrency());
  return out;
}

Result<PropertyFindings> find_properties(const Prepared& prepared, const PropertyChoice& choice,
                                         const explore::Options& exploration) {
  const auto file = logic::load_properties(choice.file, logic::symbols_of_trace(prepared.trace));
  if (!file) return file.error();
  PropertyFindings out;
  if (!file.value().monitors.empty())
    if (const auto error = find_monitors(prepared, file.value(), out)) return *error;
  if (!file.value().properties.empty())
    if (const auto error = find_violations(prepared, file.value(), choice, exploration, out)) return *error;
  if (choice.first) keep_first(out.found);
  return out;
}

} // namespace sooth::cli
