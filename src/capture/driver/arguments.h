// Reads a clang command line, only as far as needed to know what will happen to which inputs.
#pragma once

#include <string>
#include <vector>

namespace sooth::driver {

// How far clang goes.
enum class Stage { Query, Preprocess, Compile, Link };

struct CommandLine {
  Stage stage = Stage::Link;
  bool has_inputs = false;
  bool has_sources = false;    // something that is compiled: not only objects and libraries
  bool is_static = false;      // -static, -static-pie
  bool is_relocatable = false; // -r
  bool is_foreign = false;     // code that no runtime can be beside: CUDA, HIP, OpenCL, -ffreestanding
  bool is_shared = false;      // -shared: a library, not a program
  bool has_debug_flag = false; // a -g... that chooses a level, -g0 included
  bool wants_debug = false;    // any -g... that asks for debug information

  bool instrument = true;        // no -fno-sooth
  bool branches = false;         // -fsooth-branches
  bool loops = true;             // no -fno-sooth-loops
  bool classes = true;           // no -fno-sooth-classes
  bool own = true;               // not -fno-sooth-own
  bool facts = false;            // -fsooth-facts
  bool tsan_annotations = false; // -fsooth-tsan-annotations
  bool help = false;             // --sooth-help
  bool print_calls = false;      // --sooth-print-calls
  bool print_libraries = false;  // --sooth-print-libdir
  bool print_headers = false;    // --sooth-print-includedir
  std::vector<std::string> ignorelists;
  std::vector<std::string> only; // globs: --only, --skip
  std::vector<std::string> skip;
  std::vector<std::string> atomic;     // -fsooth-atomic=: globs
  std::string monitor;                 // --monitor FILE: the property file whose monitors are built in; empty: none
  std::string output = "a.out";        // -o
  std::vector<std::string> inputs;     // files, as they are named
  std::vector<std::string> properties; // -fsooth-property=: files, of which the calls that they name are all kept

  std::vector<std::string> passed_on; // the user's arguments without our own, response files as they were
  std::vector<std::string> mistakes;  // sentences for the user
};

// Response files (@file) are opened to see what is in them, nested ones too; clang gets them
// untouched.
CommandLine read_command_line(const std::vector<std::string>& arguments);

// The options of our own, for --sooth-help.
std::string help_text();

} // namespace sooth::driver
