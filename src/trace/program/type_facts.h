// Types, names and inlined calls as sections of a module's static facts (format.h defines the
// words).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "trace/program/fact_words.h"
#include "trace/string_table.h"
#include "trace/trace.h"

namespace sooth::trace {

// Takes these sections out of a module's facts and adds them to the trace; `sites` and `globals`
// are the module's own. Returns the other sections. A malformed section stays, and nothing is known
// from it.
std::vector<std::uint8_t> take_type_facts(std::span<const std::uint8_t> facts, std::span<Site> sites,
                                          std::span<Global> globals, const StringAt& string, Trace& trace);

// The sections for all that the trace knows; empty if that is nothing.
std::vector<std::uint8_t> make_type_facts(const Trace& trace, StringTable& strings);

} // namespace sooth::trace
