#include "analysis/options.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "analysis/engines.h"
#include "analysis/suppressed.h"
#include "base/machine_memory.h"
#include "report/names.h"

namespace sooth::analysis {

namespace {

std::vector<std::string> words_of(const std::string& list) {
  std::vector<std::string> out;
  std::istringstream in(list);
  for (std::string word; std::getline(in, word, ',');)
    if (!word.empty()) out.push_back(word);
  return out;
}

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

std::string check_properties(const PropertyOptions& options) {
  if (options.first && options.all) return "--first and --all contradict each other.";
  const bool unused = options.count || options.first || options.all || options.max_width != 0;
  if (options.file.empty() && unused) return "--count, --first, --all and --max-width are for --property.";
  return {};
}

} // namespace

std::vector<std::string> wanted_words(const Options& options) {
  if (!options.find.empty()) return words_of(options.find);
  return options.properties.file.empty() ? find_words() : std::vector{std::string(kProperties)};
}

std::uint64_t memory_limit(const Options& options) {
  return options.memory.empty() ? physical_memory() / 2 : *byte_count(options.memory);
}

std::string model_names() {
  std::string out;
  for (const report::ModelRow& row : report::model_rows())
    out += fmt::format("{}{}", out.empty() ? "" : ", ", row.name);
  return out;
}

std::string check(const Options& options) {
  std::vector<std::string> known = find_words();
  known.emplace_back(kProperties);
  for (const std::string& word : words_of(options.find))
    if (std::find(known.begin(), known.end(), word) == known.end())
      return fmt::format("there is nothing called `{}` to find; there are {}.", word, fmt::join(known, ", "));
  if (!options.model.empty() && !report::model_named(options.model))
    return fmt::format("there is no model `{}`; there are {}.", options.model, model_names());
  if (!options.memory.empty() && !byte_count(options.memory))
    return fmt::format("`{}` is not a number of bytes; --memory takes 500M, 2G and the like.", options.memory);
  if (const std::string wrong = check_properties(options.properties); !wrong.empty()) return wrong;
  if (options.limits.window == 0) return "--window must be at least 1.";
  const auto suppressions = read_suppressions(options.suppressions);
  return suppressions ? std::string() : suppressions.error().text();
}

} // namespace sooth::analysis
