// Which accesses of the two threads of a race touch the same bytes?
//
//     T1 stands at its first write of `a[i] = 1`       a[0]
//     T2 comes to its writes of `a[i] = 2`             a[8], a[9] ... a[15], and then a lock
//     T1 goes on alone                                 a[1] ... a[9]: T2 was there
//
// The schedule counts accesses of an instruction from the thread's last synchronisation. The
// analysis may have omitted some before the one that it means: those of bytes that nobody else
// touches. So if the last thread to stop finds no common bytes at its place, it notes all that the
// place touches up to its next synchronisation, and stands there. Then the first thread goes on up
// to its own, and looks for one of these bytes. The outcome is where both have to stop: the tool
// replays once more, with these counts (ScheduleHeader::found).
// Cost: this file is not used if the counts are right. kMostNoted accesses are noted.
#include "capture/runtime/replaying/state.h"

#include "trace/effects.h"

namespace sooth::runtime {

using replay::Goal;
using replay::Reason;

namespace {

struct Noted {
  std::uint64_t address;
  std::uint64_t size;
};
constexpr std::uint32_t kMostNoted = 1u << 16;
Noted* g_noted;
std::uint32_t g_noted_count;
std::uint32_t g_searches; // the first thread has to go on

bool is_memory(EventKind kind) { return trace::object_of(kind) == trace::ObjectKind::Memory; }

ReplayedThread* other_stop(const ReplayedThread& self) {
  for (std::uint32_t i = 0; i < g_schedule->threads; ++i)
    if (i != self.row && g_replayed[i].stopped) return &g_replayed[i];
  return nullptr;
}

} // namespace

void note_access(const ReplayedThread& self) {
  if (g_schedule->goal != Goal::Race || !is_memory(self.kind)) return;
  if (g_noted == nullptr) g_noted = static_cast<Noted*>(os::pages(kMostNoted * sizeof *g_noted));
  if (g_noted != nullptr && g_noted_count < kMostNoted) g_noted[g_noted_count++] = {self.address, self.size};
}

void search_with_other(const ReplayedThread& self, const Met& met) {
  ReplayedThread* other = g_noted_count != 0 ? other_stop(self) : nullptr;
  if (other == nullptr || !is_memory(other->kind)) return diverge(&self, Reason::OtherMemory, &met);
  __atomic_store_n(&g_searches, 1, __ATOMIC_SEQ_CST);
  wake_all();
  while (is_followed()) {
    const timespec moment = {0, 1'000'000};
    os::call(SYS_nanosleep, reinterpret_cast<long>(&moment), 0);
  }
}

bool has_to_search(const ReplayedThread& self) {
  return self.stopped && __atomic_load_n(&g_searches, __ATOMIC_ACQUIRE) != 0;
}

void begin_search(ReplayedThread& self) {
  self.stopped = false;
  self.searches = true;
  self.left = 0;
}

void search(ReplayedThread& self, const Met& met) {
  if (!is_followed()) return;
  if (!is_memory(met.kind)) return diverge(&self, Reason::OtherMemory, &met); // the end of its segment
  const replay::StepRow& stop = g_step_rows[self.stop];
  if (static_cast<EventKind>(stop.kind) != met.kind || place_of_site(met.site) != stop.place) return;
  ++self.left;
  for (std::uint32_t i = 0; i < g_noted_count; ++i) {
    if (met.address >= g_noted[i].address + g_noted[i].size || g_noted[i].address >= met.address + met.size) continue;
    g_schedule->found_first = stop.count + self.left;
    g_schedule->found_last = g_step_rows[g_schedule->steps - 1].count + i;
    g_schedule->found_stop = self.stop;
    diverge(&self, Reason::OtherMemory, &met);
    os::call(SYS_exit_group, 0); // the next replay is the one that counts
  }
}

} // namespace sooth::runtime
