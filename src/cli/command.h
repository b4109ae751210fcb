// The table of commands: one row and one file each.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace sooth::cli {

// Exit status of every command (docs/report.md, Exit status).
inline constexpr int kFine = 0;
inline constexpr int kWrong = 2;       // wrong usage, property or trace
inline constexpr int kUnanswered = 65; // no findings, and some kind was not searched at all
inline constexpr int kFound = 66;      // there are findings; --exit-code changes it
inline constexpr int kTimedOut = 124;  // --timeout ended the program, and there are no findings

struct Command {
  std::string_view name;
  std::string_view arguments;
  std::string_view summary;
  int (*run)(int argc, char** argv); // argv[0] is the command's name
  bool has_parser = true;            // it reads its options with a Parser
};

std::span<const Command> commands();
const Command* find_command(std::string_view name); // null if there is none
std::string nearest_command(std::string_view name); // empty if none is near
std::string overview();                             // the text of `sooth help`

int run_cc(int argc, char** argv);
int run_cxx(int argc, char** argv);
int run_record(int argc, char** argv);
int run_run(int argc, char** argv);
int run_replay(int argc, char** argv);
int run_observe(int argc, char** argv);
int run_relay(int argc, char** argv);
int run_fleet(int argc, char** argv);
int run_monitors(int argc, char** argv);
int run_lattice(int argc, char** argv);
int run_show(int argc, char** argv);
int run_stats(int argc, char** argv);
int run_verify(int argc, char** argv);
int run_check(int argc, char** argv);
int run_diff(int argc, char** argv);
int run_report(int argc, char** argv);
int run_compare(int argc, char** argv);
int run_import(int argc, char** argv);
int run_export(int argc, char** argv);
int run_version(int argc, char** argv);
int run_help(int argc, char** argv);

} // namespace sooth::cli
