// Carriers: what knowledge travels through. Variables that formulas name have one each; primitives and other memory share
// a table of stripes, so that nobody waits for a lock of the whole process.
#include "capture/runtime/monitored_state.h"
#include "capture/runtime/os.h"

namespace sooth::runtime {

MonitoredVariable* g_monitored_variables;

} // namespace sooth::runtime

// What code of `sooth c++ --monitor` compares addresses with (abi.h).
extern "C" {
__attribute__((visibility("default"))) SoothMonitoredRange __sooth_monitored = {0, 0};
}

namespace sooth::runtime {
namespace {

struct Cell {
  Cell* next;
  std::uint64_t key;
  knowledge::Carrier* carrier() { return reinterpret_cast<knowledge::Carrier*>(this + 1); }
};
struct alignas(64) Stripe {
  CarrierLock lock;
  Cell* first;
};
constexpr std::size_t kStripes = 4096;
Stripe g_stripes[kStripes];

// How many cells lie in the pages that share a number here: most memory that is freed has none.
constexpr std::size_t kPageCounts = std::size_t{1} << 14;
std::uint32_t g_page_counts[kPageCounts];

os::SpinLock g_room_lock;
Cell* g_free;
std::uint8_t* g_room;
std::size_t g_room_left;

std::uint64_t g_low = ~std::uint64_t{0}, g_high; // all placed variables lie in [g_low, g_high)
bool g_all_memory;

Stripe& stripe_of(std::uint64_t key) { return g_stripes[key * 0x9e3779b97f4a7c15u >> 52]; }
std::uint32_t& page_count(std::uint64_t key) { return g_page_counts[(key >> 12) % kPageCounts]; }

std::size_t cell_bytes() { return (sizeof(Cell) + g_setup.carrier_words() * sizeof(knowledge::Word) + 63) / 64 * 64; }

Cell* new_cell() {
  const std::size_t bytes = cell_bytes();
  Cell* cell = nullptr;
  {
    os::Guard guard(g_room_lock);
    if (g_free != nullptr) {
      cell = g_free;
      g_free = cell->next;
    } else {
      if (g_room_left < bytes) {
        const std::size_t more = bytes > 256 * 1024 ? bytes : 256 * 1024;
        g_room = static_cast<std::uint8_t*>(os::pages(more));
        g_room_left = g_room != nullptr ? more : 0;
        if (g_room == nullptr) return nullptr;
      }
      cell = reinterpret_cast<Cell*>(g_room);
      g_room += bytes;
      g_room_left -= bytes;
    }
  }
  knowledge::reset_carrier(*cell->carrier());
  return cell;
}

void free_cell(Cell* cell) {
  os::Guard guard(g_room_lock);
  cell->next = g_free;
  g_free = cell;
}

void drop_one(std::uint64_t key) {
  Stripe& stripe = stripe_of(key);
  if (__atomic_load_n(&stripe.first, __ATOMIC_RELAXED) == nullptr) return; // looked at again with the lock
  Cell* found = nullptr;
  stripe.lock.lock();
  for (Cell** link = &stripe.first; *link != nullptr; link = &(*link)->next) {
    if ((*link)->key != key) continue;
    found = *link;
    *link = found->next;
    break;
  }
  stripe.lock.unlock();
  if (found == nullptr) return;
  __atomic_fetch_sub(&page_count(key), 1, __ATOMIC_RELAXED); // a count
  free_cell(found);
}

void bound() {
  std::uint64_t low = ~std::uint64_t{0}, high = 0;
  for (std::uint32_t i = 0; i < g_setup.compiled.variable_count(); ++i) {
    const MonitoredVariable& v = g_monitored_variables[i];
    const std::uint64_t address = __atomic_load_n(&v.address, __ATOMIC_RELAXED);
    if (address == 0) continue;
    if (address < low) low = address;
    if (address + v.size > high) high = address + v.size;
  }
  if (g_all_memory) {
    low = 0;
    high = ~std::uint64_t{0};
  }
  __atomic_store_n(&g_low, low, __ATOMIC_RELEASE);
  __atomic_store_n(&g_high, high, __ATOMIC_RELEASE);
  if (low >= high) return;
  // Wider by what one access may reach over.
  const std::uint64_t begin = low < kSoothMonitoredReach ? 0 : low - kSoothMonitoredReach;
  __atomic_store_n(&__sooth_monitored.begin, begin, __ATOMIC_RELEASE);
  __atomic_store_n(&__sooth_monitored.bytes, high - begin, __ATOMIC_RELEASE);
}

} // namespace

void CarrierLock::lock() {
  for (unsigned spins = 0; __atomic_exchange_n(&held_, 1, __ATOMIC_ACQUIRE) != 0; ++spins) {
    if (spins > 64) os::yield();
    else __builtin_ia32_pause();
  }
}

bool make_carriers() {
  const knowledge::Compiled& compiled = g_setup.compiled;
  const std::uint32_t count = compiled.variable_count();
  const std::size_t each = (g_setup.carrier_words() * sizeof(knowledge::Word) + 63) / 64 * 64;
  g_all_memory = (compiled.header->flags & knowledge::kAllMemory) != 0;
  g_monitored_variables = static_cast<MonitoredVariable*>(os::pages((count + 1) * sizeof *g_monitored_variables));
  auto* room = static_cast<std::uint8_t*>(os::pages((count + 1) * each));
  if (g_monitored_variables == nullptr || room == nullptr) return false;
  for (std::uint32_t i = 0; i < count; ++i) {
    g_monitored_variables[i].size = compiled.variables[i].size;
    g_monitored_variables[i].carrier = reinterpret_cast<knowledge::Carrier*>(room + i * each);
  }
  bound();
  return true;
}

bool may_hold_monitored(std::uint64_t address, std::uint64_t size) {
  return address < __atomic_load_n(&g_high, __ATOMIC_RELAXED) &&
         __atomic_load_n(&g_low, __ATOMIC_RELAXED) < address + size;
}

void place_variable(std::uint32_t variable, std::uint64_t address) {
  __atomic_store_n(&g_monitored_variables[variable].address, address, __ATOMIC_RELEASE);
  bound();
}

knowledge::Carrier* hold_carrier(std::uint64_t key, CarrierLock*& lock) {
  Stripe& stripe = stripe_of(key);
  stripe.lock.lock();
  lock = &stripe.lock;
  for (Cell* cell = stripe.first; cell != nullptr; cell = cell->next)
    if (cell->key == key) return cell->carrier();
  Cell* fresh = new_cell();
  if (fresh == nullptr) {
    stripe.lock.unlock();
    return nullptr;
  }
  fresh->key = key;
  fresh->next = stripe.first;
  __atomic_store_n(&stripe.first, fresh, __ATOMIC_RELAXED); // with the lock; drop_one peeks
  __atomic_fetch_add(&page_count(key), 1, __ATOMIC_RELAXED);
  return fresh->carrier();
}

void drop_carriers(std::uint64_t address, std::uint64_t size) {
  const std::uint64_t end = address + size;
  for (std::uint64_t at = address & ~std::uint64_t{7}; at < end;) {
    const std::uint64_t page_end = (at | 4095) + 1;
    const std::uint64_t stop = end < page_end ? end : page_end;
    if (__atomic_load_n(&page_count(at), __ATOMIC_RELAXED) != 0) {
      for (; at < stop; at += 8) {
        drop_one(primitive_key(at));
        drop_one(granule_key(at));
      }
    }
    at = page_end;
  }
}

void reset_carrier_locks() {
  g_room_lock.reset();
  for (Stripe& stripe : g_stripes) stripe.lock.reset();
}

} // namespace sooth::runtime
