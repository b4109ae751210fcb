#include "cli/load.h"

#include "cli/output.h"
#include "cli/progress.h"
#include "trace/reader.h"

namespace sooth::cli {

std::optional<trace::Trace> load_trace(const std::string& path) {
  const auto read = [&] {
    const Progress progress("reading " + path);
    return trace::read_trace(path);
  };
  Result<trace::Trace> result = read();
  if (!result) {
    complain(result.error().text());
    return std::nullopt;
  }
  for (const std::string& note : result->notes) complain(note);
  return std::move(*result);
}

} // namespace sooth::cli
