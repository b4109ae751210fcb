// The formulas of one thread, evaluated in its present state (DAME, section 2.3, step "update
// KV_i[i]").
#pragma once

#include "knowledge/monitoring.h"

namespace sooth::knowledge {

// `thread` stands after its event: sequence, vector, locals and access are those of the new state.
// Values about itself go into its own entries. Returns the monitors that are false.
Word evaluate(const Setup& setup, Thread& thread);

// Finds loops that remember and store nothing: `exists u: ...` need not be known if `x > 0 ||
// exists u: ...` is true already. Also finds loops whose stored values depend only on the current
// row: only changed rows are visited.
void sort_sections(Setup& setup);

// Words that the sections remember of one thread.
std::size_t memory_words(const Compiled& compiled, const Layout& layout);

// A leaf outside of evaluation, for explain() and query(). `row`: of the thread that the part is
// about, if it is one of those; otherwise 0.
Register look_up(const Setup& setup, const Thread& thread, const Instruction& leaf, std::uint32_t row);

} // namespace sooth::knowledge
