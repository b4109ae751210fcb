#include "capture/pass/facts/other_writes.h"

#include "llvm/Analysis/MemoryLocation.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

namespace sooth::pass {

using namespace llvm;

namespace {

constexpr std::size_t kMostPairs = 200'000;
constexpr std::size_t kMostBlocks = 4000;

std::optional<MemoryLocation> read_location(const Instruction& instruction) {
  if (const auto* copy = dyn_cast<MemTransferInst>(&instruction)) return MemoryLocation::getForSource(copy);
  if (isa<CallBase>(instruction)) return std::nullopt;
  return MemoryLocation::getOrNone(&instruction);
}

} // namespace

OtherWrites::OtherWrites(Function& function, const HookRows& rows, const CallEffects& effects,
                         const ControlDependence& control, AAResults& aliases)
    : aliases_(aliases) {
  std::size_t readers = 0;
  for (const Instruction& instruction : instructions(function)) {
    const bool access = rows.access.contains(&instruction);
    const auto* call = dyn_cast<CallBase>(&instruction);
    const auto call_row = call ? rows.call.find(call) : rows.call.end();
    const bool is_call = call_row != rows.call.end();
    if ((access || is_call) && instruction.mayReadFromMemory()) ++readers;
    if (is_call) {
      const trace::CallEffect effect = effects.effect_of(*call);
      if (effect == trace::CallEffect::None || effect == trace::CallEffect::Reads) continue;
    } else if (!access || !instruction.mayWriteToMemory()) {
      continue;
    }
    Writer writer{&instruction, {}};
    if (is_call) writer.rows.push_back(call_row->second);
    for (const Instruction* parent : control.all_parents(instruction, kTerminationSensitive)) {
      if (const auto row = rows.decision.find(parent); row != rows.decision.end()) writer.rows.push_back(row->second);
      else if (const auto* above = dyn_cast<CallBase>(parent))
        if (const auto above_row = rows.call.find(above); above_row != rows.call.end())
          writer.rows.push_back(above_row->second);
    }
    if (!writer.rows.empty()) writers_.push_back(std::move(writer));
  }
  exact_ = readers * writers_.size() <= kMostPairs && function.size() <= kMostBlocks;
  if (!exact_) return;
  for (const BasicBlock& block : function) numbers_.try_emplace(&block, numbers_.size());
  reachable_.resize(numbers_.size());
  for (const BasicBlock& block : function) {
    BitVector& found = reachable_[numbers_[&block]];
    found.resize(static_cast<unsigned>(numbers_.size()));
    SmallVector<const BasicBlock*, 16> open(successors(&block));
    while (!open.empty()) {
      const BasicBlock* next = open.pop_back_val();
      const unsigned number = numbers_[next];
      if (found.test(number)) continue;
      found.set(number);
      open.append(succ_begin(next), succ_end(next));
    }
  }
}

bool OtherWrites::reaches(const Instruction& writer, const Instruction& reader) const {
  if (writer.getParent() == reader.getParent() && &writer != &reader && writer.comesBefore(&reader)) return true;
  return reachable_[numbers_.lookup(writer.getParent())].test(numbers_.lookup(reader.getParent()));
}

bool OtherWrites::may_change(const Instruction& writer, const Instruction& reader) {
  if (const auto location = read_location(reader)) return isModSet(aliases_.getModRefInfo(&writer, location));
  if (isa<CallBase>(reader) && !isa<CallBase>(writer))
    if (const auto location = MemoryLocation::getOrNone(&writer))
      return isRefSet(aliases_.getModRefInfo(&reader, location));
  return true;
}

std::vector<std::uint32_t> OtherWrites::before(const Instruction& reader) {
  std::vector<std::uint32_t> rows;
  for (const Writer& writer : writers_)
    if (!exact_ || (reaches(*writer.instruction, reader) && may_change(*writer.instruction, reader)))
      rows.insert(rows.end(), writer.rows.begin(), writer.rows.end());
  llvm::sort(rows);
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  return rows;
}

} // namespace sooth::pass
