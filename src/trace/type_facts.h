// Types and names as sections of a module's static facts (format.h says what the words are).
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "trace/string_table.h"
#include "trace/trace.h"

namespace sooth::trace {

// The text at an offset of the module's strings.
using StringAt = std::function<std::string(std::uint32_t)>;

// Takes the sections for types and names out of a module's facts and adds them to the trace; `globals` are the module's
// own. Returns what is left. A section that does not hold what it should stays, and nothing is known from it.
std::vector<std::uint8_t> take_type_facts(std::span<const std::uint8_t> facts, std::span<Global> globals,
                                          const StringAt& string, Trace& trace);

// The two sections for all that the trace knows; empty if that is nothing.
std::vector<std::uint8_t> make_type_facts(const Trace& trace, StringTable& strings);

} // namespace sooth::trace
