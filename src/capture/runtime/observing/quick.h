// Accesses that teach nobody anything, and those of memory that only one thread uses. No message,
// no other thread's clock, mostly no lock.
//
//     for (...) sum += table[i];      from the second time on, with no relevant event in between
//
// Question: would Algorithm A change any clock at this access?
// A read does not, if the thread's clock is the access clock already: it covers the write clock. A
// write does not, if both clocks of the bytes are the thread's. If the thread's clock is known to
// cover the access clock, the access teaches the thread nothing: only the record changes.
// docs/protocol.md has the argument why the bytes may be looked at without their lock.
// Cost: some 20 instructions. Reads that the thread repeats are left out even before, by the
//   inlined check of cells (capture/abi.h): `remember` fills them.
#pragma once

#include "capture/runtime/observing/hook.h"
#include "capture/runtime/observing/section.h"
#include "capture/runtime/observing/shadow.h"
#include "capture/runtime/observing/symbols.h"
#include "capture/runtime/observing/table.h"
#include "capture/runtime/os.h"
#include "capture/runtime/recording/cell_table.h"

namespace sooth::runtime::observing {

inline Line* find_quickly(const ThreadState& self, std::uint64_t address, Page*& page) {
  const std::uint64_t number = address / kPageBytes;
  page = self.pages[number % ThreadState::kPages];
  return page != nullptr && page->number == number ? &page->lines[address % kPageBytes / kLineBytes] : nullptr;
}

inline ThreadState* may_be_quick(const Thread* t, std::uint64_t address, std::uint64_t size) {
  ThreadState* self = g_own;
  if (!__atomic_load_n(&g_quick, __ATOMIC_ACQUIRE) || self == nullptr || self->number != t->number || !self->alive)
    return nullptr;
  return size != 0 && address % kLineBytes + size <= kLineBytes && !has_new_modules() ? self : nullptr;
}

// The value of at most 8 bytes. Most accesses have one of the first four sizes.
inline std::uint64_t value_of(const std::uint8_t* bytes, unsigned size) {
  const auto load = [&](auto value) {
    __builtin_memcpy(&value, bytes, sizeof value); // a racing store of the shadow makes a wrong value: then it differs
    return static_cast<std::uint64_t>(value);
  };
  switch (size) {
  case 1: return load(std::uint8_t{});
  case 2: return load(std::uint16_t{});
  case 4: return load(std::uint32_t{});
  case 8: return load(std::uint64_t{});
  default: break;
  }
  std::uint64_t value = 0;
  os::copy(&value, bytes, size);
  return value;
}

// Whether the bytes are the last known ones, where there are any.
inline bool are_known_bytes(const Line& line, unsigned first, const std::uint8_t* bytes, unsigned size) {
  const std::uint64_t known = __atomic_load_n(&line.known, __ATOMIC_ACQUIRE) >> first;
  const std::uint64_t all = size == kLineBytes ? ~std::uint64_t{0} : (std::uint64_t{1} << size) - 1;
  if ((known & all) == 0) return true;
  if (size <= 8 && (known & all) == all) return value_of(line.bytes + first, size) == value_of(bytes, size);
  for (unsigned i = 0; i < size; ++i)
    if ((known >> i & 1) != 0 && line.bytes[first + i] != bytes[i]) return false;
  return true;
}

inline void copy_quickly(std::uint8_t* to, const std::uint8_t* from, unsigned size) {
  switch (size) {
  case 1: *to = *from; return;
  case 2: __builtin_memcpy(to, from, 2); return;
  case 4: __builtin_memcpy(to, from, 4); return;
  case 8: __builtin_memcpy(to, from, 8); return;
  default: os::copy(to, from, size);
  }
}

// The thread has accessed these bytes, and their value is this one: the inlined check may leave out
// reads of the same value, until the thread's clock changes. A write only changes a cell that is
// there.
inline void remember(Thread* t, bool writes, std::uint64_t address, const std::uint8_t* bytes, std::uint64_t size) {
  const unsigned offset = address & 7;
  if (size + offset > 8 || !g_quick) return;
  if (__sooth_thread.abi.detail != 0) {
    if (writes) return;
    use_cells(t);
  }
  Cell& cell = cell_of(address);
  if (!is_of(cell, address)) {
    if (writes) return;
    t->evictions += is_current(cell);
    ++t->claims;
    make_empty(cell);
    cell.high = static_cast<std::uint32_t>(address >> 15);
  }
  set_bytes(cell, offset, static_cast<unsigned>(size), value_of(bytes, static_cast<unsigned>(size)));
  cell.low &= ~(((1u << size) - 1) << offset);
  grow_if_crowded(t);
}

// The records of bytes that only teach others: afterwards they have the thread's clock. False, with
// nothing done, if they may teach the thread something, or do not fit.
inline bool renew_records(const ThreadState& self, const Line& line, unsigned first, unsigned count, bool writes) {
  const Records records = records_in(line.records);
  if (records.at == nullptr || ((first | count) & ((1u << records.shift) - 1)) != 0) return false;
  const unsigned begin = first >> records.shift, end = (first + count) >> records.shift;
  for (unsigned i = begin; i < end; ++i)
    if (!is_known_to_cover(self, records.at[i].access)) return false;
  for (unsigned i = begin; i < end; ++i)
    set_record(records.at[i], {self.clock, writes ? self.clock : records.at[i].write});
  return true;
}

// The line's lock, where one is needed.
class QuickHold {
public:
  QuickHold(const ThreadState& self, const Page& page, Line& line) {
    const std::uint32_t owner = __atomic_load_n(&page.owner, __ATOMIC_RELAXED); // it stays while we are inside
    may_ = owner == 0 || owner == mark_of(self);
    if (owner == 0) (held_ = &line.lock)->lock();
  }
  ~QuickHold() {
    if (held_ != nullptr) held_->unlock();
  }
  QuickHold(const QuickHold&) = delete;
  QuickHold& operator=(const QuickHold&) = delete;
  bool may() const { return may_; } // false: the page is another thread's

private:
  FutexLock* held_ = nullptr;
  bool may_;
};

inline bool has_touched(const ThreadState& self, const Line& line) {
  const std::uint32_t toucher = __atomic_load_n(&line.toucher, __ATOMIC_RELAXED); // it changes to kMany at most
  return toucher == mark_of(self) || toucher == kMany;
}

inline bool read_quickly(const ThreadState& self, std::uint64_t address, const std::uint8_t* bytes, unsigned count) {
  Page* page;
  const auto first = static_cast<unsigned>(address % kLineBytes);
  Line* line = find_quickly(self, address, page);
  if (line == nullptr || !has_touched(self, *line) || line->contested != 0) return false;
  if (all_records(*line, first, count, [&](Record r) { return r.access == self.clock; }))
    return are_known_bytes(*line, first, bytes, count);
  const QuickHold hold(self, *page, *line);
  return hold.may() && are_known_bytes(*line, first, bytes, count) && renew_records(self, *line, first, count, false);
}

inline bool write_quickly(ThreadState& self, std::uint64_t address, const std::uint8_t* bytes, unsigned count) {
  Page* page;
  const auto first = static_cast<unsigned>(address % kLineBytes);
  Line* line = find_quickly(self, address, page);
  if (line == nullptr) return false;
  const QuickHold hold(self, *page, *line);
  if (!hold.may() || !has_touched(self, *line) || line->contested != 0 ||
      (line->writer != 0 && line->writer != mark_of(self)) || !renew_records(self, *line, first, count, true))
    return false;
  copy_quickly(line->bytes + first, bytes, count);
  __atomic_store_n(&line->known, line->known | Part{line, address, first, count}.mask(), __ATOMIC_RELEASE);
  __atomic_store_n(&self.storing, address, __ATOMIC_RELEASE);
  __atomic_store_n(&self.storing_bytes, count, __ATOMIC_RELEASE);
  line->writer = mark_of(self);
  return true;
}

// True: there is nothing more to do.
inline bool quick_access(const Thread* t, bool writes, std::uint64_t address, const std::uint8_t* bytes,
                         std::uint64_t size) {
  ThreadState* self = may_be_quick(t, address, size);
  if (self == nullptr || (writes && may_hold_variables(address, size)) || !try_enter(*self)) return false;
  __atomic_store_n(&self->storing_bytes, 0, __ATOMIC_RELEASE); // its last store is done
  const auto count = static_cast<unsigned>(size);
  const bool quick = writes ? write_quickly(*self, address, bytes, count) : read_quickly(*self, address, bytes, count);
  leave(*self);
  return quick;
}

// Whether an operation on a synchronisation object changes no clock.
inline bool teaches_nothing(const ThreadState& self, std::uint64_t object, bool shared) {
  Page* page;
  const Line* line = find_quickly(self, object, page);
  if (line == nullptr) return false;
  const auto first = static_cast<unsigned>(object % kLineBytes);
  return all_records(*line, first, 8,
                     [&](Record r) { return r.access == self.clock && (shared || r.write == self.clock); });
}

} // namespace sooth::runtime::observing
