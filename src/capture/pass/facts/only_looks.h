// Calls that only look at what they are given: they print it.
//
//     printf("%d hits\n", hits);          the value goes to standard output, and nowhere else
//     snprintf(text, 9, "%d", hits);      it goes into memory
//     fprintf(file, "%d", hits);          the program may read the file again
//
// Question: if an argument had another value, would the program do anything else?
// Source: the C and C++ standards, for output to the standard streams, and POSIX for syslog. A
//   stream that was redirected (freopen, dup2, rdbuf) may lead back into the program: then the
//   module says so, and no printed value counts as free (trace/program/value_flows.h).
// Where we differ: only numbers whose place in a constant format is known. `%s`, `%n`, `%*d` and
//   formats that are made at run time decide. What a call returns is followed like any value.
// Cost: one look at the call's format.
#pragma once

#include <cstdint>

#include "llvm/ADT/DenseSet.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"

namespace sooth::pass {

// The variable `stdout` or `stderr`, loaded.
bool is_standard_output(const llvm::Value* stream);

// `named`: functions of which the user says so (SOOTH_ONLY_LOOKS, an ignorelist).
bool only_looks(const llvm::CallBase& call, unsigned argument, const llvm::DenseSet<const llvm::Function*>& named);

// How many bytes of the caller's memory the call prints, if it does nothing else with them: fwrite
// of one number. 0: another call.
std::uint64_t printed_bytes(const llvm::CallBase& call);

// What prints a number to a stream stays a call. Before the optimiser.
bool keep_printers_apart(llvm::Module& module);

// Some code of the module may redirect a standard stream, or change how numbers are printed.
bool redirects_output(const llvm::Module& module);

} // namespace sooth::pass
