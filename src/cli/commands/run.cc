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

// The compiler replaces its process by exec, so it gets one of its own. Returns whether it went
// well.
bool compile_file(Language language, std::vector<std::string> words) {
  words.insert(words.begin(), language == Language::C ? "cc" : "c++");
  std::vector<char*> argv;
  argv.reserve(words.size() + 1);
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const int argc = static_cast<int>(words.size());
  auto ended =
      run_in_child([&] { return language == Language::C ? run_cc(argc, argv.data()) : run_cxx(argc, argv.data()); });
  if (!ended) complain(ended.error().text());
  return ended.ok() && ended->fine();
}

// Several files are compiled one by one, each as its own language, and linked.
bool build(const std::vector<std::string>& sources, const std::vector<std::string>& flags, const fs::path& folder,
           const std::string& program) {
  std::vector<std::string> common = {"-g", "-O1", "-pthread"};
  common.insert(common.end(), flags.begin(), flags.end());
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), common.begin(), common.end());
    return more;
  };
  if (sources.size() == 1) {
    if (compile_file(language_of(sources[0]), with({sources[0], "-o", program}))) return true;
    return complain(fmt::format("{} was not built.", sources[0])), false;
  }
  std::vector<std::string> link = {"-o", program};
  Language language = Language::C;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const std::string object = (folder / fmt::format("{}.o", i)).string();
    if (language_of(sources[i]) == Language::Cxx) language = Language::Cxx;
    link.push_back(object);
    if (compile_file(language_of(sources[i]), with({"-c", sources[i], "-o", object}))) continue;
    return complain(fmt::format("{} was not built.", sources[i])), false;
  }
  if (compile_file(language, with(link))) return true;
  return complain(fmt::format("{} was not linked.", fmt::join(sources, ", "))), false;
}

// The first words, as long as they are source files. `sooth run a.cpp -- b.cpp` hands b.cpp to the
// program.
std::vector<std::string> take_sources(const std::string& target, std::vector<std::string>& words) {
  if (language_of(target) == Language::None) return {};
  std::vector<std::string> out = {target};
  while (!words.empty() && language_of(words.front()) != Language::None) {
    out.push_back(words.front());
    words.erase(words.begin());
  }
  return out;
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
  const std::string& source = predictions.files.json.empty() ? options.output : predictions.files.json;
  if (!source.empty() && language_of(target) == Language::None)
    return fmt::format("sooth replay {}{}:{{}} {}",
                       options.inputs && !options.output.empty() ? fmt::format("--inputs {} ", options.output) : "",
                       source, target);
  std::string out = "sooth run --confirm";
  for (int i = 1; i < argc; ++i) out += fmt::format(" {}", argv[i]);
  return out;
}

Ended no_trace(const std::string& target) {
  complain(why_no_trace(target));
  return Ended::with(kWrong);
}

// Runs the program several times, and makes one report of all runs. As the program's own end counts
// the first one that is not fine.
Ended run_repeatedly(const std::vector<std::string>& command, const std::string& target, RecordOptions options,
                     const AnalysisOptions& predictions, bool keep, unsigned times) {
  const std::string output = options.output;
  std::vector<NamedTrace> traces;
  Ended program;
  bool timed_out = false;
  for (unsigned i = 1; i <= times; ++i) {
    options.output = fmt::format("{}.{}", output, i);
    // A run that stands still is ended; its trace is analysed with the others.
    auto recording = record(command, options, {[](const std::string&, const std::vector<ChildTrace>&) {}, keep});
    if (!recording) {
      complain(recording.error().text());
      return Ended::with(kWrong);
    }
    if (recording->trace.empty()) return no_trace(target);
    traces.push_back({recording->trace, fmt::format("{} (run {})", target, i)});
    for (const ChildTrace& child : recording->children)
      traces.push_back({child.file, fmt::format("{} of run {}", child.name, i), child.process});
    if (program.fine()) program = recording->ended;
    timed_out = timed_out || recording->timed_out;
    if (interrupts() != 0) break;
  }
  const Ended analysed = analyse(traces, predictions);
  if (!analysed.fine() && !((analysed.has(kWrong) || analysed.has(kUnanswered)) && !program.fine())) return analysed;
  return timed_out ? Ended::with(kTimedOut) : program;
}

struct RunOptions {
  RecordOptions record;
  AnalysisOptions predictions;
  ConfirmOptions confirming;
  std::string target;
  std::vector<std::string> flags;
  std::string monitor;
  unsigned repeat = 1;
  bool online = false;
  bool facts = false;
  bool keep = false;
  bool confirms = false;
};

void add_run_options(Parser& parser, RunOptions& options) {
  add_record_options(parser, options.record, "--keep-all");
  add_analysis_options(parser, options.predictions);
  parser.add_option("--flag", options.flags, "A flag for the compiler; may be repeated")
      ->type_name("FLAG")
      ->one_value();
  parser
      .add_option("--repeat", options.repeat,
                  "Run the program N times, and make one report of all runs; -o T keeps T.1, T.2, ...")
      ->type_name("N")
      ->show_default()
      ->within(1, 10000);
  parser.add_flag("--keep-standing", options.keep,
                  "Do not end a program that stands still: all of its threads wait for each other");
  parser.add_flag("--confirm", options.confirms,
                  "Then run the program again under the schedule of each predicted finding, and say which ones\n"
                  "happened (docs/replay.md)");
  parser.add_option("--confirm-budget", options.confirming.budget, "Seconds for all of these runs together")
      ->type_name("SECONDS")
      ->at_least(0)
      ->show_default();
  parser.add_flag("--facts", options.facts,
                  "Build with what events depend on (-fsooth-facts); `--model sliced` and `full` do");
  parser.add_flag("--online", options.online,
                  "Check the property while the program runs, without a trace (see `sooth observe`)");
  parser
      .add_option("--monitor", options.monitor,
                  "Run with the monitors of this property file inside the program: no trace, nothing is predicted")
      ->type_name("P")
      ->excludes("--online")
      ->existing_file();
  parser.add_option("file", options.target, "Source files, or a program; its arguments follow")
      ->required()
      ->type_name("FILE");
  parser.prefix_command();
}

// The sentence that is wrong with them; empty: nothing. Errors of the property file itself are
// found before anything is built.
std::string what_is_wrong(const RunOptions& options) {
  const std::string& property = options.record.property;
  std::string wrong = check_record_options(options.record);
  if (wrong.empty()) wrong = analysis::check(options.predictions);
  if (wrong.empty()) wrong = check(options.predictions.files);
  if (wrong.empty() && options.online && property.empty()) wrong = kNothingToObserve;
  const ReportFiles& files = options.predictions.files;
  if (wrong.empty() && options.online) wrong = check_observed_model(options.predictions.model);
  const bool needs_trace =
      options.repeat > 1 || options.confirms || !(files.html + files.sarif + files.junit + files.baseline).empty();
  if (wrong.empty() && needs_trace && (options.online || !options.monitor.empty()))
    wrong =
        "--html, --sarif, --junit, --baseline, --repeat and --confirm need a trace: not with --online or --monitor.";
  if (!wrong.empty() || property.empty()) return wrong;
  const auto syntax = logic::parse_file(property);
  return syntax ? "" : syntax.error().text();
}

// Builds the program, or finds it. Empty if that failed, which has been said then.
std::string make_program(const RunOptions& options, const std::vector<std::string>& sources, const fs::path& folder) {
  for (const std::string& source : sources)
    if (!fs::exists(source)) return complain(fmt::format("there is no file {}.", source)), "";
  if (sources.empty()) {
    std::string program = find_program(options.target);
    if (program.empty()) complain(fmt::format("there is no program `{}` here or on PATH.", options.target));
    return program;
  }
  std::vector<std::string> flags;
  if (!options.record.property.empty()) flags.push_back("-fsooth-property=" + options.record.property);
  if (options.facts || predict::wants_facts(options.predictions.model)) flags.emplace_back("-fsooth-facts");
  flags.insert(flags.end(), options.flags.begin(), options.flags.end());
  if (!options.monitor.empty()) flags.push_back("--monitor=" + options.monitor);
  for (const std::string& glob : options.predictions.atomic) flags.push_back("-fsooth-atomic=" + glob);
  std::string program = (folder / fs::path(options.target).stem()).string();
  return build(sources, flags, folder, program) ? program : "";
}

int observe_program(const std::vector<std::string>& command, const RunOptions& options, TemporaryFolder& folder) {
  ObserveOptions observing;
  observing.property = options.record.property;
  observing.json = options.predictions.files.json;
  observing.memory = options.predictions.memory;
  if (options.predictions.properties.max_width != 0) observing.max_width = options.predictions.properties.max_width;
  observing.exit_code = options.predictions.exit_code;
  observing.timeout = options.record.timeout;
  auto run = run_online(command, observing, folder.path().string());
  folder.remove(); // before a signal may end us
  if (!run) return complain(run.error().text()), kWrong;
  if (run->status != kFine) return run->status;
  return run->timed_out ? kTimedOut : end_like(run->ended);
}

// The usual case: one run, and the report of it. A program that stands still is reported before it
// is ended.
int run_once(const std::vector<std::string>& command, const RunOptions& options, TemporaryFolder& folder) {
  Ended analysed;
  const auto report = [&](const std::string& trace, const std::vector<ChildTrace>& children) {
    std::vector<NamedTrace> traces = {{trace, options.target}};
    for (const ChildTrace& child : children) traces.push_back({child.file, child.name, child.process});
    analysed = analyse(traces, options.predictions);
  };
  auto recording = record(command, options.record, {report, options.keep});
  if (!recording) return complain(recording.error().text()), kWrong;
  if (recording->trace.empty()) analysed = no_trace(options.target);
  else if (!recording->stood_still) report(recording->trace, recording->children);
  folder.remove(); // before a signal may end us
  if (analysed.fine() && recording->timed_out) return kTimedOut;
  const bool as_the_program =
      analysed.fine() || ((analysed.has(kWrong) || analysed.has(kUnanswered)) && !recording->ended.fine());
  return end_like(as_the_program ? recording->ended : analysed);
}

} // namespace

int run_run(int argc, char** argv) {
  RunOptions options;
  Parser parser(
      "run",
      "Build source files with `sooth cc` or `sooth c++` (or take a program that was), run it once, and say what "
      "other\n"
      "runs of it would do, on standard error. Words behind the program or the source files are the program's. The "
      "exit status is 66 if something was found, 65 if\n"
      "something was not looked for, else the program's own.\n"
      "A program that stands still is reported at once, and ended; a run that --timeout ended without a finding gives "
      "124.\n"
      "The trace is kept only with -o.",
      "  sooth run bank.cpp\n"
      "  sooth run --flag=-std=c++20 bank.cpp account.cpp 4 1000\n"
      "  sooth run --property safe_landing.prop landing.cpp\n"
      "  sooth run --html bank.html --repeat 10 bank.cpp\n"
      "  sooth run --find deadlocks --json bank.json -o bank.sooth ./bank\n");
  add_run_options(parser, options);
  if (const auto status = parser.parse_with_file(argc, argv)) return *status;
  options.predictions.properties.file = options.record.property;
  if (const std::string wrong = what_is_wrong(options); !wrong.empty()) return complain(wrong), kWrong;
  TemporaryFolder folder;
  if (folder.path().empty()) return complain("cannot make a temporary folder."), kWrong;

  std::vector<std::string> words = parser.remaining();
  const std::vector<std::string> sources = take_sources(options.target, words);
  const std::string program = make_program(options, sources, folder.path());
  if (program.empty()) return kWrong;
  if (!options.record.property.empty()) {
    auto exact = fit(options.record.property, program);
    if (!exact) return complain(exact.error().text()), kWrong;
    options.record.exact = std::move(exact.value());
  }
  std::vector<std::string> command = program_arguments(std::move(words));
  command.insert(command.begin(), program);

  AnalysisOptions& predictions = options.predictions;
  if (!options.monitor.empty())
    return run_monitored(command, sources.empty() ? options.monitor : "", folder.path(), predictions.exit_code,
                         options.record.timeout);
  if (options.online) return observe_program(command, options, folder);
  predictions.replay = how_to_replay(argc, argv, options.target, options.record, predictions, options.confirms);
  if (options.confirms)
    predictions.confirm = [&](report::Report& report, const std::vector<std::string>& traces) {
      if (options.record.inputs) options.confirming.traces = traces;
      options.confirming.jobs = predictions.limits.jobs;
      confirm(report, command, options.confirming);
    };
  if (options.record.output.empty()) options.record.output = (folder.path() / "run.sooth").string();
  if (options.repeat == 1) return run_once(command, options, folder);
  const Ended ended =
      run_repeatedly(command, options.target, options.record, predictions, options.keep, options.repeat);
  folder.remove();
  return end_like(ended);
}

} // namespace sooth::cli
