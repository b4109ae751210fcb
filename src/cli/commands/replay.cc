// `sooth replay`: makes a predicted error happen in the real program.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "analysis/pipeline.h"
#include "analysis/prepare.h"
#include "cli/analysing.h"
#include "cli/command.h"
#include "cli/output.h"
#include "cli/recording.h"
#include "cli/replaying/fitting.h"
#include "cli/replaying/replaying.h"
#include "cli/terminal/progress.h"
#include "replay/script_of.h"
#include "report/terminal/printable.h"

namespace sooth::cli {

using replay::Script;

namespace {

struct Wanted {
  std::string finding;  // REPORT.json:ID or T.sooth:ID
  std::string witness;  // a file by itself
  std::string observed; // a trace whose own run is wanted
  std::string inputs;   // a trace that has them; empty: that of the finding, if there is one
  bool real_inputs = false;
};

Result<std::string> read_text_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in || std::filesystem::is_directory(path)) return Error{"cannot read this file.", path};
  return std::string(std::istreambuf_iterator<char>(in), {});
}

// The script of a finding in a report that `--json` wrote.
Result<Script> from_json(const std::string& path, const std::string& text, std::uint64_t id) {
  const auto report = nlohmann::json::parse(text, nullptr, false);
  if (!report.is_object() || !report.contains("findings") || !report["findings"].is_array())
    return Error{"this is not a report of `sooth check --json` or `sooth run --json`.", path};
  for (const auto& finding : report["findings"]) {
    if (!finding.is_object() || !finding.contains("id") || finding["id"] != id) continue;
    if (!finding.contains("replay") || !finding["replay"].is_object() || !finding["replay"].contains("witness") ||
        !finding["replay"]["witness"].is_string())
      return Error{fmt::format("finding {} has no schedule: only predicted ones have.", id), path};
    return replay::parse_script(finding["replay"]["witness"].get<std::string>(), path + ", witness");
  }
  return Error{fmt::format("the report has no finding {}.", id), path};
}

// The same, from a trace that is analysed now.
Result<Script> from_trace(const std::string& path, std::uint64_t id) {
  analysis::Options options;
  options.scripts = true;
  options.limits.seconds = analysis::kDefaultSeconds;
  analysis::Spending spending(options.limits.seconds, analysis::memory_limit(options));
  std::vector<std::string> notes;
  ProgressLine line("looking");
  auto report = analysis::analyse(path, path, options, spending, line, notes);
  if (!report) return report.error();
  for (const report::FindingText& finding : report->findings)
    if (finding.id == id && !finding.script.empty()) return replay::parse_script(finding.script, path);
  return Error{fmt::format("`sooth check` has no predicted finding {} in this trace.", id), path};
}

Result<Script> from_finding(const std::string& word) {
  const std::size_t colon = word.rfind(':');
  const std::string id = colon == std::string::npos ? "" : word.substr(colon + 1);
  if (id.empty() || id.size() > 9 || id.find_first_not_of("0123456789") != std::string::npos)
    return Error{fmt::format("`{}` is not a finding: write REPORT.json:ID or T.sooth:ID.", word)};
  const std::string path = word.substr(0, colon);
  const auto text = read_text_file(path);
  if (!text) return text.error();
  if (text.value().starts_with("{")) return from_json(path, text.value(), std::stoull(id));
  return from_trace(path, std::stoull(id));
}

Result<Script> from_recording(const std::string& path) {
  analysis::Spending spending(0, 0);
  analysis::Reading reading(spending);
  if (const auto error = reading.open(path)) return *error;
  const trace::Trace trace = reading.rest();
  if (reading.left_out.unread || reading.left_out.for_memory != 0 || trace.events.empty())
    return Error{"the trace cannot be read as a whole.", path};
  return replay::script_of_recording(trace);
}

Result<Script> script_for(const Wanted& wanted) {
  if (!wanted.observed.empty()) return from_recording(wanted.observed);
  if (wanted.witness.empty()) return from_finding(wanted.finding);
  const auto text = read_text_file(wanted.witness);
  if (!text) return text.error();
  return replay::parse_script(text.value(), wanted.witness);
}

// The recorded run died by a signal, and so did this one: nothing could follow.
bool died_as_recorded(const std::string& path, const Replayed& replayed) {
  trace::FileHeader header;
  std::ifstream in(path, std::ios::binary);
  return in.read(reinterpret_cast<char*>(&header), sizeof header) && WIFSIGNALED(replayed.ended.status) &&
         !replayed.was_ended && header.end_kind == static_cast<std::uint32_t>(trace::EndKind::Signal) &&
         header.end_value == WTERMSIG(replayed.ended.status);
}

// The trace of the finding's run; empty if nobody knows it.
std::string trace_of(const Wanted& wanted) {
  if (!wanted.inputs.empty()) return wanted.inputs;
  if (!wanted.observed.empty()) return wanted.observed;
  const std::string path = wanted.finding.substr(0, wanted.finding.rfind(':'));
  const auto text = read_text_file(path);
  if (wanted.finding.empty() || !text) return {};
  if (!text.value().starts_with("{")) return path;
  const auto report = nlohmann::json::parse(text.value(), nullptr, false);
  if (!report.is_object() || !report.contains("trace") || !report["trace"].is_object()) return {};
  const auto file = report["trace"].find("file");
  return file != report["trace"].end() && file->is_string() ? file->get<std::string>() : "";
}

// What the recorded program got from outside. A trace that is not there any more has nothing.
Result<replay::RecordedInputs> inputs_for(const Wanted& wanted) {
  const std::string trace = wanted.real_inputs ? "" : trace_of(wanted);
  std::error_code ignored;
  if (trace.empty() || (wanted.inputs.empty() && !std::filesystem::is_regular_file(trace, ignored)))
    return replay::RecordedInputs{};
  auto inputs = replay::read_inputs(trace);
  if (!inputs && wanted.inputs.empty()) return replay::RecordedInputs{}; // a report may name the program instead
  if (!inputs) return inputs.error();
  if (inputs->threads == 0 && !wanted.inputs.empty())
    return Error{"this trace has no inputs: record it with `sooth record --inputs`.", trace};
  if (inputs->lost != 0)
    complain(fmt::format("{}: recorded inputs of {} thread{} are damaged; they get the rest from outside.", trace,
                         inputs->lost, inputs->lost == 1 ? "" : "s"));
  return inputs;
}

int wrong(const std::string& message) {
  complain(message);
  return kWrong;
}

std::string end_text(const Replayed& replayed) {
  if (!replayed.confirmed) return "the program did not follow: " + replayed.why;
  const std::string followed = what_followed(replayed);
  return followed.empty() ? "the program ended well" : followed;
}

// What becomes of the program behind the point. A race has two continuations.
int tell_what_follows(const Script& script, const std::vector<std::string>& command, ReplayOptions options,
                      const Replayed& first) {
  if (script.goal != replay::Goal::Race) {
    print_error_text(fmt::format("  and then: {}\n", end_text(first)));
    return 0;
  }
  const auto write_first = replay::with_write_first(script);
  options.first = 1;
  const auto second = replay_script(write_first.value_or(script), command, options);
  if (!second) return wrong(second.error().text());
  print_error_text(
      fmt::format("  and then, with the {} first: {}\n", write_first ? "read" : "first access", end_text(first)));
  print_error_text(fmt::format("  and then, with the {} first: {}\n", write_first ? "write" : "second access",
                               end_text(second.value())));
  return 0;
}

} // namespace

int run_replay(int argc, char** argv) {
  Wanted wanted;
  ReplayOptions options;
  std::string first, save, then = "stop";
  int exit_code = kFound;
  bool explain = false;
  Parser parser(
      "replay",
      "Run the program under the schedule of a predicted finding, and see whether the error happens: `confirmed`, "
      "with\n"
      "the real values and stacks, or `diverged`, with the reason. FINDING is REPORT.json:ID, of a report that --json\n"
      "wrote, or T.sooth:ID. The program is the one that was recorded, or a new build of it; its arguments follow.\n"
      "Exit status: 66 confirmed, 65 diverged, 2 wrong usage or a witness that does not fit the program. With\n"
      "--observed the program's own status.",
      "  sooth replay bank.json:1 ./bank\n"
      "  sooth replay --then continue bank.json:1 ./bank -- 4 1000\n"
      "  sooth replay --witness found/1.witness ./bank\n"
      "  sooth replay --observed bank.sooth ./bank\n");
  parser.add_option("--witness", wanted.witness, "A witness file, instead of FINDING")->type_name("FILE");
  parser.add_option("--observed", wanted.observed, "Reproduce the recorded run of this trace, instead of FINDING")
      ->type_name("T.sooth")
      ->excludes("--witness");
  parser
      .add_option(
          "--inputs", wanted.inputs,
          "Give the program what it got from outside in this run (`sooth record --inputs`). By default from the\n"
          "trace of the finding, if it has inputs")
      ->type_name("T.sooth");
  parser.add_flag("--real-inputs", wanted.real_inputs, "Let the program get what is outside now")->excludes("--inputs");
  parser.add_option("--save", save, "Also write the schedule as a witness file")->type_name("FILE");
  parser
      .add_option("--then", then,
                  "What comes after the point: stop, continue (the crash or failed assertion that follows is\n"
                  "reported; the two accesses of a race in either order), or gdb. step: show each event on the way\n"
                  "there, and on a terminal wait for Enter")
      ->type_name("WHAT")
      ->show_default();
  parser.add_flag("--explain", explain,
                  "Say first which two events decide between the recorded run and the error, with their calls");
  parser
      .add_option("--watchdog", options.watchdog,
                  "Let the program go, as diverged, if nothing happens for so many seconds, and no thread\n"
                  "computes")
      ->type_name("SECONDS")
      ->at_least(0)
      ->show_default();
  parser.add_option("--exit-code", exit_code, "Exit status if it is confirmed")
      ->type_name("N")
      ->show_default()
      ->within(0, 255);
  parser.add_option("finding", first, "FINDING, then PROGRAM and its arguments")->required()->type_name("FINDING");
  parser.prefix_command();
  if (const auto status = parser.parse_all(argc, argv)) return *status;

  if (then != "stop" && then != "continue" && then != "gdb" && then != "step")
    return wrong(fmt::format("--then takes stop, continue, gdb or step, not `{}`.", then));
  std::vector<std::string> words = parser.remaining();
  if (wanted.witness.empty() && wanted.observed.empty()) wanted.finding = first;
  else words.insert(words.begin(), first);
  if (words.empty()) return wrong("`sooth replay FINDING PROGRAM`: the program is missing.");
  if (words.front().starts_with("--"))
    return wrong(fmt::format("options come first: `sooth replay {} ... {} PROGRAM`.", words.front(), first));
  const std::string program = find_program(words.front());
  if (program.empty()) return wrong(fmt::format("there is no program `{}` here or on PATH.", words.front()));
  std::vector<std::string> command = program_arguments({words.begin() + 1, words.end()});
  command.insert(command.begin(), program);

  auto script = script_for(wanted);
  if (!script) return wrong(script.error().text());
  const auto inputs = inputs_for(wanted);
  if (!inputs) return wrong(inputs.error().text());
  if (inputs.value().threads != 0) options.inputs = &inputs.value();
  if (!save.empty() && !write_file(save, replay::print(script.value()))) return kWrong;
  if (auto fits = fitted(script.value(), program); !fits) return wrong(fits.error().text());
  else {
    if (!fits->moved.empty())
      print_error_text(report::printable_lines(fmt::format("sooth: the source was edited since: {}\n", fits->moved)));
    script = std::move(fits->script);
  }

  if (explain) print_error_text(report::printable_lines(explanation(script.value())));
  options.gdb = then == "gdb";
  options.step = then == "step";
  options.then =
      (then == "stop" || then == "step") && wanted.observed.empty() ? replay::Then::Stop : replay::Then::Continue;
  if (!wanted.observed.empty()) {
    const auto replayed = replay_script(script.value(), command, options);
    if (!replayed) return wrong(replayed.error().text());
    if (!replayed.value().confirmed && !died_as_recorded(wanted.observed, replayed.value())) {
      print_error_text(report::printable_lines(replay_text(script.value(), replayed.value())));
      return kUnanswered;
    }
    return end_like(replayed.value().ended);
  }
  const auto replayed = replay_script(script.value(), command, options);
  if (!replayed) return wrong(replayed.error().text());
  print_error_text(report::printable_lines(replay_text(script.value(), replayed.value())));
  if (!replayed.value().confirmed) return kUnanswered;
  if (options.then == replay::Then::Continue && !options.gdb)
    if (const int status =
            tell_what_follows(replayed.value().corrected.value_or(script.value()), command, options, replayed.value()))
      return status;
  return exit_code;
}

} // namespace sooth::cli
