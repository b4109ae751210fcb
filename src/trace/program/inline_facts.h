// Calls that the compiler replaced by the body of their function: a section of a module's static
// facts (format.h).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "trace/program/fact_words.h"
#include "trace/string_table.h"
#include "trace/trace.h"

namespace sooth::trace {

// Adds the section's contents to `sites`, which are the module's own. False if the section is
// malformed; then nothing is added.
bool read_inlined_calls(std::span<const std::uint8_t> payload, const StringAt& string, std::span<Site> sites,
                        Trace& trace);

// The section for all sites of the trace but the unknown one; empty if nothing was inlined.
std::vector<std::uint8_t> make_inline_facts(const Trace& trace, StringTable& strings);

} // namespace sooth::trace
