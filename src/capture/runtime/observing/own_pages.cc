#include "capture/runtime/observing/own_pages.h"

#include <linux/membarrier.h>
#include <sys/uio.h>

#include "capture/runtime/observing/section.h"
#include "capture/runtime/observing/values.h"
#include "capture/runtime/os.h"

namespace sooth::runtime::observing {
namespace {

static_assert(kPageBytes == kOwnerBlock);
constexpr std::uint64_t kAddressBits = 47;
constexpr std::uint64_t kTableBytes = std::uint64_t{1} << (kAddressBits - 9); // address space; a 512th of what is used
std::uint8_t* g_table;
bool g_stopped;
Page* g_listed; // pages that were owned since all ownership ended last

constexpr unsigned kSegmentBits = 40;
constexpr std::uint32_t kMostThreads = 1u << 22;

std::uint64_t& word_of(const Page& page) {
  return *reinterpret_cast<std::uint64_t*>(g_table + ((page.number << 3) & (kTableBytes - 8)));
}

void pass_barrier() { os::call(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0); }

// The owner has made the stores that it has checked. It checks no more: its word is gone, and all
// cores know that.
void wait_for_store(std::uint32_t owner) {
  const Thread* self = __sooth_thread.thread;
  if (self != nullptr && self->number == owner) return;
  while (store_is_under_way(owner)) os::yield();
}

// What the lines do not know: left out accesses have changed it. The kernel reads the page, because
// the program may have unmapped it.
void read_values(Page& page) {
  constexpr std::size_t kLines = kPageBytes / kLineBytes;
  iovec to[kLines];
  for (std::size_t i = 0; i < kLines; ++i) to[i] = {page.lines[i].bytes, kLineBytes};
  const iovec from = {reinterpret_cast<void*>(page.number * kPageBytes), kPageBytes};
  const bool done = os::call(SYS_process_vm_readv, os::pid(), reinterpret_cast<long>(to), static_cast<long>(kLines),
                             reinterpret_cast<long>(&from), 1, 0) == static_cast<long>(kPageBytes);
  for (Line& line : page.lines) __atomic_store_n(&line.known, done ? ~std::uint64_t{0} : 0, __ATOMIC_RELEASE);
}

// Whether the thread's next accesses would learn nothing from the line, and meet no store.
bool may_be_own(const ThreadState& self, const Line& line, std::uint64_t address) {
  return line.contested == 0 && !others_store(self, line, address, kLineBytes) &&
         all_records(line, 0, kLineBytes, [&](Record r) { return is_covered(self, r.access); });
}
// Whether nothing would be guessed: all of the page was written in this segment.
bool is_written(const ThreadState& self, const Page& page) {
  for (const Line& line : page.lines)
    if (!all_records(line, 0, kLineBytes, [&](Record r) { return r.access == self.clock && r.write == self.clock; }) ||
        line.records == 0)
      return false;
  return true;
}
// Whether the thread uses a good part of the page, not only its own piece of what threads share.
bool is_spread(const ThreadState& self, const Page& page) {
  constexpr unsigned kLines = 8;
  unsigned used = 0;
  for (const Line& line : page.lines)
    used += line.records != 0 && !all_records(line, 0, kLineBytes, [&](Record r) { return r.access != self.clock; });
  return used >= kLines;
}
bool may_be_own(const ThreadState& self, const Page& page) {
  const std::uint64_t address = page.number * kPageBytes;
  if (may_hold_variables(address, kPageBytes)) return false;
  if (page.moves != 0 && !owns_eagerly() && !is_spread(self, page)) return false;
  // Threads often use globals side by side.
  if (holds_kept(address, kPageBytes) && !owns_eagerly() && !is_written(self, page)) return false;
  for (std::uint64_t i = 0; i < kPageBytes / kLineBytes; ++i)
    if (!may_be_own(self, page.lines[i], address + i * kLineBytes)) return false;
  return true;
}

// All of the line counts as written with this clock.
void set_all(const ThreadState& self, Line& line) {
  const Record now = {self.clock, self.clock};
  std::uint64_t others = 0; // bytes that were not written with it
  const Records records = records_in(line.records);
  for (unsigned i = 0; records.at != nullptr && i < kLineBytes >> records.shift; ++i)
    if (records.at[i].access != now.access || records.at[i].write != now.write)
      others |= bytes_of_record(i, records.shift);
  line.guessed |= records.at != nullptr ? others : ~std::uint64_t{0};
  one_record(line, now);
  touch(self, line);
  line.writer = mark_of(self);
}

// It takes more accesses until it is owned the next time.
void note_end(Page& page) {
  if (page.ends < kMostEnds) ++page.ends;
}

void note_listed(Page& page) {
  if (page.listed) return;
  page.listed = true;
  page.next_own = __atomic_load_n(&g_listed, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(&g_listed, &page.next_own, &page, true, __ATOMIC_RELEASE, __ATOMIC_RELAXED)) {
  }
}

} // namespace

void make_own_pages() {
  if (g_fences || g_own_after == 0)
    return; // without barriers, nobody could be sure that the owner has seen that its word is gone
  g_table = static_cast<std::uint8_t*>(os::pages(kTableBytes));
  if (g_table == nullptr) return;
  constexpr int kDontDump = 16; // MADV_DONTDUMP
  os::call(SYS_madvise, reinterpret_cast<long>(g_table), static_cast<long>(kTableBytes), kDontDump);
}

void stop_own_pages() {
  g_stopped = true;
  end_all_own();
}

void begin_segment(ThreadState& self) {
  if (g_table == nullptr || self.number >= kMostThreads) return;
  SoothThreadAbi& abi = __sooth_thread.abi;
  ++self.segment;
  abi.mine = std::uint64_t{self.number + 1} << kSegmentBits | (self.segment & ((std::uint64_t{1} << kSegmentBits) - 1));
  abi.owners = g_table;
  abi.owner_mask = kTableBytes - 8;
}

void end_segments() { __sooth_thread.abi.mine = kNobody; }

bool leaves_out(ThreadState& self, std::uint64_t address, bool writes) {
  Page* page = find_page(self, address);
  return page != nullptr && leaves_out(self, *page, writes);
}

void begin_own(Thread* t, ThreadState& self, Page& page) {
  const std::uint64_t word = __sooth_thread.abi.mine;
  if (g_stopped || g_table == nullptr || word == kNobody || !all_modules_own()) return;
  if (!may_be_own(self, page)) return note_end(page);
  for (Line& line : page.lines) set_all(self, line);
  void_range(t, page.number * kPageBytes, kPageBytes); // its cells learn nothing of what is left out
  note_listed(page);
  __atomic_store_n(&page.own, word, __ATOMIC_RELEASE);
  __atomic_store_n(&word_of(page), word, __ATOMIC_RELEASE);
}

// Its own page of an earlier segment: all of it counts as written again.
bool renew_own(const ThreadState& self, Page& page) {
  const std::uint64_t word = __sooth_thread.abi.mine;
  if (page.owner != mark_of(self) || (page.ends < kMostEnds && !owns_eagerly()) || word == kNobody) return false;
  for (Line& line : page.lines) {
    set_record(line.whole, {self.clock, self.clock}); // nobody else is there to refine it
    line.guessed = ~std::uint64_t{0};
  }
  __atomic_store_n(&page.own, word, __ATOMIC_RELEASE);
  __atomic_store_n(&word_of(page), word, __ATOMIC_RELEASE);
  return true;
}

void end_own(Page& page) {
  __atomic_store_n(&word_of(page), kFresh, __ATOMIC_RELEASE);
  read_values(page);
  note_end(page);
  __atomic_store_n(&page.own, 0, __ATOMIC_RELEASE);
}

void take_own(Page& page) {
  __atomic_store_n(&word_of(page), kFresh, __ATOMIC_SEQ_CST);
  pass_barrier();
  wait_for_store(page.owner - 1);
  end_own(page);
}

void end_all_own() {
  if (g_listed == nullptr) return;
  for (const Page* page = g_listed; page != nullptr; page = page->next_own)
    if (is_own(*page)) __atomic_store_n(&word_of(*page), kFresh, __ATOMIC_SEQ_CST);
  pass_barrier();
  while (Page* page = g_listed) {
    g_listed = page->next_own;
    page->listed = false;
    if (!is_own(*page)) continue;
    wait_for_store(page->owner - 1);
    end_own(*page);
  }
}

} // namespace sooth::runtime::observing
