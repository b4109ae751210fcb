// Accesses whose order is recorded as it was: those of variables that a property names (`sooth
// record --property`).
//
// Other plain accesses only look at the clocks (clock.h). If no synchronisation orders two of them,
// the trace has one order that their values allow. For a prediction any such order is as good. A
// statement about the recorded run itself needs the real one.
//
// So here each access takes a ticket, and all tickets come from the one global clock. A read takes
// its ticket after the load, a write before the store. If one event was over before another one
// began, their numbers say so, whatever kept them apart. If two accesses overlapped, their values
// decide when the trace is read.
//
// None of these accesses is left out, and none becomes part of a range.
#pragma once

#include "capture/runtime/recording/clock.h"

namespace sooth::runtime {

// `exact=all`, or variables as hexadecimal `ADDRESS+BYTES` or `ADDRESS+BYTES@LIBRARY`, separated by
// commas. Addresses are those of the file. Watched variables are included in either case. False if
// the list is malformed.
bool order_exactly(const char* text, std::size_t length);
void order_exactly(std::uint64_t address, std::uint64_t bytes);

struct ExactRange {
  std::uint64_t begin, end;
};
extern ExactRange g_exact_reach; // around all of them
bool meets_exact(std::uint64_t address, std::uint64_t bytes);
inline bool is_exact(std::uint64_t address, std::uint64_t bytes) {
  return __builtin_expect(address < __atomic_load_n(&g_exact_reach.end, __ATOMIC_RELAXED), 0) &&
         address + bytes > __atomic_load_n(&g_exact_reach.begin, __ATOMIC_RELAXED) && meets_exact(address, bytes);
}

} // namespace sooth::runtime
