// `sooth check`: predicts from a trace.
#include <string>
#include <vector>

#include "cli/analysing.h"
#include "cli/command.h"
#include "cli/output.h"
#include "cli/parser.h"

namespace sooth::cli {

int run_check(int argc, char** argv) {
  std::vector<std::string> words;
  AnalysisOptions options;
  Parser parser(
      "check",
      "Say what other runs of the recorded program would do: data races, deadlocks, lost wake-ups, broken atomicity,\n"
      "errors with memory, and with --property violations of what must hold. Findings go to standard error. Exit "
      "status: 0 nothing found, 65 nothing found\n"
      "but something was not looked for, 66 something found, 2 wrong usage or trace.",
      "  sooth check bank.sooth\n"
      "  sooth check bank.sooth --find races,deadlocks --json bank.json\n"
      "  sooth check bank.sooth --atomic 'Account::*' --suppressions known.txt\n"
      "  sooth check landing.sooth --property safe_landing.prop --model hb --count\n"
      "  sooth check bank.sooth --html bank.html --sarif bank.sarif\n"
      "  sooth check runs/ more.sooth --baseline known.json\n"
      "  sooth check bank.sooth --model whb-locks --window 20000 --budget 60\n");
  parser.add_option("traces", words, "Trace files, and folders with such (*.sooth); several make one report")
      ->required()
      ->type_name("T.sooth");
  parser.add_option("--property", options.properties.file, "Check what this file says must hold (docs/properties.md)")
      ->type_name("P.prop");
  add_analysis_options(parser, options);
  if (const auto status = parser.parse_with_file(argc, argv)) return *status;
  std::string wrong = analysis::check(options);
  if (wrong.empty()) wrong = check(options.files);
  if (!wrong.empty()) {
    complain(wrong);
    return kWrong;
  }
  const std::vector<NamedTrace> traces = traces_named(words);
  if (traces.size() == 1)
    options.replay = fmt::format("sooth replay {}:{{}} PROGRAM",
                                 options.files.json.empty() ? traces.front().file : options.files.json);
  return traces.empty() ? kWrong : end_like(analyse(traces, options));
}

} // namespace sooth::cli
