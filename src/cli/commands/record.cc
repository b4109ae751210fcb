// `sooth record`: runs an instrumented program and keeps its trace.
#include <string>
#include <vector>

#include <unistd.h>

#include "cli/command.h"
#include "cli/output.h"
#include "cli/recording.h"

namespace sooth::cli {

int run_record(int argc, char** argv) {
  RecordOptions options;
  std::string program;
  Parser parser(
      "record",
      "Run a program that was built with `sooth cc` or `sooth c++`, and keep its trace. Its output, its signals and\n"
      "its exit status are the program's own; 2 if it ended well but left no trace, 124 if --timeout ended it.",
      "  sooth record -o bank.sooth ./bank 4 1000\n"
      "  sooth record --all ./bank -- --verbose\n");
  add_record_options(parser, options, "--all,--keep-all");
  parser.add_option("program", program, "The program; its arguments follow")->required()->type_name("PROGRAM");
  parser.prefix_command();
  if (const auto status = parser.parse_all(argc, argv)) return *status;

  std::string wrong = check_record_options(options);
  const std::string path = find_program(program);
  if (wrong.empty() && path.empty()) wrong = fmt::format("there is no program `{}` here or on PATH.", program);
  if (!wrong.empty()) {
    complain(wrong);
    return kWrong;
  }
  if (!options.property.empty()) {
    auto exact = fit(options.property, path);
    if (!exact) {
      complain(exact.error().text());
      return kWrong;
    }
    options.exact = std::move(exact.value());
  }
  std::vector<std::string> command = program_arguments(parser.remaining());
  command.insert(command.begin(), path);
  auto recording = record(command, options);
  if (!recording) {
    complain(recording.error().text());
    return kWrong;
  }
  if (recording->trace.empty()) {
    complain(why_no_trace(program));
    if (recording->ended.fine()) return kWrong;
  } else if (options.output.empty() || isatty(STDERR_FILENO) == 1) {
    complain(fmt::format("recorded {}", recording->trace));
  }
  return recording->timed_out ? kTimedOut : end_like(recording->ended);
}

} // namespace sooth::cli
