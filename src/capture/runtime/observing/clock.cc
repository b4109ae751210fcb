#include "capture/runtime/observing/clock.h"

#include "capture/runtime/os.h"

namespace sooth::runtime::observing {

std::uint32_t g_epoch;

namespace {

struct FreeBlock {
  FreeBlock* next;
};
constexpr unsigned kClasses = 40;
FreeBlock* g_free[kClasses];
std::uint8_t* g_room;
std::size_t g_left;
constexpr std::size_t kArena = std::size_t{1} << 20;

unsigned class_of(std::size_t bytes) {
  unsigned size_class = 5; // 32 bytes
  while ((std::size_t{1} << size_class) < bytes) ++size_class;
  return size_class;
}

std::size_t bytes_for(std::uint32_t room) { return sizeof(VectorClock) + room * sizeof(std::uint32_t); }

VectorClock* new_clock(std::uint32_t size) {
  std::uint32_t room = 4;                  // fills the smallest block
  while (room < size) room = room * 2 + 4; // blocks are powers of two, less the header
  auto* clock = static_cast<VectorClock*>(take_memory(bytes_for(room)));
  if (clock == nullptr) return nullptr;
  clock->references = 1;
  clock->epoch = g_epoch;
  clock->size = size;
  clock->room = room;
  for (std::uint32_t i = 0; i < size; ++i) {
    clock->counts[i] = 0;
    __asm__ volatile("" : : : "memory"); // not to become a call of memset
  }
  return clock;
}

bool covers(const VectorClock* a, const VectorClock* b) {
  if (b->size > a->size) return false; // the last component is never zero
  for (std::uint32_t i = 0; i < b->size; ++i)
    if (a->counts[i] < b->counts[i]) return false;
  return true;
}

} // namespace

void* take_memory(std::size_t bytes) {
  const unsigned size_class = class_of(bytes);
  if (FreeBlock* block = g_free[size_class]) {
    g_free[size_class] = block->next;
    return block;
  }
  const std::size_t whole = std::size_t{1} << size_class;
  if (whole >= kArena) return os::pages(whole);
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
  auto* block = static_cast<FreeBlock*>(p);
  block->next = g_free[size_class];
  g_free[size_class] = block;
}

void drop_clock(VectorClock* clock) {
  if (clock != nullptr && --clock->references == 0) drop_memory(clock, bytes_for(clock->room));
}

void assign_clock(VectorClock*& slot, VectorClock* clock) {
  if (slot == clock) return;
  if (clock != nullptr) ++clock->references;
  drop_clock(slot);
  slot = clock;
}

void join_clock(VectorClock*& slot, VectorClock* other) {
  if (slot == other || !is_current(other)) return;
  if (!is_current(slot) || covers(other, slot)) return assign_clock(slot, other);
  if (covers(slot, other)) return;
  VectorClock* both = new_clock(slot->size > other->size ? slot->size : other->size);
  if (both == nullptr) return assign_clock(slot, other);
  for (std::uint32_t i = 0; i < both->size; ++i) {
    const std::uint32_t a = i < slot->size ? slot->counts[i] : 0;
    const std::uint32_t b = i < other->size ? other->counts[i] : 0;
    both->counts[i] = a > b ? a : b;
  }
  drop_clock(slot);
  slot = both;
}

void raise_clock(VectorClock*& slot, std::uint32_t thread, std::uint32_t count) {
  VectorClock* old = is_current(slot) ? slot : nullptr;
  if (old != nullptr && old->references == 1 && thread < old->size) {
    old->counts[thread] = count;
    return;
  }
  const std::uint32_t size = old != nullptr && old->size > thread ? old->size : thread + 1;
  VectorClock* fresh = new_clock(size);
  if (fresh == nullptr) return;
  for (std::uint32_t i = 0; old != nullptr && i < old->size; ++i) {
    fresh->counts[i] = old->counts[i];
    __asm__ volatile("" : : : "memory");
  }
  fresh->counts[thread] = count;
  drop_clock(slot);
  slot = fresh;
}

} // namespace sooth::runtime::observing
