#include "cli/load.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "base/machine_memory.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "trace/reader.h"

namespace sooth::cli {

namespace {

constexpr double kPartOfTime = 3; // reading takes a third of the time that is left
constexpr std::uint64_t kForTables =
    64 << 20; // for reading, even if nothing can be analysed: names, places, the number of events

std::optional<trace::Trace> load(const std::string& path, const trace::ReadOptions& options) {
  const auto read = [&] {
    const Progress progress("reading " + path);
    return trace::read_trace(path, options);
  };
  Result<trace::Trace> result = read();
  if (!result) {
    complain(result.error().text());
    return std::nullopt;
  }
  for (const std::string& note : result->notes) complain(note);
  return std::move(*result);
}

} // namespace

std::optional<trace::Trace> load_trace(const std::string& path) { return load(path, {}); }

std::optional<trace::Trace> load_trace(const std::string& path, const Allowance& allowance, Attempt& attempt,
                                       bool& stopped) {
  const std::uint64_t occupied = resident_memory();
  std::uint64_t free = allowance.bytes > occupied ? allowance.bytes - occupied : 0;
  if (attempt.last) free = std::max(free, kForTables);
  std::error_code unknown; // reading will tell why
  if (const std::uint64_t file = std::filesystem::file_size(path, unknown);
      !unknown && file > free && allowance.bytes != 0) {
    if (!attempt.last) attempt.give_up();
    stopped = true;
    return trace::Trace();
  }
  const auto part = static_cast<std::uint64_t>(static_cast<double>(free) * attempt.part_for_reading);
  const Budget budget(allowance.left() / kPartOfTime, allowance.bytes == 0 ? 0 : occupied + part);
  trace::ReadOptions options;
  options.stop = [&] { return budget.spent() != nullptr; };
  options.stopped = &stopped;
  return load(path, options);
}

} // namespace sooth::cli
