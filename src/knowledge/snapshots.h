// Snapshots: knowledge vectors that no longer change, shared by all that know the same.
//
//     T1 releases m, writes x, releases n, and learns nothing in between: m, x and n refer to one
//     snapshot. T1 acquires p, and learns: the next release makes a new one.
//
// Question: how does knowledge get from a thread into a variable without being copied each time?
// Source: DAME keeps a vector with each thread and two with each variable. Between one change of a
//   thread's knowledge and the next, everything that it leaves behind is the same vector.
// Where we differ: so that vector is made once, and variables refer to it. When the last reference
//   goes, its memory is reused. Two snapshots with the same number are the same, so a thread that
//   has seen one need not look again. Threads that know the same end up sharing one.
// Cost: a copy of the part in use for each change that is passed on; two atomic operations for each
//   reference.
//
// Which thread may touch what. A snapshot does not change while there are references to it.
// References are counted atomically. All threads may use a pool: it has a lock, which is not needed
// as long as a thread's own spares are enough.
#pragma once

#include <cstddef>
#include <cstdint>

#include "knowledge/vector.h"

namespace sooth::knowledge {

struct Snapshot {
  Word number = 0;              // never used again in this process; not 0
  std::uint32_t references = 0; // atomic
  std::uint32_t room = 0;       // which size it has: 2^room rows
  Snapshot* next = nullptr;     // among spares
  Word reserved = 0;

  Word* vector() { return reinterpret_cast<Word*>(this + 1); }
  const Word* vector() const { return reinterpret_cast<const Word*>(this + 1); }
};

// Requests lines of other cores together, ahead of their use: one by one, each would be waited for.
// The first one has the references, which a thread that looks at a snapshot will soon change.
inline void ask_for_references(const Snapshot* snapshot) { __builtin_prefetch(snapshot, 1); }
template <bool kToWrite>
inline void ask_for_vector(const Layout& layout, const Snapshot* snapshot, Word rows) {
  constexpr std::size_t kMost = 1024; // bytes: a core keeps track of about so many lines at once
  const std::size_t all = sizeof(Snapshot) + layout.words_for(rows) * sizeof(Word), bytes = all < kMost ? all : kMost;
  for (std::size_t i = 64; i < bytes; i += 64)
    __builtin_prefetch(reinterpret_cast<const char*>(snapshot) + i, kToWrite ? 1 : 0);
}
inline void ask_for(const Layout& layout, const Snapshot* snapshot, Word rows) {
  ask_for_references(snapshot);
  ask_for_vector<false>(layout, snapshot, rows);
}

// Room that one thread has put aside, and numbers that it may give.
struct Spares {
  Snapshot* first = nullptr;
  std::uint32_t count = 0;
  std::uint32_t room = 0; // of all of them
  Word next_number = 0, last_number = 0;
};

class SnapshotPool {
public:
  // `more(context, bytes)`: zero memory at a multiple of 64, which stays; null: there is none.
  using More = void* (*)(void* context, std::size_t bytes);
  void begin(const Layout& layout, More more, void* context);

  // A snapshot of the vector, or of a vector with so many rows that is to be filled; one reference.
  // Null: no memory, which is counted.
  Snapshot* make(Spares& spares, const Word* vector) { return make(spares, vector, vector[0]); }
  Snapshot* make(Spares& spares, const Word* vector, Word rows);
  Word number(Spares& spares);

  static Snapshot* keep(Snapshot* snapshot, std::uint32_t references = 1) {
    __atomic_fetch_add(&snapshot->references, references, __ATOMIC_RELAXED); // who adds one has one
    return snapshot;
  }
  // Null is nothing. Without spares, the room goes to the pool.
  void release(Snapshot* snapshot, Spares* spares, std::uint32_t references = 1);
  // A thread's end.
  void give_up(Spares& spares);

  std::uint64_t refused() const { return __atomic_load_n(&refused_, __ATOMIC_RELAXED); }

  // Around a fork: the child's pool is whole.
  void lock();
  void unlock() { __atomic_store_n(&held_, 0, __ATOMIC_RELEASE); }

private:
  static constexpr std::uint32_t kRooms = 17;
  static constexpr std::uint32_t kMostSpares = 16;
  Snapshot* take(std::uint32_t room);

  const Layout* layout_ = nullptr;
  More more_ = nullptr;
  void* context_ = nullptr;
  std::uint32_t held_ = 0;
  Snapshot* spares_[kRooms] = {}; // with the lock, as are the next two
  std::uint8_t* fresh_ = nullptr;
  std::size_t fresh_bytes_ = 0;
  Word numbers_ = 1;          // atomic
  std::uint64_t refused_ = 0; // atomic
};

} // namespace sooth::knowledge
