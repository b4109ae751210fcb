// Carriers of knowledge. Each variable that formulas name has its own carrier. Primitives and other
// memory share a table of stripes, so that no thread waits for a lock of the whole process.
//
//     write of bytes 0..7      one piece, one carrier
//     read of bytes 0..3       splits it: 0..3 and 4..7, both with the knowledge of the old piece
//
// Memory is cut into the pieces that accesses have in common. A cell stands for some of the eight
// bytes of a granule, all in one stripe. So one lock holds everything that an access within a
// granule touches. An access that covers only a part of a piece splits it.
// (causality/computation/locations.h does the same for a trace.)
#include "capture/runtime/monitoring/quick.h"
#include "capture/runtime/monitoring/state.h"
#include "capture/runtime/os.h"

namespace sooth::runtime::monitoring {

VariablePlace* g_variable_places;
Variable* g_variables;
std::uint64_t g_variables_begin = ~std::uint64_t{0}, g_variables_end;
Stripe g_stripes[kStripes];

} // namespace sooth::runtime::monitoring

// Code of `sooth c++ --monitor` compares addresses with this range (abi.h).
extern "C" {
__attribute__((visibility("default"))) SoothMonitoredRange __sooth_monitored = {0, 0};
}

namespace sooth::runtime::monitoring {
namespace {

// The number of cells in the pages that share a row here. Most freed memory has none.
constexpr std::size_t kPageCounts = std::size_t{1} << 14;
std::uint32_t g_page_counts[kPageCounts];

constexpr std::size_t kCellRoom = 64; // a cache line each: no false sharing
static_assert(sizeof(CarrierCell) <= kCellRoom);
CarrierLock g_room_lock; // the next three
CarrierCell* g_free;
std::uint8_t* g_room;
std::size_t g_room_left;
std::uint64_t g_lost; // atomic

bool g_all_memory;

std::uint32_t& page_count(std::uint64_t address) { return g_page_counts[(address >> 12) % kPageCounts]; }

// A cell that no stripe has.
CarrierCell* take_cell() {
  CarrierCell* cell = nullptr;
  g_room_lock.lock();
  if (g_free != nullptr) {
    cell = g_free;
    g_free = cell->next;
  } else {
    constexpr std::size_t more = 256 * 1024;
    if (g_room_left == 0 && (g_room = static_cast<std::uint8_t*>(os::pages(more))) != nullptr) g_room_left = more;
    if (g_room_left != 0) {
      cell = reinterpret_cast<CarrierCell*>(g_room);
      g_room += kCellRoom;
      g_room_left -= kCellRoom;
    }
  }
  g_room_lock.unlock();
  return cell;
}

CarrierCell* new_cell(Stripe& stripe, std::uint64_t address, std::uint8_t bytes, Primitive kind) {
  CarrierCell* cell = stripe.own_taken ? take_cell() : &stripe.own;
  if (cell == nullptr) {
    __atomic_fetch_add(&g_lost, 1, __ATOMIC_RELAXED); // a count
    return nullptr;
  }
  stripe.own_taken = true;
  cell->address = address;
  cell->bytes = bytes;
  cell->kind = kind;
  cell->carrier = {};
  cell->next = stripe.first;
  __atomic_store_n(&stripe.first, cell, __ATOMIC_RELAXED); // with the lock; drop_carriers peeks
  __atomic_fetch_add(&page_count(address), 1, __ATOMIC_RELAXED);
  return cell;
}

// Removes the cell `*link`. Needs the stripe's lock.
void drop_cell(Stripe& stripe, CarrierCell** link) {
  CarrierCell* cell = *link;
  __atomic_store_n(link, cell->next, __ATOMIC_RELAXED);
  __atomic_fetch_sub(&page_count(cell->address), 1, __ATOMIC_RELAXED);
  __atomic_store_n(&cell->address, ~std::uint64_t{0},
                   __ATOMIC_RELAXED); // threads that remember it find another address
  knowledge::reset_carrier(g_setup, cell->carrier);
  if (cell == &stripe.own) {
    stripe.own_taken = false;
    return;
  }
  g_room_lock.lock();
  cell->next = g_free;
  g_free = cell;
  g_room_lock.unlock();
}

void drop_granule(std::uint64_t granule, std::uint64_t address, std::uint64_t end) {
  Stripe& stripe = stripe_of(granule);
  if (__atomic_load_n(&stripe.first, __ATOMIC_RELAXED) == nullptr) return; // checked again with the lock
  stripe.lock.lock();
  for (CarrierCell** link = &stripe.first; *link != nullptr;) {
    CarrierCell& cell = **link;
    bool goes = false;
    if (cell.bytes == 0) {
      goes = granule_of(cell.address) == granule && cell.address >= address && cell.address < end;
    } else if (cell.address == granule) {
      cell.bytes &= static_cast<std::uint8_t>(~bytes_in(granule, address, end));
      goes = cell.bytes == 0;
    }
    if (goes) drop_cell(stripe, link);
    else link = &cell.next;
  }
  stripe.lock.unlock();
}

void touch(ThreadState& self, knowledge::Carrier& carrier) {
  self.touches[self.touch_count++] = {&carrier, 0, knowledge::kNoVariable};
}

// Takes the locks in one order, so that threads never wait for each other in a circle.
void hold_stripes(ThreadState& self, std::uint64_t address, std::uint64_t end) {
  for (std::uint64_t at = granule_of(address); at < end; at += 8) {
    void* stripe = &stripe_of(at);
    std::size_t i = self.stripe_count;
    while (i != 0 && self.stripes[i - 1] > stripe) --i;
    if (i != 0 && self.stripes[i - 1] == stripe) continue;
    for (std::size_t k = self.stripe_count++; k > i; --k) self.stripes[k] = self.stripes[k - 1];
    self.stripes[i] = stripe;
  }
  for (std::uint32_t i = 0; i < self.stripe_count; ++i) static_cast<Stripe*>(self.stripes[i])->lock.lock();
}

// Touches the pieces of some bytes of a granule.
void touch_pieces(ThreadState& self, std::uint64_t granule, std::uint8_t wanted) {
  Stripe& stripe = stripe_of(granule);
  for (CarrierCell* cell = stripe.first; cell != nullptr && wanted != 0; cell = cell->next) {
    if (cell->address != granule || (cell->bytes & wanted) == 0) continue;
    if ((cell->bytes & ~wanted) != 0) { // only a part of it: split the piece
      const auto part = static_cast<std::uint8_t>(cell->bytes & wanted);
      CarrierCell* half = new_cell(stripe, granule, part, Primitive::None);
      if (half == nullptr) return;
      knowledge::copy_carrier(half->carrier, cell->carrier);
      cell->bytes &= static_cast<std::uint8_t>(~part);
      wanted &= static_cast<std::uint8_t>(~part);
      touch(self, half->carrier);
      continue;
    }
    wanted &= static_cast<std::uint8_t>(~cell->bytes);
    touch(self, cell->carrier);
    remembered_cell(self, granule) = cell;
  }
  if (wanted == 0) return;
  if (CarrierCell* cell = new_cell(stripe, granule, wanted, Primitive::None)) touch(self, cell->carrier);
}

void bound() {
  std::uint64_t low = ~std::uint64_t{0}, high = 0;
  for (std::uint32_t i = 0; i < g_setup.compiled.variable_count(); ++i) {
    const VariablePlace& v = g_variable_places[i];
    const std::uint64_t address = __atomic_load_n(&v.address, __ATOMIC_RELAXED);
    if (address == 0) continue;
    if (address < low) low = address;
    if (address + v.size > high) high = address + v.size;
  }
  if (g_all_memory) {
    low = 0;
    high = ~std::uint64_t{0};
  }
  __atomic_store_n(&g_variables_begin, low, __ATOMIC_RELEASE);
  __atomic_store_n(&g_variables_end, high, __ATOMIC_RELEASE);
  if (low >= high) return;
  // Wider by the reach of one access.
  const std::uint64_t begin = low < kSoothMonitoredReach ? 0 : low - kSoothMonitoredReach;
  __atomic_store_n(&__sooth_monitored.begin, begin, __ATOMIC_RELEASE);
  __atomic_store_n(&__sooth_monitored.bytes, high - begin, __ATOMIC_RELEASE);
}

} // namespace

void CarrierLock::wait() {
  unsigned spins = 0;
  do {
    if (++spins > 64) os::yield();
    else __builtin_ia32_pause();
  } while (__atomic_load_n(&held_, __ATOMIC_RELAXED) != 0 || __atomic_exchange_n(&held_, 1, __ATOMIC_ACQUIRE) != 0);
}

bool make_carriers() {
  const knowledge::Compiled& compiled = g_setup.compiled;
  const std::uint32_t count = compiled.variable_count();
  g_all_memory = (compiled.header->flags & knowledge::kAllMemory) != 0;
  g_variables = static_cast<Variable*>(os::pages((count + 1) * sizeof *g_variables));
  g_variable_places = static_cast<VariablePlace*>(os::pages((count + 1) * sizeof *g_variable_places));
  if (g_variables == nullptr || g_variable_places == nullptr) return false;
  for (std::uint32_t i = 0; i < count; ++i) g_variable_places[i].size = compiled.variables[i].size;
  bound();
  return true;
}

void place_variable(std::uint32_t variable, std::uint64_t address) {
  __atomic_store_n(&g_variable_places[variable].address, address, __ATOMIC_RELEASE);
  bound();
}

void hold_variable(ThreadState& self, std::uint32_t variable) {
  g_variables[variable].lock.lock();
  self.touches[self.touch_count++] = {&g_variables[variable].carrier, 0, variable};
}

void hold_variables(ThreadState& self, std::uint64_t address, std::uint64_t size) {
  const std::uint32_t count = g_setup.compiled.variable_count();
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint64_t place = __atomic_load_n(&g_variable_places[i].address, __ATOMIC_RELAXED);
    if (place >= address + size || address >= place + g_variable_places[i].size || place == 0) continue;
    hold_variable(self, i);
    if (__atomic_load_n(&g_variable_places[i].address, __ATOMIC_RELAXED) == place) continue;
    --self.touch_count; // it was placed elsewhere in between
    g_variables[i].lock.unlock();
  }
}

void hold_memory(ThreadState& self, std::uint64_t address, std::uint64_t size) {
  const std::uint64_t end = address + size;
  const std::uint32_t variables = may_hold_variables(address, size) ? g_setup.compiled.variable_count() : 0;
  if (granule_of(address) == granule_of(end - 1)) { // as most are
    Stripe& stripe = stripe_of(address);
    stripe.lock.lock();
    self.stripes[self.stripe_count++] = &stripe;
  } else {
    hold_stripes(self, address, end);
  }
  for (std::uint64_t granule = granule_of(address); granule < end; granule += 8) {
    std::uint8_t wanted = bytes_in(granule, address, end);
    for (std::uint32_t i = 0; i < variables; ++i) {
      const std::uint64_t place = __atomic_load_n(&g_variable_places[i].address, __ATOMIC_RELAXED);
      const std::uint64_t place_end = place + g_variable_places[i].size;
      if (place != 0 && place < granule + 8 && granule < place_end)
        wanted &= static_cast<std::uint8_t>(~bytes_in(granule, place, place_end));
    }
    if (wanted != 0) touch_pieces(self, granule, wanted);
  }
}

void hold_primitive(ThreadState& self, Primitive kind, std::uint64_t address) {
  Stripe& stripe = stripe_of(address);
  stripe.lock.lock();
  self.stripes[self.stripe_count++] = &stripe;
  CarrierCell* cell = stripe.first;
  while (cell != nullptr && (cell->address != address || cell->kind != kind)) cell = cell->next;
  if (cell == nullptr) cell = new_cell(stripe, address, 0, kind);
  if (cell == nullptr) return;
  touch(self, cell->carrier);
  remembered_cell(self, address) = cell;
}

void expects_lock(Thread* t, const void* lock) {
  constexpr std::uint32_t kFew = 4; // with few variables, the thread likely accesses one of them
  const ThreadState* self = t->monitored;
  if (self == nullptr) return;
  const Stripe& stripe = stripe_of(reinterpret_cast<std::uint64_t>(lock));
  __builtin_prefetch(lock, 1);
  __builtin_prefetch(&stripe, 1);
  if (const std::uint32_t count = g_setup.compiled.variable_count(); count <= kFew)
    for (std::uint32_t i = 0; i < count; ++i) {
      __builtin_prefetch(&g_variables[i], 1);
      __builtin_prefetch(
          reinterpret_cast<const void*>(__atomic_load_n(&g_variable_places[i].address, __ATOMIC_RELAXED)), 1);
    }
  // Most likely the snapshot that was left at the lock. Its memory stays valid in any case.
  const knowledge::Snapshot* left = __atomic_load_n(&stripe.own.carrier.writes, __ATOMIC_RELAXED);
  if (left != nullptr && left != self->core->snapshot) knowledge::ask_for(g_setup.layout, left, self->core->vector[0]);
}

void gave_lock(Thread* t) {
  InHook hook;
  if (ThreadState* self = t->monitored) knowledge::settle_debts(g_setup, *self->core);
}

void let_go(ThreadState& self) {
  for (std::uint32_t i = 0; i < self.touch_count; ++i)
    if (const std::uint32_t v = self.touches[i].variable; v != knowledge::kNoVariable) g_variables[v].lock.unlock();
  for (std::uint32_t i = 0; i < self.stripe_count; ++i) static_cast<Stripe*>(self.stripes[i])->lock.unlock();
  self.touch_count = self.stripe_count = 0;
}

void drop_carriers(std::uint64_t address, std::uint64_t size) {
  const std::uint64_t end = address + size;
  for (std::uint64_t at = granule_of(address); at < end;) {
    const std::uint64_t page_end = (at | 4095) + 1;
    const std::uint64_t stop = end < page_end ? end : page_end;
    if (__atomic_load_n(&page_count(at), __ATOMIC_RELAXED) != 0)
      for (; at < stop; at += 8) drop_granule(at, address, end);
    at = page_end;
  }
}

void drop_primitive(Primitive kind, std::uint64_t address) {
  Stripe& stripe = stripe_of(address);
  stripe.lock.lock();
  for (CarrierCell** link = &stripe.first; *link != nullptr; link = &(*link)->next) {
    if ((*link)->address != address || (*link)->kind != kind) continue;
    drop_cell(stripe, link);
    break;
  }
  stripe.lock.unlock();
}

std::uint64_t lost_carriers() { return __atomic_load_n(&g_lost, __ATOMIC_RELAXED); }

void hold_all_carriers() {
  for (std::uint32_t i = 0; i < g_setup.compiled.variable_count(); ++i) g_variables[i].lock.lock();
  for (Stripe& stripe : g_stripes) stripe.lock.lock();
  g_room_lock.lock();
  g_setup.snapshots->lock();
}

void let_go_all_carriers() {
  g_setup.snapshots->unlock();
  g_room_lock.unlock();
  for (Stripe& stripe : g_stripes) stripe.lock.unlock();
  for (std::uint32_t i = 0; i < g_setup.compiled.variable_count(); ++i) g_variables[i].lock.unlock();
}

} // namespace sooth::runtime::monitoring
