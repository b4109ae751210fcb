#include "cli/trace_within.h"

#include <utility>

#include "analysis/options.h"
#include "cli/command.h"
#include "cli/load.h"
#include "cli/output.h"

namespace sooth::cli {

namespace {

constexpr double kForReading = 0.9; // of the memory: the command itself takes little

} // namespace

void add_memory_option(Parser& parser, std::string& memory) {
  parser
      .add_option(
          "--memory", memory,
          "Read what fits into so many bytes (K, M, G), and say what is left out; half of the machine's if not given")
      ->type_name("BYTES");
}

int with_trace(const std::string& file, const std::string& memory,
               const std::function<int(trace::Trace, const BeginTelling&)>& use) {
  analysis::Options options;
  options.memory = memory;
  if (const std::string wrong = analysis::check(options); !wrong.empty()) {
    complain(wrong);
    return kWrong;
  }
  analysis::Spending spending(0, analysis::memory_limit(options));
  spending.part_for_reading = kForReading;
  const auto attempt = [&](const BeginTelling& begin) -> int {
    analysis::LeftOut left_out;
    auto trace = load_in_time(file, spending, left_out);
    if (!trace) return kWrong;
    if (left_out.any())
      complain(fmt::format("only the first {} events of the trace were read: more needs more memory (--memory).",
                           trace->events.size()));
    const int status = use(std::move(*trace), begin);
    return status == kFine && left_out.any() ? kUnanswered : status;
  };
  return end_like(within_memory(spending, attempt, {}));
}

} // namespace sooth::cli
