// Checks: loads whose values alone decide whether the program fails.
//
//     lock m ; v = x ; unlock m ; if (v != 1) abort();
//     If the load of x sees anything but 1, the thread calls abort, whatever the others do.
//
// The pass finds them (capture/pass/checks.h, which has the exact rule): between the first load and
// the branch there is one way only, on which nothing waits, ends or writes what is loaded; and on
// one side of the branch no way avoids the failing call. So a thread that stands before the first
// load fails if the condition is 1 for what memory holds at that moment.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "trace/program/fact_words.h"
#include "trace/string_table.h"
#include "trace/trace.h"

namespace sooth::trace {

// The status that the program exits with, which says that it failed; 0: it dies.
std::uint32_t exit_status(const Check& check);

// Whether it is an error to fail by this check. An exit is one only if the recorded run ended well:
// a program that says anyway that it failed may do so earlier.
bool is_failure(const ProcessInfo& process, const Check& check);

// Whether the program fails if its loads see these values, one for each, as unsigned numbers.
// Nothing if the condition is malformed.
std::optional<bool> fails(const Check& check, std::span<const std::uint64_t> values);

// The loads' events, the first of which is `event`, at which the check begins. Empty if the trace
// does not have all of them: those that only repeat what the thread has read are not recorded.
std::vector<std::uint32_t> loads_of(const Trace& trace, std::uint32_t event);

// Adds the section's contents to the trace. `sites` are the module's own, a part of its sites.
// False if the section is malformed; then nothing is added.
bool read_checks(std::span<const std::uint8_t> payload, const StringAt& string, std::span<Site> sites, Trace& trace);
// The section for all checks; empty if there are none.
std::vector<std::uint8_t> make_checks(const Trace& trace, StringTable& strings);

} // namespace sooth::trace
