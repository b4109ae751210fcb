// Reading debug information about types, scopes and files.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Function.h"

namespace sooth::pass {

// Directory and file name as the compiler recorded them, so prefix maps stay in force; without `..`
// steps.
std::string joined_path(const llvm::DIFile* file);
// A header of the system: its lines are not what the user wrote.
bool is_system_path(llvm::StringRef path);
// <sooth/sooth.h>, <sooth/monitor.h>: what they hold stands for the place where it is used.
bool is_public_header(llvm::StringRef path);
bool is_in_public_header(const llvm::Function& function);

// The type below typedefs and qualifiers.
const llvm::DIType* plain_type(const llvm::DIType* type);
bool is_reference(const llvm::DIType* type);
// The type that a pointer or reference points to; null for other types and for void*.
const llvm::DIType* pointee(const llvm::DIType* type);
std::uint64_t bytes_of(const llvm::DIType* type);

// `int`, `struct account [16]`, `net::state *`
std::string type_name(const llvm::DIType* type);
// kSiteFloat, kSiteSigned or kSitePointer; 0 for other types, nothing if the type is not known.
std::optional<std::uint32_t> value_flags(const llvm::DIType* type);

bool is_in_function(const llvm::DIScope* scope);
// The scope that a variable was declared in: of a static member, its class.
const llvm::DIScope* scope_of(const llvm::DIGlobalVariable& variable);
// `net::state`, `A::x`, `f()::counter`
std::string qualified_name(const llvm::DIScope* scope, llvm::StringRef name);
// The demangled name of a function.
std::string function_name(const llvm::DISubprogram* function);

struct Member {
  std::string path;                   // `.limits[3].low`; empty: the whole object
  const llvm::DIType* type = nullptr; // of what the path names
  bool bit_field = false;
  bool hidden = false; // the path ended in members with reserved names, which are not shown
};
// Indexes that are only known at run time: the numbers of bytes that they count.
using RuntimeSteps = llvm::SmallVector<std::uint64_t, 2>;
// What lies at `offset` in an object of this type, seen by an access of `size` bytes; 0: not known.
Member find_member(const llvm::DIType* type, std::uint64_t offset, std::uint64_t size, RuntimeSteps steps);

} // namespace sooth::pass
