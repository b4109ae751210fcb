// Accesses whose order is recorded as it was: those of variables that a property names (`sooth record --property`).
//
// Other plain accesses only look at the clocks (clock.h): of two that no synchronisation orders the trace has one order that
// their values allow. For a prediction any of them is as good; what is said of the recorded run itself needs the real one.
// So here each access takes a ticket, and all tickets come from the one global clock. A read takes it after it was made, a
// write before: if one event was over before another one began, their numbers say so, whatever kept them apart. Of two accesses
// that met, their values have the last word when the trace is read.
// None of these accesses is left out, and none becomes part of a range.
#pragma once

#include "capture/runtime/clock.h"

namespace sooth::runtime {

// `exact=all`, or variables as hexadecimal `ADDRESS+BYTES` or `ADDRESS+BYTES@LIBRARY`, separated by commas. Addresses are
// those of the file. In either case watched variables are among them. False if that is not how the list is written.
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
