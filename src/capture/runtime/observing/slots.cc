#include "capture/runtime/observing/slots.h"

#include "capture/runtime/observing/clock.h"
#include "capture/runtime/observing/lock.h"
#include "capture/runtime/observing/threads.h"

namespace sooth::runtime::observing {
namespace {

constexpr std::uint32_t kPerBlock = 1024;
constexpr std::uint32_t kBlocks = 1024; // as many as threads
struct Slot {
  std::uint32_t thread;
  std::uint32_t next_free;
};
Slot* g_blocks[kBlocks];
std::uint32_t g_slots;     // that there ever were
std::uint32_t g_free_slot; // plus one; 0: none
FutexLock g_slots_lock;

ThreadCount* g_floor;
std::size_t g_floor_size, g_floor_room;
constexpr std::uint32_t kAtLeast = 64;
std::uint32_t g_look_at = kAtLeast; // threads, in all

Slot& slot_at(std::uint32_t slot) { return g_blocks[slot / kPerBlock][slot % kPerBlock]; }

// Room for `wanted` entries, of which the first `used` stay. False: no memory.
bool make_room(ThreadCount*& entries, std::size_t& room, std::size_t used, std::size_t wanted) {
  if (wanted <= room) return true;
  std::size_t larger = room != 0 ? room : 64;
  while (larger < wanted) larger *= 2;
  auto* fresh = static_cast<ThreadCount*>(take_memory(larger * sizeof(ThreadCount)));
  if (fresh == nullptr) return false;
  if (entries != nullptr) {
    os::copy(fresh, entries, used * sizeof *entries);
    drop_memory(entries, room * sizeof *entries);
  }
  entries = fresh;
  room = larger;
  return true;
}

// Heap sort, by thread.
void sort(ThreadCount* entries, std::size_t count) {
  const auto swap = [&](std::size_t a, std::size_t b) {
    const ThreadCount first = entries[a];
    entries[a] = entries[b];
    entries[b] = first;
  };
  const auto sink = [&](std::size_t from, std::size_t end) {
    for (std::size_t child; (child = 2 * from + 1) < end; from = child) {
      if (child + 1 < end && entries[child].thread < entries[child + 1].thread) ++child;
      if (entries[child].thread <= entries[from].thread) return;
      swap(from, child);
    }
  };
  for (std::size_t i = count / 2; i-- > 0;) sink(i, count);
  for (std::size_t end = count; end-- > 1;) {
    swap(0, end);
    sink(0, end);
  }
}

bool add_to_floor(const ThreadState& thread) {
  if (thread.count == 0) return true;
  if (!make_room(g_floor, g_floor_room, g_floor_size, g_floor_size + 1)) return false;
  g_floor[g_floor_size++] = {thread.number, thread.count};
  return true;
}

bool knows(const ThreadState& thread, std::uint32_t slot, std::uint32_t count) {
  const VectorClock* clock = find_clock(thread.clock);
  return clock != nullptr && slot < clock->size && clock->counts[slot] >= count;
}

bool is_needed(const ThreadState& ended) {
  if (ended.start_waits) return true; // its start is sent with its own clock
  if (ended.count == 0) return false;
  for (std::uint32_t i = 0; i < g_thread_count; ++i) {
    const ThreadState* other = find_thread(i);
    if (other != nullptr && other->alive && other->in_epoch && !knows(*other, ended.slot, ended.count)) return true;
  }
  return false;
}

} // namespace

bool take_slot(ThreadState& thread) {
  Locked lock(g_slots_lock);
  std::uint32_t slot = g_free_slot - 1;
  if (g_free_slot != 0) {
    g_free_slot = slot_at(slot).next_free;
  } else {
    if (g_slots == kPerBlock * kBlocks) return false;
    slot = g_slots;
    Slot*& block = g_blocks[slot / kPerBlock];
    if (block == nullptr) block = static_cast<Slot*>(os::pages(kPerBlock * sizeof *block));
    if (block == nullptr) return false;
    ++g_slots;
  }
  slot_at(slot).thread = thread.number;
  thread.slot = slot;
  return true;
}

ClockEntries entries_of(ThreadState& self, const VectorClock& clock) {
  const std::size_t most = clock.size + g_floor_size;
  if (!make_room(self.entries, self.entries_room, 0, most)) return {nullptr, 0};
  std::size_t count = 0;
  bool ascending = true;
  const auto add = [&](std::uint32_t thread, std::uint32_t n) {
    ascending = ascending && (count == 0 || self.entries[count - 1].thread < thread);
    self.entries[count++] = {thread, n};
  };
  for (std::uint32_t i = 0; i < clock.size; ++i)
    if (clock.counts[i] != 0) add(slot_at(i).thread, clock.counts[i]);
  for (std::size_t i = 0; i < g_floor_size; ++i) add(g_floor[i].thread, g_floor[i].count);
  if (!ascending) sort(self.entries, count);
  return {self.entries, count};
}

void clear_floor() { g_floor_size = 0; }

bool has_many_ended() { return __atomic_load_n(&g_thread_count, __ATOMIC_RELAXED) >= g_look_at; } // a hint

void give_slots_back(void (*freed)(std::uint32_t slot)) {
  bool start_waits = false; // and with it a clock that is sent later
  for (std::uint32_t i = 0; i < g_thread_count; ++i)
    if (const ThreadState* thread = find_thread(i)) start_waits = start_waits || thread->start_waits;
  std::uint32_t used = 0;
  for (std::uint32_t i = 0; i < g_thread_count; ++i) {
    ThreadState* thread = find_thread(i);
    if (thread == nullptr || thread->slot == kNoSlot) continue;
    ++used;
    if (start_waits || !thread->ended || is_needed(*thread) || !add_to_floor(*thread)) continue;
    --used;
    freed(thread->slot);
    slot_at(thread->slot).next_free = g_free_slot;
    g_free_slot = thread->slot + 1;
    thread->slot = kNoSlot;
  }
  g_look_at = g_thread_count + (used > kAtLeast ? used : kAtLeast); // as many new threads pay for the next look
}

} // namespace sooth::runtime::observing
