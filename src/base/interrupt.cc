#include "base/interrupt.h"

#include <atomic>

namespace sooth {
namespace {

std::atomic<int> g_interrupts{0};
static_assert(std::atomic<int>::is_always_lock_free); // a handler may use it

} // namespace

// Relaxed: it is only looked at now and then, and nothing else is handed over by it.
bool was_interrupted() { return g_interrupts.load(std::memory_order_relaxed) != 0; }
int note_interrupt() { return g_interrupts.fetch_add(1, std::memory_order_relaxed); }

} // namespace sooth
