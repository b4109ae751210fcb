#include "capture/runtime/observing/collect.h"

#include "capture/runtime/observing/shadow.h"
#include "capture/runtime/observing/slots.h"
#include "capture/runtime/observing/threads.h"

namespace sooth::runtime::observing {

bool should_collect() { return has_many_clocks() || has_many_ended() || has_many_replaced(); }

void collect_clocks() {
  begin_collecting();
  for (std::uint32_t i = 0; i < g_thread_count; ++i) {
    ThreadState* thread = find_thread(i);
    if (thread == nullptr) continue;
    thread->clock = mark_clock(thread->clock);
    thread->start_clock = mark_clock(thread->start_clock);
    for (ClockNumber& covered : thread->covered) { // its number may soon be another clock's
      covered = 0;
      __asm__ volatile("" : : : "memory"); // not to become a call of memset
    }
  }
  for_all_records([](Record& record) { record = {mark_clock(record.access), mark_clock(record.write)}; });
  end_collecting();
  give_slots_back(clear_component);
}

} // namespace sooth::runtime::observing
