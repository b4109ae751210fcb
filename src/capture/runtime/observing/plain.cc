#include "capture/runtime/observing/plain.h"

#include "capture/runtime/observing/own_pages.h"
#include "capture/runtime/observing/section.h"
#include "capture/runtime/observing/values.h"
#include "capture/runtime/recording/cell_table.h"

namespace sooth::runtime::observing {
namespace {

// A racing store of the line's bytes gives a wrong value: then it differs, and the slow path looks.
inline bool are_equal(const std::uint8_t* a, const std::uint8_t* b, unsigned size) {
  for (; size >= 8; size -= 8, a += 8, b += 8) {
    std::uint64_t x, y;
    __builtin_memcpy(&x, a, 8);
    __builtin_memcpy(&y, b, 8);
    if (x != y) return false;
  }
  for (; size != 0; --size)
    if (*a++ != *b++) return false;
  return true;
}

inline std::uint64_t ones(unsigned count) {
  return count == kLineBytes ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
}

// Whether the bytes are the last known ones, where there are any.
inline bool are_known(const Part& part, const std::uint8_t* bytes) {
  const std::uint64_t all = ones(part.count);
  const std::uint64_t known = __atomic_load_n(&part.line->known, __ATOMIC_ACQUIRE) >> part.first & all;
  if (known == all) return are_equal(part.line->bytes + part.first, bytes, part.count);
  for (unsigned i = 0; known != 0 && i < part.count; ++i)
    if ((known >> i & 1) != 0 && part.line->bytes[part.first + i] != bytes[i]) return false;
  return true;
}

// The line's lock, where one is needed.
class Hold {
public:
  Hold(const ThreadState& self, const Page& page, Line& line) {
    const std::uint32_t owner = __atomic_load_n(&page.owner, __ATOMIC_RELAXED); // it stays while we are inside
    may_ = owner == 0 || owner == mark_of(self);
    if (owner == 0) (held_ = &line.lock)->lock();
  }
  ~Hold() {
    if (held_ != nullptr) held_->unlock();
  }
  Hold(const Hold&) = delete;
  Hold& operator=(const Hold&) = delete;
  bool may() const { return may_; } // false: the page is another thread's

private:
  FutexLock* held_ = nullptr;
  bool may_;
};

inline bool has_touched(const ThreadState& self, const Line& line) {
  const std::uint32_t toucher = __atomic_load_n(&line.toucher, __ATOMIC_RELAXED); // a thread sees its own mark
  return toucher == mark_of(self) || toucher == kMany;
}

inline Records fitting_records(const Part& part) {
  const Records records = records_in(part.line->records);
  if (records.at != nullptr && ((part.first | part.count) & ((1u << records.shift) - 1)) == 0) return records;
  return fit_records(part) ? records_in(part.line->records) : Records{nullptr, 0};
}

// Step 2, for bytes that are held, and whose records fit.
inline void read_held(ThreadState& self, const Part& part) {
  touch(self, *part.line);
  const Records records = records_in(part.line->records);
  const unsigned end = (part.first + part.count) >> records.shift;
  for (unsigned i = part.first >> records.shift; i < end; ++i) {
    Record& record = records.at[i];
    if (is_known_to_cover(self, record.access)) {
      set_record(record, {self.clock, record.write});
    } else {
      learn_from(self, *part.line, bytes_of_record(i, records.shift), record.write);
      set_record(record, {joined(self, record.access), record.write});
    }
  }
}

// Step 2. `known()`: whether the bytes are the last known ones.
template <typename Known>
inline __attribute__((always_inline)) bool read_part(ThreadState& self, const Page& page, const Part& part,
                                                     Known known) {
  Line& line = *part.line;
  if (has_touched(self, line) && __atomic_load_n(&line.contested, __ATOMIC_RELAXED) == 0 &&
      all_records(line, part.first, part.count, [&](Record r) { return r.access == self.clock; }))
    return known();
  const Hold hold(self, page, line);
  if (!hold.may() || line.contested != 0 || !known()) return false;
  if (fitting_records(part).at == nullptr) return false;
  read_held(self, part);
  return true;
}

// Step 3, for bytes that are held.
inline void write_records(ThreadState& self, const Part& part, Records records) {
  touch(self, *part.line);
  const unsigned end = (part.first + part.count) >> records.shift;
  for (unsigned i = part.first >> records.shift; i < end; ++i) {
    Record& record = records.at[i];
    if (!is_known_to_cover(self, record.access))
      learn_from(self, *part.line, bytes_of_record(i, records.shift), record.access);
    set_record(record, {self.clock, self.clock});
  }
  part.line->guessed &= ~part.mask();
}

template <typename Put>
inline __attribute__((always_inline)) bool write_part(ThreadState& self, const Page& page, const Part& part,
                                                      const Store& store, Put put) {
  Line& line = *part.line;
  const Hold hold(self, page, line);
  if (!hold.may() || line.contested != 0 || others_store(self, part)) return false;
  const Records records = fitting_records(part);
  if (records.at == nullptr) return false;
  write_records(self, part, records);
  put();
  __atomic_store_n(&line.known, line.known | part.mask(), __ATOMIC_RELEASE);
  __atomic_store_n(&self.storing, store.address, __ATOMIC_RELEASE);
  __atomic_store_n(&self.storing_bytes, store.size, __ATOMIC_RELEASE);
  line.writer = mark_of(self);
  return true;
}

inline Part part_at(Page& page, std::uint64_t address, unsigned count) {
  return {&page.lines[address % kPageBytes / kLineBytes], address, static_cast<unsigned>(address % kLineBytes), count};
}

// Null if plain accesses go the slow way.
inline ThreadState* begin_plain(std::uint64_t address, std::uint64_t size) {
  ThreadState* self = g_own;
  if (!__atomic_load_n(&g_quick, __ATOMIC_ACQUIRE) || self == nullptr || may_hold_variables(address, size) ||
      !try_enter(*self))
    return nullptr;
  __atomic_store_n(&self->storing_bytes, 0, __ATOMIC_RELEASE); // its last store is done
  return self;
}

inline void end_plain(Thread* t, ThreadState& self) {
  if (__builtin_expect(self.learned, 0)) knows_more(t, self);
  leave(self);
}

// The thread has accessed these bytes, and their value is this one: the inlined check may leave out
// reads of the same value, until the thread's clock changes. A write only changes a cell that is
// there.
template <bool kWrites, typename T>
inline void remember(Thread* t, std::uint64_t address, T value) {
  const unsigned offset = address & 7;
  if (sizeof value + offset > 8) return;
  if (__sooth_thread.abi.detail != 0) {
    if (kWrites) return;
    use_cells(t);
  }
  Cell& cell = cell_of(address);
  if (!is_of(cell, address)) {
    if (kWrites) return;
    t->evictions += is_current(cell);
    ++t->claims;
    make_empty(cell);
    cell.high = static_cast<std::uint32_t>(address >> 15);
  }
  __builtin_memcpy(reinterpret_cast<std::uint8_t*>(&cell.bytes) + offset, &value, sizeof value);
  cell.low &= ~(((1u << sizeof value) - 1) << offset);
  if (!kWrites) grow_if_crowded(t);
}

} // namespace

std::uint64_t plain_access(Thread* t, bool writes, std::uint64_t address, const std::uint8_t* bytes,
                           std::uint64_t size) {
  ThreadState* self = begin_plain(address, size);
  if (self == nullptr) return 0;
  std::uint64_t done = 0;
  while (done < size) {
    const std::uint64_t at = address + done;
    const std::uint64_t left = kLineBytes - at % kLineBytes;
    const auto count = static_cast<unsigned>(left < size - done ? left : size - done);
    Page* page = page_of(*self, at);
    if (page == nullptr) break;
    if (is_own(*page)) {
      if (!leaves_out(*self, *page, writes)) break;
      const std::uint64_t rest = kPageBytes - at % kPageBytes;
      done += rest < size - done ? rest : size - done;
      continue;
    }
    const Part part = part_at(*page, at, count);
    const std::uint8_t* from = bytes + done;
    if (writes ? !write_part(*self, *page, part, {address, size},
                             [&] { os::copy(part.line->bytes + part.first, from, count); })
               : !read_part(*self, *page, part, [&] { return are_known(part, from); }))
      break;
    done += count;
    if (page->owner == mark_of(*self)) note_uses(t, *self, *page, writes, 1);
  }
  end_plain(t, *self);
  return done;
}

template <bool kWrites, typename T>
bool plain_value(Thread* t, std::uint64_t address, T value) {
  if (__builtin_expect(address % kLineBytes + sizeof value > kLineBytes, 0)) return false;
  ThreadState* self = begin_plain(address, sizeof value);
  if (self == nullptr) return false;
  bool done = false, own = false;
  Page* page = page_of(*self, address);
  if (page != nullptr && is_own(*page)) {
    done = own = leaves_out(*self, *page, kWrites);
  } else if (page != nullptr) {
    const Part part = part_at(*page, address, sizeof value);
    std::uint8_t* shadow = part.line->bytes + part.first;
    if constexpr (kWrites) {
      done = write_part(*self, *page, part, {address, sizeof value},
                        [&] { __builtin_memcpy(shadow, &value, sizeof value); });
    } else {
      done = read_part(*self, *page, part, [&] {
        T last;
        __builtin_memcpy(&last, shadow, sizeof last);
        if (__builtin_expect(last == value, 1)) return true;
        return are_known(part, reinterpret_cast<const std::uint8_t*>(&value)); // what is not known, differs
      });
    }
    if (done && page->owner == mark_of(*self)) {
      note_uses(t, *self, *page, kWrites, 1);
      own = is_own(*page);
    }
  }
  end_plain(t, *self);
  if (done && !own) remember<kWrites>(t, address, value);
  return done;
}
template bool plain_value<false>(Thread*, std::uint64_t, std::uint8_t);
template bool plain_value<false>(Thread*, std::uint64_t, std::uint16_t);
template bool plain_value<false>(Thread*, std::uint64_t, std::uint32_t);
template bool plain_value<false>(Thread*, std::uint64_t, std::uint64_t);
template bool plain_value<true>(Thread*, std::uint64_t, std::uint8_t);
template bool plain_value<true>(Thread*, std::uint64_t, std::uint16_t);
template bool plain_value<true>(Thread*, std::uint64_t, std::uint32_t);
template bool plain_value<true>(Thread*, std::uint64_t, std::uint64_t);

PlainOperation::PlainOperation(Thread* t, std::uint64_t address, std::size_t size) : t_(t) {
  if (t == nullptr || address % kLineBytes + size > kLineBytes) return;
  ThreadState* self = begin_plain(address, size);
  if (self == nullptr) return;
  Page* page = page_of(*self, address);
  if (page != nullptr && (!is_own(*page) || may_use(*self, *page))) {
    const std::uint32_t owner = __atomic_load_n(&page->owner, __ATOMIC_RELAXED); // it stays while we are inside
    part_ = part_at(*page, address, static_cast<unsigned>(size));
    if (owner == 0) (lock_ = &part_.line->lock)->lock();
    // Only alone can it be found out what comes first: it, or a store that is under way.
    if ((owner == 0 || owner == mark_of(*self)) && part_.line->contested == 0 && !others_store(*self, part_) &&
        fit_records(part_)) {
      self_ = self;
      ++__sooth_thread.quiet;
      return;
    }
    if (lock_ != nullptr) lock_->unlock();
    lock_ = nullptr;
  }
  end_plain(t, *self);
}

void PlainOperation::done(const void* seen, const void* written) {
  Line& line = *part_.line;
  if (seen != nullptr) {
    const auto* bytes = static_cast<const std::uint8_t*>(seen);
    if (!are_known(part_, bytes)) { // code without hooks wrote
      add_to(g_counts.external_writes);
      if (line.toucher != 0 && line.toucher != mark_of(*self_)) see_everything(*self_);
      write_records(*self_, part_, records_in(line.records));
      if (written == nullptr) os::copy(line.bytes + part_.first, bytes, part_.count);
    } else if (written == nullptr) {
      read_held(*self_, part_);
    }
  }
  if (written == nullptr) return;
  write_records(*self_, part_, records_in(line.records));
  os::copy(line.bytes + part_.first, static_cast<const std::uint8_t*>(written), part_.count);
  __atomic_store_n(&line.known, line.known | part_.mask(), __ATOMIC_RELEASE);
}

PlainOperation::~PlainOperation() {
  if (self_ == nullptr) return;
  if (lock_ != nullptr) lock_->unlock();
  end_plain(t_, *self_);
  --__sooth_thread.quiet;
}

bool plain_lock(std::uint64_t address, bool shared) {
  ThreadState* self = g_own;
  if (!__atomic_load_n(&g_quick, __ATOMIC_ACQUIRE) || self == nullptr || wants_locks() || !try_enter(*self))
    return false;
  __atomic_store_n(&self->storing_bytes, 0, __ATOMIC_RELEASE); // its last store is done
  const std::uint64_t object = sync_object(address);
  const Page* page = find_page(*self, object);
  const bool nothing =
      page != nullptr &&
      all_records(page->lines[object % kPageBytes / kLineBytes], static_cast<unsigned>(object % kLineBytes), 8,
                  [&](Record r) { return r.access == self->clock && (shared || r.write == self->clock); });
  leave(*self);
  return nothing;
}

} // namespace sooth::runtime::observing
