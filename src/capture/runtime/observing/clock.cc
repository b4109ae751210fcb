#include "capture/runtime/observing/clock.h"

#include "capture/runtime/observing/hook.h"
#include "capture/runtime/observing/lock.h"

namespace sooth::runtime::observing {

std::uint32_t g_epoch;

namespace {

struct FreeBlock {
  FreeBlock* next;
};
constexpr unsigned kClasses = 40;
FutexLock g_memory_lock; // everything up to g_left
FreeBlock* g_free[kClasses];
std::uint8_t* g_room;
std::size_t g_left;
constexpr std::size_t kArena = std::size_t{1} << 20;

// Clocks by their numbers. A number of a clock that was freed is given again.
constexpr std::uint32_t kPerPart = 1u << 16;
constexpr std::uint32_t kParts = 1u << 14;
FutexLock g_numbers_lock; // everything up to g_collect_at, but for reading the table
VectorClock** g_parts[kParts];
std::uint32_t g_numbers = 1;
ClockNumber g_free_number; // a list through the table
std::size_t g_bytes;       // of all clocks
std::size_t g_collect_at = std::size_t{16} << 20;

unsigned class_of(std::size_t bytes) {
  unsigned size_class = 5; // 32 bytes
  while ((std::size_t{1} << size_class) < bytes) ++size_class;
  return size_class;
}

std::size_t bytes_for(std::uint32_t room) { return sizeof(VectorClock) + room * sizeof(std::uint32_t); }

VectorClock*& place_of(ClockNumber number) { return g_parts[number / kPerPart][number % kPerPart]; }

// A free place holds the next free number, marked by its lowest bit.
bool is_free(const VectorClock* place) { return (reinterpret_cast<std::uintptr_t>(place) & 1) != 0; }

ClockNumber take_number(VectorClock* clock) {
  Locked lock(g_numbers_lock);
  ClockNumber number = g_free_number;
  if (number != 0) {
    g_free_number = static_cast<ClockNumber>(reinterpret_cast<std::uintptr_t>(place_of(number)) >> 1);
  } else {
    if (g_numbers == kPerPart * kParts) return 0;
    VectorClock**& part = g_parts[g_numbers / kPerPart];
    if (part == nullptr) part = static_cast<VectorClock**>(os::pages(kPerPart * sizeof *part));
    if (part == nullptr) return 0;
    number = g_numbers++;
  }
  __atomic_store_n(&place_of(number), clock, __ATOMIC_RELEASE);
  g_bytes += bytes_for(clock->room);
  return number;
}

VectorClock* new_clock(std::uint32_t size) {
  std::uint32_t room = 4;                  // fills the smallest block
  while (room < size) room = room * 2 + 4; // blocks are powers of two, less the header
  auto* clock = static_cast<VectorClock*>(take_memory(bytes_for(room)));
  if (clock == nullptr) return nullptr;
  *clock = {g_epoch, size, room, false};
  return clock;
}

bool covers(const VectorClock* a, const VectorClock* b) {
  if (b == nullptr) return true;
  if (a == nullptr || b->size > a->size) return false; // the last component is never zero
  for (std::uint32_t i = 0; i < b->size; ++i)
    if (a->counts[i] < b->counts[i]) return false;
  return true;
}

// Null if there is no memory.
ClockNumber maximum(const VectorClock* a, const VectorClock* b) {
  VectorClock* both = new_clock(a->size > b->size ? a->size : b->size);
  if (both == nullptr) return 0;
  for (std::uint32_t i = 0; i < both->size; ++i) {
    const std::uint32_t x = i < a->size ? a->counts[i] : 0;
    const std::uint32_t y = i < b->size ? b->counts[i] : 0;
    both->counts[i] = x > y ? x : y;
  }
  return take_number(both);
}

void now_covers(ThreadState& self, ClockNumber number) { self.covered[number % ThreadState::kCovered] = number; }

void set_clock(ThreadState& self, ClockNumber number) {
  if (number == 0) return end_messages(); // no memory: nothing after this could be trusted
  if (self.clock != 0) now_covers(self, self.clock);
  __atomic_store_n(&self.clock, number, __ATOMIC_RELEASE); // others look at it: see_everything
  self.learned = true;
}

} // namespace

void* take_memory(std::size_t bytes) {
  const unsigned size_class = class_of(bytes);
  const std::size_t whole = std::size_t{1} << size_class;
  if (whole >= kArena) return os::pages(whole);
  Locked lock(g_memory_lock);
  if (FreeBlock* block = g_free[size_class]) {
    g_free[size_class] = block->next;
    return block;
  }
  if (g_left < whole) {
    g_room = static_cast<std::uint8_t*>(os::pages(kArena));
    g_left = g_room != nullptr ? kArena : 0;
    if (g_room == nullptr) return nullptr;
  }
  void* block = g_room;
  g_room += whole;
  g_left -= whole;
  return block;
}

void drop_memory(void* p, std::size_t bytes) {
  const unsigned size_class = class_of(bytes);
  if ((std::size_t{1} << size_class) >= kArena) return os::give_back(p, std::size_t{1} << size_class);
  Locked lock(g_memory_lock);
  auto* block = static_cast<FreeBlock*>(p);
  block->next = g_free[size_class];
  g_free[size_class] = block;
}

const VectorClock* find_clock(ClockNumber number) {
  if (number == 0) return nullptr;
  const VectorClock* clock = __atomic_load_n(&place_of(number), __ATOMIC_ACQUIRE);
  return clock->epoch == g_epoch ? clock : nullptr;
}

void learn(ThreadState& self, ClockNumber number) {
  if (is_known_to_cover(self, number)) return;
  const VectorClock* other = find_clock(number);
  const VectorClock* own = find_clock(self.clock);
  if (!covers(own, other)) set_clock(self, covers(other, own) ? number : maximum(own, other));
  now_covers(self, number);
}

bool is_covered(const ThreadState& self, ClockNumber number) {
  return is_known_to_cover(self, number) || covers(find_clock(self.clock), find_clock(number));
}

ClockNumber joined(ThreadState& self, ClockNumber number) {
  if (is_known_to_cover(self, number)) return self.clock;
  const VectorClock* other = find_clock(number);
  const VectorClock* own = find_clock(self.clock);
  if (covers(own, other)) {
    now_covers(self, number);
    return self.clock;
  }
  if (covers(other, own)) return number;
  const ClockNumber both = maximum(own, other);
  if (both == 0) end_messages();
  return both;
}

void raise_clock(ThreadState& self, std::uint32_t count) {
  const VectorClock* own = find_clock(self.clock);
  const std::uint32_t size = own != nullptr && own->size > self.slot ? own->size : self.slot + 1;
  VectorClock* fresh = new_clock(size);
  if (fresh == nullptr) return end_messages();
  for (std::uint32_t i = 0; i < size; ++i) {
    fresh->counts[i] = own != nullptr && i < own->size ? own->counts[i] : 0;
    __asm__ volatile("" : : : "memory"); // not to become a call of memcpy
  }
  fresh->counts[self.slot] = count;
  set_clock(self, take_number(fresh));
}

bool has_many_clocks() { return __atomic_load_n(&g_bytes, __ATOMIC_RELAXED) > g_collect_at; } // a hint

void begin_collecting() {
  for (ClockNumber i = 1; i < g_numbers; ++i)
    if (!is_free(place_of(i))) place_of(i)->used = false;
}

ClockNumber mark_clock(ClockNumber number) {
  if (number == 0) return 0;
  VectorClock* clock = place_of(number);
  if (clock->epoch != g_epoch) return 0;
  clock->used = true;
  return number;
}

void end_collecting() {
  for (ClockNumber i = 1; i < g_numbers; ++i) {
    VectorClock* clock = place_of(i);
    if (is_free(clock) || clock->used) continue;
    g_bytes -= bytes_for(clock->room);
    drop_memory(clock, bytes_for(clock->room));
    place_of(i) = reinterpret_cast<VectorClock*>(std::uintptr_t{g_free_number} << 1 | 1);
    g_free_number = i;
  }
  constexpr std::size_t kLeast = std::size_t{16} << 20;
  g_collect_at = 2 * g_bytes > kLeast ? 2 * g_bytes : kLeast; // each collection is paid by as many new clocks
}

void clear_component(std::uint32_t slot) {
  for (ClockNumber i = 1; i < g_numbers; ++i) {
    VectorClock* clock = place_of(i);
    if (is_free(clock) || slot >= clock->size) continue;
    clock->counts[slot] = 0;
    while (clock->size != 0 && clock->counts[clock->size - 1] == 0) --clock->size;
  }
}

} // namespace sooth::runtime::observing
