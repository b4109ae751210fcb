// `sooth run`: builds a source file if needed, runs the program once, and predicts from that run.
#include <array>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <sys/wait.h>

#include "cli/analysing.h"
#include "cli/command.h"
#include "cli/observing.h"
#include "cli/output.h"
#include "cli/recording.h"
#include "cli/replaying/confirming.h"
#include "cli/temporary_folder.h"
#include "cli/watch.h"
#include "logic/syntax/syntax.h"
#include "predict/question/model_rules.h"

namespace sooth::cli {

namespace fs = std::filesystem;

namespace {

enum class Language { None, C, Cxx };

Language language_of(const std::string& file) {
  static constexpr std::array<std::string_view, 5> kCxx = {".cpp", ".cc", ".cxx", ".c++", ".C"};
  const std::string extension = fs::path(file).extension().string();
  if (extension == ".c") return Language::C;
  for (const std::string_view known : kCxx)
    if (extension == known) return Language::Cxx;
  return Language::None;
}

// The compiler replaces its process by exec, so it gets one of its own. Returns whether `program`
// was built.
bool build(const std::string& source, Language language, const std::vector<std::string>& flags,
           const std::string& property, const std::string& program) {
  std::vector<std::string> words = {language == Language::C ? "cc" : "c++", "-g", "-O1", "-pthread"};
  if (!property.empty()) words.push_back("-fsooth-property=" + property);
  words.insert(words.end(), flags.begin(), flags.end());
  words.insert(words.end(), {source, "-o", program});
  std::vector<char*> argv;
  argv.reserve(words.size() + 1);
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const int argc = static_cast<int>(words.size());
  auto ended =
      run_in_child([&] { return language == Language::C ? run_cc(argc, argv.data()) : run_cxx(argc, argv.data()); });
  if (!ended) complain(ended.error().text());
  else if (!ended->fine()) complain(fmt::format("{} was not built.", source));
  return ended.ok() && ended->fine();
}

// Runs the program with monitors inside it: no trace, no predictions. The monitors report
// violations themselves. `monitor`: the property file, or empty if its monitors are built in.
int run_monitored(const std::vector<std::string>& command, const std::string& monitor, const fs::path& folder,
                  int exit_code, double timeout) {
  const std::string result = (folder / "violated").string();
  const char* before = std::getenv("SOOTH_OPTIONS");
  Environment environment;
  if (!monitor.empty()) environment.set.emplace_back("SOOTH_MONITOR", fs::absolute(monitor).string());
  environment.set.emplace_back("SOOTH_OPTIONS",
                               (before != nullptr && *before != '\0' ? std::string(before) + ":" : "") +
                                   "monitor_result=" + result);
  Watch watch({timeout, "", false, {}});
  const auto ended = launch(command, environment, std::ref(watch));
  if (!ended) {
    complain(ended.error().text());
    return kWrong;
  }
  std::error_code ignored;
  const bool violated = fs::exists(result, ignored);
  fs::remove_all(folder, ignored); // before a signal may end us
  if (violated) return exit_code;
  return watch.timed_out() ? kTimedOut : end_like(ended.value());
}

// The command that makes a predicted finding happen; `{}` is its number.
std::string how_to_replay(int argc, char** argv, const std::string& target, const RecordOptions& options,
                          const AnalysisOptions& predictions, bool confirms) {
  if (confirms) return {};
  const std::string& source = predictions.json.empty() ? options.output : predictions.json;
  if (!source.empty() && language_of(target) == Language::None)
    return fmt::format("sooth replay {}:{{}} {}", source, target);
  std::string out = "sooth run --confirm";
  for (int i = 1; i < argc; ++i) out += fmt::format(" {}", argv[i]);
  return out;
}

Ended no_trace(const std::string& target) {
  complain(why_no_trace(target));
  return Ended::with(kWrong);
}

} // namespace

int run_run(int argc, char** argv) {
  RecordOptions options;
  AnalysisOptions predictions;
  std::string target;
  std::vector<std::string> flags;
  std::string monitor;
  bool online = false;
  bool facts = false;
  bool keep = false;
  bool confirms = false;
  ConfirmOptions confirming;
  Parser parser(
      "run",
      "Build a source file with `sooth cc` or `sooth c++` (or take a program that was), run it once, and say what "
      "other\n"
      "runs of it would do, on standard error. The exit status is 66 if something was found, 65 if\n"
      "something was not looked for, else the program's own.\n"
      "A program that stands still is reported at once, and ended; a run that --timeout ended without a finding gives "
      "124.\n"
      "The trace is kept only with -o.",
      "  sooth run bank.cpp\n"
      "  sooth run --flag=-std=c++20 bank.cpp -- 4 1000\n"
      "  sooth run --property safe_landing.prop landing.cpp\n"
      "  sooth run --find deadlocks --json bank.json -o bank.sooth ./bank\n");
  add_record_options(parser, options, "--keep-all");
  add_analysis_options(parser, predictions);
  parser.add_option("--flag", flags, "A flag for the compiler; may be repeated")->type_name("FLAG")->one_value();
  parser.add_flag("--keep-standing", keep,
                  "Do not end a program that stands still: all of its threads wait for each other");
  parser.add_flag("--confirm", confirms,
                  "Then run the program again under the schedule of each predicted finding, and say which ones\n"
                  "happened (docs/replay.md)");
  parser.add_option("--confirm-budget", confirming.budget, "Seconds for all of these runs together")
      ->type_name("SECONDS")
      ->at_least(0)
      ->show_default();
  parser.add_flag("--facts", facts, "Build with what events depend on (-fsooth-facts); `--model sliced` and `full` do");
  parser.add_flag("--online", online,
                  "Check the property while the program runs, without a trace (see `sooth observe`)");
  parser
      .add_option("--monitor", monitor,
                  "Run with the monitors of this property file inside the program: no trace, nothing is predicted")
      ->type_name("P")
      ->excludes("--online")
      ->existing_file();
  parser.add_option("file", target, "A source file or a program; its arguments follow")->required()->type_name("FILE");
  parser.prefix_command();
  if (const auto status = parser.parse_with_file(argc, argv)) return *status;

  predictions.properties.file = options.property;
  std::string wrong = check_record_options(options);
  if (wrong.empty()) wrong = analysis::check(predictions);
  if (wrong.empty() && online && options.property.empty()) wrong = kNothingToObserve;
  if (!wrong.empty()) {
    complain(wrong);
    return kWrong;
  }
  if (!options.property.empty()) { // reports errors of the file itself before it builds anything
    if (const auto syntax = logic::parse_file(options.property); !syntax) {
      complain(syntax.error().text());
      return kWrong;
    }
  }
  TemporaryFolder folder;
  if (folder.path().empty()) {
    complain("cannot make a temporary folder.");
    return kWrong;
  }
  std::string program;
  if (const Language language = language_of(target); language != Language::None) {
    if (!fs::exists(target)) {
      complain(fmt::format("there is no file {}.", target));
      return kWrong;
    }
    program = (folder.path() / fs::path(target).stem()).string();
    if (facts || predict::needs_facts(predictions.model)) flags.insert(flags.begin(), "-fsooth-facts");
    if (!monitor.empty()) flags.push_back("--monitor=" + monitor);
    for (const std::string& glob : predictions.atomic) flags.push_back("-fsooth-atomic=" + glob);
    if (!build(target, language, flags, options.property, program)) return kWrong;
  } else {
    program = find_program(target);
  }
  if (program.empty()) {
    complain(fmt::format("there is no program `{}` here or on PATH.", target));
    return kWrong;
  }

  if (!options.property.empty()) {
    auto exact = fit(options.property, program);
    if (!exact) {
      complain(exact.error().text());
      return kWrong;
    }
    options.exact = std::move(exact.value());
  }
  std::vector<std::string> command = program_arguments(parser.remaining());
  command.insert(command.begin(), program);
  if (!monitor.empty())
    return run_monitored(command, language_of(target) == Language::None ? monitor : "", folder.path(),
                         predictions.exit_code, options.timeout);
  if (online) {
    ObserveOptions observing;
    observing.property = options.property;
    observing.json = predictions.json;
    observing.exit_code = predictions.exit_code;
    observing.timeout = options.timeout;
    const auto run = run_online(command, observing, folder.path().string());
    folder.remove(); // before a signal may end us
    if (run && run.value().status == kFine && run.value().timed_out) return kTimedOut;
    if (run) return run.value().status == kFine ? end_like(run.value().ended) : run.value().status;
    complain(run.error().text());
    return kWrong;
  }
  predictions.replay = how_to_replay(argc, argv, target, options, predictions, confirms);
  if (confirms) predictions.confirm = [&](report::Report& report) { confirm(report, command, confirming); };
  if (options.output.empty()) options.output = (folder.path() / "run.sooth").string();
  Ended analysed;
  const auto report = [&](const std::string& trace) { analysed = analyse(trace, target, predictions); };
  auto recording = record(command, options, {report, keep});
  if (!recording) {
    complain(recording.error().text());
    return kWrong;
  }
  if (recording->trace.empty()) analysed = no_trace(target);
  else if (!recording->stood_still) report(recording->trace);
  folder.remove(); // before a signal may end us
  if (analysed.fine() && recording->timed_out) return kTimedOut;
  const bool as_the_program =
      analysed.fine() || ((analysed.has(kWrong) || analysed.has(kUnanswered)) && !recording->ended.fine());
  return end_like(as_the_program ? recording->ended : analysed);
}

} // namespace sooth::cli
