// Observing: the program computes Algorithm A's clocks itself, and sends the relevant events to an
// observer (docs/protocol.md).
//
// Question: which relevant events causally precede which, while the program runs?
// Source: JMPaX online, sections 2 and 3, Fig. 2; locks and conditions are written variables
//   (section 3.1).
// Where we differ: threads come and go. Plain accesses cannot be made under our lock, so their
//   hooks give the order. The values they saw show where that order is not the real one
//   (observing/values.h). A checkpoint gives up runs that would need the wrong part, so that
//   predictions stay true. Hooks run beside each other; docs/protocol.md argues why the clocks are
//   those of the algorithm all the same.
// Cost: about that of recording (docs/benchmarks.md). Relevant events cost a message each.
//
// An observed program writes no trace. The functions of its sink (mode.h) stand in for recording at
// the same hooks.
#pragma once

#include <cstddef>
#include <cstdint>

#include "capture/runtime/mode.h"
#include "capture/runtime/thread.h"

namespace sooth::runtime::observing {

void access(Thread* t, EventKind kind, std::uint64_t address, const void* bytes, std::uint64_t size,
            std::uint32_t site);
void copy(Thread* t, std::uint64_t to, std::uint64_t from, std::uint64_t size, std::uint32_t site);
void fill(Thread* t, std::uint64_t address, std::uint8_t byte, std::uint64_t size, std::uint32_t site);
void sync(Thread* t, EventKind kind, std::uint64_t address, std::uint64_t value);
void failed(Thread* t, EventKind kind, std::uint64_t address, std::uint64_t value);
void frames(Thread* t, const std::uint64_t* low, const std::uint64_t* top);
void waits(Thread* t, std::uint32_t other);
void no_child(Thread* t, std::uint32_t child);
// Whether the property may name some of these bytes.
bool may_be_relevant(std::uint64_t address, std::uint64_t size);
// From now on, a signal handler of the program may run hooks.
void handlers_in_use();
// A module was registered: the next hook reports it.
void new_module();

// Whether the environment names an observer (SOOTH_OBSERVER).
bool is_wanted();
// Connects to it. On failure, reports it and returns false.
bool start(const char* program);
// In the child of a fork: the child is not observed.
void forget();
void finish(trace::EndKind kind, int value);

} // namespace sooth::runtime::observing
