// What else is known of sites: the calls that the compiler replaced by the body of their function,
// and the objects that calls are about. Sections of a module's static facts (format.h).
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

// The same for the section of objects.
bool read_call_objects(std::span<const std::uint8_t> payload, const StringAt& string, std::span<Site> sites);

// Both sections for all sites of the trace but the unknown one; empty if there is nothing to say.
std::vector<std::uint8_t> make_inline_facts(const Trace& trace, StringTable& strings);

} // namespace sooth::trace
