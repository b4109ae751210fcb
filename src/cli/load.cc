#include "cli/load.h"

#include "cli/output.h"
#include "cli/progress.h"
#include "trace/reader.h"

namespace sooth::cli {

namespace {

constexpr double kPartOfTime = 3;          // reading takes a third of the time that is left, or ...
constexpr std::uint64_t kPartOfMemory = 4; // ... a fourth of the memory

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

std::optional<trace::Trace> load_trace(const std::string& path, const Allowance& allowance, bool& stopped) {
  const std::uint64_t occupied = resident_memory();
  const std::uint64_t free = allowance.bytes > occupied ? allowance.bytes - occupied : 0;
  const Budget part(allowance.left() / kPartOfTime, allowance.bytes == 0 ? 0 : occupied + free / kPartOfMemory);
  trace::ReadOptions options;
  options.stop = [&] { return part.spent() != nullptr; };
  options.stopped = &stopped;
  return load(path, options);
}

} // namespace sooth::cli
