#include "logic/expression.h"

namespace sooth::logic {

bool Expression::evaluate(std::span<const std::uint64_t> values, std::span<const ScalarType> types,
                          std::uint64_t happened, Faults* faults) const {
  const auto leaf = [&](const Instruction& in) -> knowledge::Register {
    if (in.op == Op::Happened) return happened >> in.operand & 1;
    return knowledge::load_scalar(values[in.operand], types[in.operand].layout());
  };
  return knowledge::run(code_.data(), code_.size(), leaf, faults) != 0;
}

} // namespace sooth::logic
