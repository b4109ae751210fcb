#include "capture/runtime/observing/shadow.h"

#include "capture/runtime/observing/own_pages.h"
#include "capture/runtime/os.h"

namespace sooth::runtime::observing {
namespace {

constexpr std::size_t kBuckets = std::size_t{1} << 16;
Page* g_pages[kBuckets]; // lists that only grow, at their heads
FutexLock g_pages_lock;  // for those who add one
std::uint8_t* g_room;    // for pages
std::size_t g_left;

Page*& bucket_of(std::uint64_t number) { return g_pages[number * 0x9e3779b97f4a7c15u >> 48]; }

Page* look_up(std::uint64_t number) {
  Page* page = __atomic_load_n(&bucket_of(number), __ATOMIC_ACQUIRE);
  while (page != nullptr && page->number != number) page = page->next;
  return page;
}

Page* add_page(const ThreadState& self, std::uint64_t number) {
  constexpr std::size_t kArena = std::size_t{1} << 21;
  Locked lock(g_pages_lock);
  if (Page* page = look_up(number)) return page;
  if (g_left < sizeof(Page)) {
    g_room = static_cast<std::uint8_t*>(os::pages(kArena));
    g_left = g_room != nullptr ? kArena : 0;
    if (g_room == nullptr) return nullptr;
  }
  auto* page = reinterpret_cast<Page*>(g_room); // zeroed: nothing was accessed
  g_room += sizeof(Page);
  g_left -= sizeof(Page);
  page->number = number;
  page->owner = (number * kPageBytes & kObjects) == 0 ? mark_of(self) : 0;
  page->next = bucket_of(number);
  __atomic_store_n(&bucket_of(number), page, __ATOMIC_RELEASE);
  return page;
}

// --- records -------------------------------------------------------------------------------------

constexpr std::size_t bytes_of_records(unsigned shift) { return (kLineBytes >> shift) * sizeof(Record); }

// Records that finer ones replaced: threads may still look at them without the lock.
struct Replaced {
  Replaced* next;
  std::uint64_t records;
};
Replaced* g_replaced;
FutexLock g_replaced_lock;
std::size_t g_replaced_bytes;

void replaced(std::uint64_t records) {
  auto* node = static_cast<Replaced*>(take_memory(sizeof(Replaced)));
  if (node == nullptr) return; // it is never freed
  Locked lock(g_replaced_lock);
  g_replaced_bytes += bytes_of_records(records_in(records).shift);
  *node = {g_replaced, records};
  g_replaced = node;
}

template <typename Body>
void for_records(const Part& part, Body body) {
  if (!fit_records(part)) return end_messages();
  const Records records = records_in(part.line->records);
  const unsigned end = (part.first + part.count) >> records.shift;
  for (unsigned i = part.first >> records.shift; i < end; ++i) body(records.at[i], bytes_of_record(i, records.shift));
}

// Calls body(part) for the lines of [low, high) that have something to forget, each held for
// itself. False: the thread has to be alone.
template <typename Body>
bool for_used_lines(ThreadState& self, std::uint64_t low, std::uint64_t high, Body body) {
  for (std::uint64_t at = low; at < high;) {
    Page* page = find_page(self, at);
    if (page == nullptr) {
      at = (at | (kPageBytes - 1)) + 1;
      continue;
    }
    if (leaves_out(self, *page, false)) { // as if written: it knows all that was done there
      at = (at | (kPageBytes - 1)) + 1;
      continue;
    }
    if (is_own(*page) && !may_use(self, *page)) return false;
    const std::uint64_t end = (at | (kLineBytes - 1)) + 1 < high ? (at | (kLineBytes - 1)) + 1 : high;
    Line& line = page->lines[at % kPageBytes / kLineBytes];
    if (__atomic_load_n(&line.records, __ATOMIC_RELAXED) != 0) { // 0: nobody was there
      Lines lines;
      if (!lines.hold(self, at, end)) return false;
      lines.each(body);
    }
    at = end;
  }
  return true;
}

} // namespace

bool fit_records(const Part& part) {
  Line& line = *part.line;
  unsigned shift = 6; // a record for the line
  while (((part.first | part.count) & ((1u << shift) - 1)) != 0) --shift;
  const std::uint64_t old_word = line.records;
  const Records old = records_in(old_word);
  if (old_word != 0 && old.shift <= shift) return true;
  auto* fresh = shift == 6 ? &line.whole : static_cast<Record*>(take_memory(bytes_of_records(shift)));
  if (fresh == nullptr) return false;
  for (unsigned i = 0; i < kLineBytes >> shift; ++i) {
    fresh[i] = old_word != 0 ? old.at[(i << shift) >> old.shift] : Record{};
    __asm__ volatile("" : : : "memory"); // not to become a call of memset
  }
  __atomic_store_n(&line.records, reinterpret_cast<std::uint64_t>(fresh) | shift, __ATOMIC_RELEASE);
  if (old_word != 0 && old.at != &line.whole) replaced(old_word);
  return true;
}

void one_record(Line& line, Record record) {
  const std::uint64_t old = line.records;
  set_record(line.whole, record);
  __atomic_store_n(&line.records, reinterpret_cast<std::uint64_t>(&line.whole) | 6, __ATOMIC_RELEASE);
  if (old != 0 && records_in(old).at != &line.whole) replaced(old);
}

bool has_many_replaced() { return __atomic_load_n(&g_replaced_bytes, __ATOMIC_RELAXED) > std::size_t{16} << 20; }

Page* find_page_slowly(ThreadState& self, std::uint64_t address, bool make) {
  const std::uint64_t number = address / kPageBytes;
  Page* page = look_up(number);
  if (page == nullptr && make) page = add_page(self, number);
  if (page != nullptr) self.pages[number % ThreadState::kPages] = page;
  return page;
}

bool may_use(ThreadState& self, Page& page) {
  std::uint32_t owner = __atomic_load_n(&page.owner, __ATOMIC_ACQUIRE);
  if (owner == 0) return true;
  if (owner == mark_of(self)) {
    if (is_own(page)) end_own(page);
    return true;
  }
  if (self.alone) {
    if (is_own(page)) take_own(page);
    page.owner = page.moves < kMostMoves ? mark_of(self) : 0;
    page.moves += page.owner != 0;
    page.ends = 0;
    return true;
  }
  // A thread that has ended is not there any more; the next one has the page to itself.
  const ThreadState* other = find_thread(owner - 1);
  if (other == nullptr || !__atomic_load_n(&other->ended, __ATOMIC_ACQUIRE)) return false;
  if (!__atomic_compare_exchange_n(&page.owner, &owner, mark_of(self), false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
    return owner == 0;
  if (is_own(page)) end_own(page);
  page.ends = 0;
  return true;
}

bool Lines::hold(ThreadState& self, std::uint64_t low, std::uint64_t high) {
  self_ = &self;
  low_ = low;
  high_ = high;
  if (self.alone) {
    for (std::uint64_t at = low & ~(kPageBytes - 1); at < high; at += kPageBytes)
      if (Page* page = page_of(self, at)) may_use(self, *page);
    return true;
  }
  if ((low ^ (high - 1)) / kLineBytes != 0) return false;
  Page* page = page_of(self, low);
  if (page == nullptr) {
    end_messages();
    return true; // and `each` finds nothing
  }
  if (!may_use(self, *page)) return false;
  if (needs_lock(self, *page)) {
    held_ = &page->lines[low % kPageBytes / kLineBytes].lock;
    held_->lock();
  }
  return true;
}

void shadow_read(ThreadState& self, const Lines& lines) {
  lines.each([&](const Part& part) {
    for_records(part, [&](Record& record, std::uint64_t bytes) { learn_from(self, *part.line, bytes, record.write); });
  });
  lines.each([&](const Part& part) {
    for_records(part, [&](Record& record, std::uint64_t) {
      const ClockNumber access = joined(self, record.access);
      if (access != record.access) set_record(record, {access, record.write});
    });
    touch(self, *part.line);
  });
}

void shadow_write(ThreadState& self, const Lines& lines) {
  lines.each([&](const Part& part) {
    for_records(part, [&](Record& record, std::uint64_t bytes) { learn_from(self, *part.line, bytes, record.access); });
  });
  lines.each([&](const Part& part) {
    for_records(part, [&](Record& record, std::uint64_t) { set_record(record, {self.clock, self.clock}); });
    part.line->guessed &= ~part.mask();
    touch(self, *part.line);
  });
}

bool shadow_object(ThreadState& self, std::uint64_t address, std::uint64_t size, bool ends) {
  const std::uint64_t low = address & ~std::uint64_t{7};
  const std::uint64_t high = (address + size + 7) & ~std::uint64_t{7};
  if (ends && !for_used_lines(self, low, high, [&](const Part& part) {
        for_records(part,
                    [&](Record& record, std::uint64_t bytes) { learn_from(self, *part.line, bytes, record.access); });
      }))
    return false;
  return for_used_lines(self, low, high, [&](const Part& part) {
    for_records(part, [&](Record& record, std::uint64_t) { set_record(record, {self.clock, self.clock}); });
    part.line->guessed &= ~part.mask();
    part.line->known &= ~part.mask();
    part.line->contested &= ~part.mask();
    if (part.count == kLineBytes) part.line->toucher = 0;
  });
}

void for_all_records(void (*visit)(Record& record)) {
  while (g_replaced != nullptr) {
    Replaced* node = g_replaced;
    g_replaced = node->next;
    const Records old = records_in(node->records);
    drop_memory(old.at, bytes_of_records(old.shift));
    drop_memory(node, sizeof *node);
  }
  g_replaced_bytes = 0;
  for (Page* page : g_pages)
    for (; page != nullptr; page = page->next)
      for (const Line& line : page->lines) {
        if (line.records == 0) continue;
        const Records records = records_in(line.records);
        for (unsigned i = 0; i < kLineBytes >> records.shift; ++i) visit(records.at[i]);
      }
}

} // namespace sooth::runtime::observing
