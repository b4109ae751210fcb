// Static facts of one function: for each of its sites what decides whether it is reached, and where
// its value, its address and its outcome come from. trace/static_facts.h defines them. They
// describe the code that gets the hooks, just before it does.
#pragma once

#include <memory>

#include "capture/pass/facts/fact_table.h"
#include "capture/pass/facts/other_writes.h"

namespace sooth::pass {

class FunctionFacts {
public:
  FunctionFacts(llvm::Function& function, PrivateMemory& memory, const HookRows& rows, CallEffects& effects,
                llvm::FunctionAnalysisManager& analyses);

  // Operations that end the program if their operands are wrong, and whose operands depend on
  // something.
  std::vector<llvm::Instruction*> traps() const;
  // A call that hands something to code that may have no hooks: before it goes an event.
  bool is_decision(const llvm::CallBase& call) const;
  // Adds the function and all its sites. `announced`: parameters by value whose copies begin with
  // an event at the function's row.
  void add_to(FactTable& table, std::uint32_t function_row, llvm::ArrayRef<unsigned> announced);

private:
  using Set = DataSources::Set;
  void add_access(FactTable& table, std::uint32_t row, const llvm::Instruction& instruction);
  void add_call(FactTable& table, std::uint32_t row, const llvm::CallBase& call);
  void add(FactTable& table, std::uint32_t row, const llvm::Instruction& instruction, SiteFact fact);
  Set address_of(const llvm::Instruction& instruction) const;
  Set handed_over(const llvm::CallBase& call) const;

  llvm::Function& function_;
  const HookRows& rows_;
  CallEffects& effects_;
  ControlDependence control_;
  DataSources sources_;
  OtherWrites other_writes_;
  std::uint32_t number_ = 0;
};

// Local variables that no other code can see become values, so that they are followed exactly; they
// are never recorded.
bool promote_variables(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);

} // namespace sooth::pass
