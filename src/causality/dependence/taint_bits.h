// Taint for the lattice: the state that a node keeps about reads that saw another value.
//
//     T2 read  x, another value than in the trace     bit set
//     T2 write x = x + 1                              bit of the written value set
//     T2 branch on x                                  may not follow: a decision would be tainted
//
// Question: given which of a thread's values are tainted, may its next act follow, and which values
//   are tainted after it?
// Source: docs/sliced.md, the definition of `full`, forwards: a read that sees another value is
//   tainted, taint flows along dependence, and an act may not follow if a decision is tainted.
// Where we differ: only values that a later act still depends on have a bit, and bits are reused,
//   so the words of a lattice node grow with the values alive at once and not with the trace. A
//   dead value's bit is zero: equal meaning, equal words.
// Cost: an act costs the nodes that it makes and the values that die with it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "causality/computation/computation.h"
#include "causality/dependence/step_dependence.h"

namespace sooth::causality {

// One act of the lattice: a block of events that happens at once.
struct TaintAct {
  std::uint32_t thread = 0;
  std::uint32_t first_event = 0;
  StepId step = kNoStep;                 // the step that begins with it
  std::vector<DependenceNode> looked_at; // values that a monitor sees in it
};

class TaintBits {
public:
  TaintBits(const Computation& computation, std::span<const TaintAct> acts); // each thread's acts ascend

  std::uint32_t bits() const { return bits_; }
  // `words` hold the bits. `reads_tainted`: the act's step sees something else than it saw.
  bool allows(std::uint32_t act, bool reads_tainted, std::span<const std::uint64_t> words) const;
  // Returns whether what it writes is tainted.
  bool advance(std::uint32_t act, bool reads_tainted, std::span<std::uint64_t> words) const;

private:
  static constexpr std::uint32_t kNoBit = 0xffffffff;
  struct Part {                          // of one act
    std::vector<DependenceNode> nodes;   // evaluated with it, children first
    std::vector<DependenceNode> decides; // must not be tainted
    std::vector<DependenceNode> dying;   // not needed behind it
  };
  std::vector<bool> evaluate(std::uint32_t act, bool reads_tainted, std::span<const std::uint64_t> words) const;
  bool tainted(std::uint32_t act, const std::vector<bool>& made, DependenceNode node,
               std::span<const std::uint64_t> words) const;
  void place_nodes(std::span<const TaintAct> acts);
  void share_bits(std::span<const TaintAct> acts);

  const Computation& computation_;
  const StepDependence& dependence_;
  std::vector<Part> parts_;              // by act
  std::vector<StepId> step_of_act_;      //
  std::vector<std::uint32_t> act_of_;    // by node: where it is evaluated; kNoBit: never tainted
  std::vector<std::uint32_t> number_of_; // by node: among the nodes of its act
  std::vector<std::uint32_t> bit_of_;    // by node; kNoBit: needs none
  std::uint32_t bits_ = 0;
};

} // namespace sooth::causality
