// Algorithm A's knowledge of memory: for each byte its access clock, its write clock and its last
// value.
//
// Question: what do reads and writes of these bytes, and operations on the objects at these
//   addresses, order?
// Source: JMPaX online, Fig. 2: steps 2 (read) and 3 (write).
// Where we differ: variables are bytes. A line of 64 bytes has records for groups of 64 to
//   1 bytes that have always been accessed together. A line has a lock of its own. A page belongs
//   to the first thread that touches it: that thread needs no lock there, until another one comes
//   (which has to be alone for a moment, section.h).
// Cost: a hash, or a look into the thread's own table of pages; a lock for shared pages. About
//   three bytes of memory for each byte that was ever accessed, ten for bytes accessed one by one.
//
// Everything here is for a thread that is inside or alone.
#pragma once

#include <cstdint>

#include "capture/runtime/observing/clock.h"
#include "capture/runtime/observing/lock.h"
#include "capture/runtime/observing/threads.h"

namespace sooth::runtime::observing {

inline constexpr std::uint64_t kLineBytes = 64;
inline constexpr std::uint64_t kPageBytes = 4096;

struct Record {
  ClockNumber access;
  ClockNumber write;
};
static_assert(sizeof(Record) == 8); // read as one word

inline constexpr std::uint32_t kMany = ~std::uint32_t{0};
// How fields below name a thread. 0: none.
inline std::uint32_t mark_of(const ThreadState& thread) { return thread.number + 1; }

struct alignas(64) Line {
  FutexLock lock;
  std::uint32_t toucher;   // the only thread that has accessed it, or kMany
  std::uint32_t writer;    // the only thread that may be about to store into it (values.h), or kMany
  std::uint64_t known;     // bytes whose last value is in `bytes`
  std::uint64_t contested; // bytes of which it is unknown which of two stores came last
  std::uint64_t records;   // where they are; the lowest bits: log2 of a record's bytes. 0: both clocks are zero
  Record whole;            // the place of a record for all of the line
  std::uint64_t guessed;   // bytes whose clocks are those of a page's owner, accessed or not (own_pages.h)
  alignas(64) std::uint8_t bytes[kLineBytes];
};
static_assert(sizeof(Line) == 128);

// A page that a thread takes from a living one is its own. After so many times it is nobody's: then
// all lock its lines.
inline constexpr std::uint8_t kMostMoves = 3;

struct Page {
  Page* next;
  std::uint64_t number;
  std::uint32_t owner; // the thread that needs no lock here; 0: everybody does
  std::uint8_t moves;  // how often another living thread has got it, up to kMostMoves
  // Own pages (own_pages.h).
  std::uint8_t ends;     // how often the owner itself has ended that, up to kMostEnds
  bool listed;           // among those that were ever owned so, since these ended all at once
  std::uint32_t uses;    // accesses by the owner in this segment of its
  std::uint64_t segment; // the owner's, then
  std::uint64_t own;     // the word of its owner, which has left out accesses here; 0: the lines say everything
  Page* next_own;
  Line lines[kPageBytes / kLineBytes];
};

// Whether its owner has left out accesses (own_pages.h): the lines do not say everything.
inline bool is_own(const Page& page) { return __atomic_load_n(&page.own, __ATOMIC_ACQUIRE) != 0; }

// The bytes [first, first + count) of a line.
struct Part {
  Line* line;
  std::uint64_t address; // of the first
  unsigned first;
  unsigned count;
  std::uint64_t mask() const {
    return (count == kLineBytes ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1) << first;
  }
};

Page* find_page_slowly(ThreadState& self, std::uint64_t address, bool make);
// Null if nothing was accessed there.
inline Page* find_page(ThreadState& self, std::uint64_t address) {
  Page* page = self.pages[address / kPageBytes % ThreadState::kPages];
  return page != nullptr && page->number == address / kPageBytes ? page : find_page_slowly(self, address, false);
}
// Made if it is not there. Null if there is no memory.
inline Page* page_of(ThreadState& self, std::uint64_t address) {
  Page* page = self.pages[address / kPageBytes % ThreadState::kPages];
  return page != nullptr && page->number == address / kPageBytes ? page : find_page_slowly(self, address, true);
}
// Whether the thread may use the page: false if it has to be alone first.
bool may_use(ThreadState& self, Page& page);
inline bool needs_lock(const ThreadState& self, const Page& page) { return page.owner != mark_of(self) && !self.alone; }

// The lines of [low, high), to be used together: either one line, which is held while this lives;
// or the thread is alone.
class Lines {
public:
  Lines() = default;
  ~Lines() { release(); }
  Lines(const Lines&) = delete;
  Lines& operator=(const Lines&) = delete;

  // False: the thread has to be alone.
  bool hold(ThreadState& self, std::uint64_t low, std::uint64_t high);
  void release() {
    if (held_ != nullptr) held_->unlock();
    held_ = nullptr;
  }
  template <typename Body>
  void each(Body body) const { // body(const Part&)
    for (std::uint64_t at = low_; at < high_;) {
      const std::uint64_t end = (at | (kLineBytes - 1)) + 1 < high_ ? (at | (kLineBytes - 1)) + 1 : high_;
      if (Page* page = page_of(*self_, at))
        body(Part{&page->lines[at % kPageBytes / kLineBytes], at, static_cast<unsigned>(at % kLineBytes),
                  static_cast<unsigned>(end - at)});
      at = end;
    }
  }

private:
  ThreadState* self_ = nullptr;
  std::uint64_t low_ = 0, high_ = 0;
  FutexLock* held_ = nullptr;
};

// Steps 2 and 3 of the algorithm.
void shadow_read(ThreadState& self, const Lines& lines);
void shadow_write(ThreadState& self, const Lines& lines);

// Records of a line, as `Line::records` has them.
struct Records {
  Record* at;
  unsigned shift;
};
inline constexpr std::uint64_t kShiftBits = 7;
inline Records records_in(std::uint64_t word) {
  return {reinterpret_cast<Record*>(word & ~kShiftBits), static_cast<unsigned>(word & kShiftBits)};
}
// One load and one store: threads look at records without the line's lock.
inline Record look_at(const Record& record) {
  const std::uint64_t word = __atomic_load_n(reinterpret_cast<const std::uint64_t*>(&record), __ATOMIC_ACQUIRE);
  Record out;
  __builtin_memcpy(&out, &word, sizeof out);
  return out;
}
inline void set_record(Record& record, Record now) {
  std::uint64_t word;
  __builtin_memcpy(&word, &now, sizeof word);
  __atomic_store_n(reinterpret_cast<std::uint64_t*>(&record), word, __ATOMIC_RELEASE);
}
// The bytes of a line that a record is about.
inline std::uint64_t bytes_of_record(unsigned index, unsigned shift) {
  return (shift == 6 ? ~std::uint64_t{0} : (std::uint64_t{1} << (1u << shift)) - 1) << (index << shift);
}
// One record for all of the line.
void one_record(Line& line, Record record);
// Whether so much memory was replaced that collecting pays.
bool has_many_replaced();
// Afterwards every record lies inside the part or outside of it. False: no memory.
bool fit_records(const Part& part);
// The thread has accessed the line.
inline void touch(const ThreadState& self, Line& line) {
  if (line.toucher == mark_of(self) || line.toucher == kMany) return;
  line.toucher = line.toucher == 0 ? mark_of(self) : kMany;
}
// Whether wanted(record) holds for all records of these bytes. Needs no lock.
template <typename Wanted>
inline bool all_records(const Line& line, unsigned first, unsigned count, Wanted wanted) {
  const std::uint64_t word = __atomic_load_n(&line.records, __ATOMIC_ACQUIRE);
  if (word == 0) return wanted(Record{});
  const Records records = records_in(word);
  const unsigned end = (first + count - 1) >> records.shift;
  for (unsigned i = first >> records.shift; i <= end; ++i)
    if (!wanted(look_at(records.at[i]))) return false;
  return true;
}

// The object at [address, address + size) begins or ends. Its end is after all accesses of it, and
// its beginning before all. That it reuses the memory of an earlier object is an accident, and
// gives no order. False: the thread has to be alone.
bool shadow_object(ThreadState& self, std::uint64_t address, std::uint64_t size, bool ends);

// A synchronisation object is a variable of its own (JMPaX online, section 3.1), apart from the
// bytes at its address.
inline constexpr std::uint64_t kObjects = std::uint64_t{3} << 61; // no address in memory has one of these bits
inline std::uint64_t sync_object(std::uint64_t address) {
  return (address & ~std::uint64_t{7}) ^ std::uint64_t{1} << 62;
}
inline std::uint64_t thread_sync_object(std::uint32_t thread) {
  return std::uint64_t{thread} * 8 ^ std::uint64_t{1} << 61;
}

// For collect.cc, alone: calls visit(Record&) for every record, and frees what was replaced.
void for_all_records(void (*visit)(Record& record));

} // namespace sooth::runtime::observing
