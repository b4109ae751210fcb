#include "cli/load.h"

#include <utility>

#include "cli/output.h"
#include "cli/terminal/progress.h"

namespace sooth::cli {

std::optional<trace::Trace> load_in_time(const std::string& path, analysis::Spending& spending,
                                         analysis::LeftOut& left_out) {
  analysis::Reading reading(spending);
  std::optional<Error> error;
  trace::Trace trace;
  {
    const ProgressLine line("reading " + path);
    error = reading.open(path);
    if (!error) trace = reading.rest();
  }
  left_out = reading.left_out;
  if (error) complain(error->text());
  else complain_all(trace.notes);
  return error ? std::nullopt : std::optional(std::move(trace));
}

} // namespace sooth::cli
