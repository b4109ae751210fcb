// The names of a program that a property can use: plain data, made from a trace or from the
// program's file.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "trace/trace.h"

namespace sooth::logic {

struct SymbolVariable {
  std::string name; // `net::state`, `file.cpp:counter`, `f()::counter`
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  std::uint32_t type = 0; // index into Symbols::types; 0: not known
};
struct SymbolWatch {
  std::string name;
  std::uint64_t bytes = 0;
  trace::TypeKind kind = trace::TypeKind::Unknown; // Unknown: a structure, or a name that is only made at run time
};

struct Symbols {
  std::vector<trace::Type> types; // [0] is the unknown type
  std::vector<SymbolVariable> variables;
  std::vector<SymbolWatch> watches;
  std::vector<std::string> functions;         // instrumented ones, demangled, with parameters
  std::vector<std::string> inlined_functions; // of which calls were inlined: these are not events
  std::vector<std::string> user_events;
  // Names that threads give themselves, and names of SOOTH_ATOMIC. The empty one stands for names
  // made at run time.
  std::vector<std::string> thread_names;
  std::vector<std::string> block_names;
  // Of a program that was built for its monitors: variables whose accesses have no hooks; and
  // variables that no pointer leads to, for the sake of which accesses through pointers have none
  // (logic/monitor_needs.h).
  std::vector<std::string> unseen_variables;
  std::vector<std::string> unreached_variables;
  std::vector<std::string> thread_locals;
  // Of a trace: it has none of the tables that an instrumented program writes first.
  bool tables_missing = false;
  // False: the tables do not hold every name (user events and watches of a program that makes names
  // at run time, a trace from elsewhere). Unknown names of these kinds are then not errors.
  bool all_names_known = true;
  // Of a program that has not run: libraries[k] has the addresses from (k + 1) *
  // trace::kLibraryStep on.
  std::vector<std::string> libraries;
  // The program may load libraries while it runs: a name that is not here may be in one of them.
  bool may_grow = false;
};

inline bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// From a recorded run; addresses are those of that run.
Symbols symbols_of_trace(const trace::Trace& trace);
// From a program that was built with Sooth, before it runs: the tables in its file and in those of
// the libraries that it is linked to. Addresses are not those of any run.
Result<Symbols> symbols_of_program(const std::string& path);

} // namespace sooth::logic
