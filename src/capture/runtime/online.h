// Online: the program computes Algorithm A's clocks itself and sends what is relevant to an observer (docs/protocol.md).
//
// Question: which relevant events causally precede which, while the program runs?
// Source: JMPaX online, sections 2 and 3, Fig. 2; locks and conditions are written variables
// (section 3.1).
// We differ: threads come and go; plain accesses cannot be made under our lock, so their hooks give
// the order, and the values they saw tell where that order is not the real one (online_shadow.h);
// runs that would need the wrong part are given up by a checkpoint, so that what is predicted stays
// true.
// Cost: one lock for all hooks of the process. Correct first: a program under observation is slow.
//
// An observed program writes no trace: each function stands in for what recording does at the same hook.
#pragma once

#include <cstddef>
#include <cstdint>

#include "capture/runtime/thread.h"

namespace sooth::runtime {

extern bool g_online; // set before the first hook runs, and never changed
inline bool is_online() { return __builtin_expect(g_online, 0); }

void online_access(Thread* t, EventKind kind, std::uint64_t address, const void* bytes, std::uint64_t size,
                   std::uint32_t site);
void online_fill(Thread* t, std::uint64_t address, std::uint8_t byte, std::uint64_t size, std::uint32_t site);
void online_sync(Thread* t, EventKind kind, std::uint64_t address, std::uint64_t value);
void online_failed(Thread* t, EventKind kind, std::uint64_t address, std::uint64_t value);
// Activations at and above `low` were left, and those in [low, top) entered.
void online_frames(Thread* t, const std::uint64_t* low, const std::uint64_t* top);

// Before pthread_join blocks; and if pthread_create did not make the thread that `fork` announced.
void online_waits(Thread* t, std::uint32_t other);
void online_no_child(Thread* t, std::uint32_t child);
// A handler of the program's may run hooks from now on.
void online_handlers_in_use();

// Whether the environment names an observer (SOOTH_OBSERVER).
bool online_is_wanted();
// Connects to it. False if that failed, which is told.
bool online_start(const char* program);
// In the child of a fork: it is not observed.
void online_forget();
void online_finish(trace::EndKind kind, int value);

} // namespace sooth::runtime
