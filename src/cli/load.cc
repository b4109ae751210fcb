#include "cli/load.h"

#include <utility>

#include "cli/output.h"
#include "cli/progress.h"
#include "trace/reader.h"

namespace sooth::cli {

namespace {

std::optional<trace::Trace> told(Result<trace::Trace> result) {
  if (!result) {
    complain(result.error().text());
    return std::nullopt;
  }
  for (const std::string& note : result->notes) complain(note);
  return std::move(*result);
}

} // namespace

std::optional<trace::Trace> load_trace(const std::string& path) {
  return told([&] {
    const ProgressLine line("reading " + path);
    return trace::read_trace(path, {});
  }());
}

std::optional<trace::Trace> load_in_time(const std::string& path, analysis::Spending& spending,
                                         analysis::LeftOut& left_out, trace::Sieve* sieve) {
  return told([&] {
    const ProgressLine line("reading " + path);
    return analysis::read_in_time(path, spending, left_out, sieve);
  }());
}

} // namespace sooth::cli
