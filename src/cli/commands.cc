#include "cli/command.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include <fmt/format.h>

namespace sooth::cli {

std::span<const Command> commands() {
  static constexpr Command rows[] = {
      {"run", "FILE.cpp | PROGRAM [-- ARGS]", "build if it is a source file, run it once, say what other runs would do",
       run_run},
      {"record", "[-o T.sooth] PROGRAM [ARGS]", "run a program and keep its trace", run_record},
      {"check", "T.sooth", "say what other runs of the recorded program would do", run_check},
      {"replay", "FINDING PROGRAM [-- ARGS]", "make a predicted error happen in the real program", run_replay},
      {"compare", "T.sooth", "count what each causal model finds", run_compare},
      {"observe", "--listen ADDRESS", "check programs while they run", run_observe},
      {"monitors", "P PROGRAM", "check monitors that run inside a program (see docs/monitors.md)", run_monitors},
      {"lattice", "T.sooth --property P -o L.svg", "draw the runs that a property is checked on", run_lattice},
      {"show", "T.sooth", "print the events of a trace", run_show},
      {"stats", "T.sooth", "count what is in a trace, and what is not", run_stats},
      {"verify", "T.sooth", "check that a trace is legal", run_verify},
      {"import", "--from std FILE -o T.sooth", "make a trace from another format", run_import},
      {"export", "--to std T.sooth -o FILE", "write a trace in another format", run_export},
      {"cc", "ARGS", "compile C as clang does, instrumented (also: sooth-cc)", run_cc},
      {"c++", "ARGS", "compile C++ as clang++ does, instrumented (also: sooth-c++)", run_cxx},
      {"version", "", "print the version", run_version},
      {"help", "[COMMAND]", "explain a command", run_help},
  };
  return rows;
}

const Command* find_command(std::string_view name) {
  for (const Command& command : commands())
    if (command.name == name) return &command;
  return nullptr;
}

namespace {

// The least number of letters to insert, delete or change to get from one word to the other.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t above = row[j + 1];
      row[j + 1] = std::min({above + 1, row[j] + 1, diagonal + (a[i] == b[j] ? 0 : 1)});
      diagonal = above;
    }
  }
  return row.back();
}

} // namespace

std::string nearest_command(std::string_view name) {
  constexpr std::size_t kFar = 3;
  std::size_t best = kFar;
  std::string_view nearest;
  if (name.size() > 20) return {};
  for (const Command& command : commands()) {
    const std::size_t distance = edit_distance(name, command.name);
    if (distance >= best || distance >= command.name.size()) continue;
    best = distance;
    nearest = command.name;
  }
  return std::string(nearest);
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
