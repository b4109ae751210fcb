#include "cli/command.h"

#include <vector>

#include <fmt/format.h>

#include "logic/syntax/nearest.h"

namespace sooth::cli {

std::span<const Command> commands() {
  static constexpr Command rows[] = {
      {"run", "FILE.cpp... | PROGRAM [ARGS]", "build if it is a source file, run it once, say what other runs would do",
       run_run},
      {"record", "[-o T.sooth] PROGRAM [ARGS]", "run a program and keep its trace", run_record},
      {"check", "T.sooth...", "say what other runs of the recorded program would do", run_check},
      {"replay", "FINDING PROGRAM [-- ARGS]", "make a predicted error happen in the real program", run_replay},
      {"diff", "A.json B.json", "compare two reports: new, gone, unchanged", run_diff},
      {"report", "DIR --serve", "show the reports of a folder in a browser", run_report},
      {"compare", "T.sooth", "count what each causal model finds", run_compare},
      {"observe", "--listen ADDRESS | --nats URL", "check programs while they run", run_observe},
      {"relay", "--listen ADDRESS --nats URL", "hand observed programs on to a group of observers", run_relay},
      {"fleet", "--nats URL", "show the programs of a fleet and their verdicts", run_fleet},
      {"monitors", "P PROGRAM", "check monitors that run inside a program (see docs/monitors.md)", run_monitors},
      {"lattice", "T.sooth --property P -o L.svg", "draw the runs that a property is checked on", run_lattice},
      {"show", "T.sooth", "print the events of a trace", run_show},
      {"stats", "T.sooth", "count what is in a trace, and what is not", run_stats},
      {"verify", "T.sooth", "check that a trace is legal", run_verify},
      {"import", "--from std FILE -o T.sooth", "make a trace from another format", run_import},
      {"export", "--to std T.sooth -o FILE", "write a trace in another format", run_export},
      {"cc", "ARGS", "compile C as clang does, instrumented (also: sooth-cc)", run_cc, false},
      {"c++", "ARGS", "compile C++ as clang++ does, instrumented (also: sooth-c++)", run_cxx, false},
      {"version", "", "print the version", run_version, false},
      {"help", "[COMMAND | --files SHARE]", "explain a command; or write man pages and completions", run_help, false},
  };
  return rows;
}

const Command* find_command(std::string_view name) {
  for (const Command& command : commands())
    if (command.name == name) return &command;
  return nullptr;
}

std::string nearest_command(std::string_view name) {
  std::vector<std::string> names;
  for (const Command& command : commands()) names.emplace_back(command.name);
  const std::vector<std::string> near = logic::nearest_names(name, names);
  return near.empty() ? std::string() : near.front();
}

std::string overview() {
  std::string out = "Sooth reads one run of a multithreaded C or C++ program and says what other runs would do.\n\n"
                    "usage: sooth COMMAND [ARGS]\n\n";
  for (const Command& command : commands())
    out += fmt::format("  {:<8} {:<30} {}\n", command.name, command.arguments, command.summary);
  out += "\n`sooth COMMAND --help` explains a command, with examples.\n\n"
         "  sooth run bank.cpp                      # build, run once, say what other runs would do\n"
         "  sooth c++ -g bank.cpp -o bank           # or step by step:\n"
         "  sooth record -o bank.sooth ./bank\n"
         "  sooth check bank.sooth\n"
         "  sooth show bank.sooth --variable balance\n";
  return out;
}

} // namespace sooth::cli
