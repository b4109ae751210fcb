// A test program carries its expectations inside, one a line:
//   // FLAGS: ...        more flags for clang            // LIBRARIES: ...  for the link
//   // MLLVM: ...        options of the pass             // NO-RUN: why     build only
//   // LEVELS: -O0 ...   only these levels
//   // LOG: text         a line of the runtime's log holds the text, at every level
//   // LOG-NOT: text     no line does
//   // LOG-CELLS-COUNT: n text   with cells kept, exactly n lines do
// `@@` in a text stands for anything, `$DIR` in options for the folder of the programs.
#pragma once

#include <string>
#include <vector>

struct TestProgram {
  std::string path;
  std::string name;
  std::string flags;
  std::string libraries;
  std::string pass_options;
  std::string levels;
  bool run = true;
  std::vector<std::string> expected;
  std::vector<std::string> forbidden;
  struct Count {
    std::size_t times;
    std::string text;
  };
  std::vector<Count> counted_with_cells;

  bool is_cxx() const { return path.ends_with(".cpp"); }
};

std::vector<TestProgram> read_programs(const std::string& folder);

// Does the line hold the text, in which `@@` stands for anything?
bool holds(const std::string& line, const std::string& text);
std::vector<std::string> lines_of(const std::string& file);

struct Finished {
  int status;
  std::string output; // standard output and standard error
};
Finished run_command(const std::string& command);
