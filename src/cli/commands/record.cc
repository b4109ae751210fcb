// `sooth record`: runs an instrumented program and keeps its trace.
#include <filesystem>
#include <string>
#include <vector>

#include <unistd.h>

#include "cli/command.h"
#include "cli/output.h"
#include "cli/recording.h"

namespace sooth::cli {

namespace {

bool has_failed(const Recording& recording) { return recording.timed_out || !recording.ended.fine(); }

// The first run that fails, or the last one, whose trace is removed like those of the others.
Result<Recording> record_until_failure(const std::vector<std::string>& command, const RecordOptions& options,
                                       std::uint64_t attempts) {
  for (std::uint64_t i = 1;; ++i) {
    auto recording = record(command, options);
    if (!recording || has_failed(*recording) || recording->trace.empty() || interrupts() != 0) return recording;
    std::error_code ignored;
    std::filesystem::remove(recording->trace, ignored);
    for (const ChildTrace& child : recording->children) std::filesystem::remove(child.file, ignored);
    if (i < attempts) continue;
    complain(fmt::format("none of {} runs failed; no trace is kept.", attempts));
    return recording;
  }
}

} // namespace

int run_record(int argc, char** argv) {
  RecordOptions options;
  std::string program;
  std::uint64_t attempts = 0;
  Parser parser(
      "record",
      "Run a program that was built with `sooth cc` or `sooth c++`, and keep its trace. Its output, its signals and\n"
      "its exit status are the program's own; 2 if it ended well but left no trace, 124 if --timeout ended it.",
      "  sooth record -o bank.sooth ./bank 4 1000\n"
      "  sooth record --all ./bank -- --verbose\n"
      "  sooth record --until-failure 1000 -o failed.sooth ./flaky_test\n");
  add_record_options(parser, options, "--all,--keep-all");
  parser
      .add_option(
          "--until-failure", attempts,
          "Run it up to N times, until it ends with a signal, a status other than 0, or by --timeout; keep the\n"
          "trace of that run, for `sooth check` and `sooth replay --observed`")
      ->type_name("N")
      ->at_least(1);
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
  auto recording = attempts == 0 ? record(command, options) : record_until_failure(command, options, attempts);
  if (!recording) {
    complain(recording.error().text());
    return kWrong;
  }
  if (attempts != 0 && has_failed(*recording) && interrupts() == 0)
    complain(
        fmt::format("it failed; `sooth replay --observed {} {}` makes it happen again", recording->trace, program));
  else if (attempts != 0) return kFine; // told already
  if (recording->trace.empty()) {
    complain(why_no_trace(program));
    if (recording->ended.fine()) return kWrong;
  } else if (options.output.empty() || isatty(STDERR_FILENO) == 1) {
    complain(fmt::format("recorded {}", recording->trace));
  }
  return recording->timed_out ? kTimedOut : end_like(recording->ended);
}

} // namespace sooth::cli
