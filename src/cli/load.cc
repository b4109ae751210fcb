#include "cli/load.h"

#include "cli/output.h"
#include "cli/progress.h"
#include "trace/reader.h"

namespace sooth::cli {

namespace {

constexpr double kPartOfTime = 3;          // reading takes a third of the time that is left, or ...
constexpr std::uint64_t kRestOfMemory = 4; // ... all but a fourth of the memory: much of it is only for reading

std::optional<trace::Trace> load(const std::string& path, const trace::ReadOptions& options, bool again) {
  const auto read = [&] {
    const Progress progress("reading " + path);
    return trace::read_trace(path, options);
  };
  Result<trace::Trace> result = read();
  if (!result) {
    complain(result.error().text());
    return std::nullopt;
  }
  if (!again)
    for (const std::string& note : result->notes) complain(note);
  return std::move(*result);
}

} // namespace

std::optional<trace::Trace> load_trace(const std::string& path) { return load(path, {}, false); }

std::optional<trace::Trace> load_trace(const std::string& path, const Allowance& allowance, bool& stopped, bool again) {
  const std::uint64_t occupied = resident_memory();
  const std::uint64_t free = allowance.bytes > occupied ? allowance.bytes - occupied : 0;
  const Budget time(allowance.left() / kPartOfTime);
  const std::uint64_t most = occupied + free - free / kRestOfMemory;
  trace::ReadOptions options;
  // Reading is fast, and asks seldom: each time the memory is looked at.
  options.stop = [&] { return time.spent() != nullptr || (allowance.bytes != 0 && resident_memory() > most); };
  options.stopped = &stopped;
  return load(path, options, again);
}

} // namespace sooth::cli
