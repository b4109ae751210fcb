// Names for accesses.
//
//     load of 4 bytes at (acct + 8)      `acct->balance`, bank.cpp:12
//
// Question: what does the source call the memory that this instruction touches, and where does it
//   do so?
// Source: debug information (types, variables, locations) and the shape of the address computation.
// Where we differ: a debugger maps variables to addresses. This goes the other way, from an address
//   expression of optimised code back to `acct->balance`, `queue[...]`, `cfg.ready`. Members of the
//   standard library's own making (`_M_start`) are left out, so that an element of a vector v is
//   `v[...]`.
// Cost: a walk up the operands, at most kMaxWalk steps; gives an empty name if debug information is
//   silent.
#pragma once

#include "capture/pass/tables/debug_types.h"
#include "capture/pass/tables/debug_variables.h"
#include "capture/pass/tables/site_table.h"
#include "llvm/IR/Instructions.h"

namespace sooth::pass {

class SourceNames {
public:
  explicit SourceNames(llvm::Function& function);

  // Where the instruction stands: the innermost place that is not in a system header. Function and
  // flags are set.
  SiteTable::Row place_of(const llvm::Instruction& instruction) const;
  // A row for an access of `size` bytes at `address`, whose value has the IR type `type`.
  SiteTable::Row access(const llvm::Instruction& instruction, const llvm::Value* address, std::uint64_t size,
                        const llvm::Type* type, bool is_volatile) const;
  SiteTable::Row call(const llvm::CallBase& call) const;
  SiteTable::Row branch(const llvm::Instruction& terminator) const;
  SiteTable::Row function_row() const;

private:
  struct Named {
    std::string text;                   // empty: not known
    const llvm::DIType* type = nullptr; // of what the text names
    bool bit_field = false;
    bool hidden = false; // text leaves out the member it really is
  };
  struct Offset {
    std::int64_t bytes = 0;
    RuntimeSteps steps; // parts that are only known at run time
  };

  Named object_at(const llvm::Value* address, std::uint64_t size, unsigned depth) const;
  Named value_named(const llvm::Value* value, unsigned depth) const;
  Named base_object(const llvm::Value* base) const;
  Named through_pointer(const Named& pointer, Offset offset, std::uint64_t size) const;
  const llvm::Value* strip(const llvm::Value* address, Offset& offset) const;
  std::string object_of(const llvm::CallBase& call) const;

  llvm::Function& function_;
  const llvm::DataLayout& layout_;
  DebugVariables variables_;
  mutable const llvm::DISubprogram* scope_ = nullptr; // the function whose variables are preferred
};

} // namespace sooth::pass
