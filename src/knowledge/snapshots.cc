#include "knowledge/snapshots.h"

#include <new>

namespace sooth::knowledge {
namespace {

constexpr std::size_t kBlock = 256 * 1024;
constexpr Word kNumbers = 1 << 16; // that a thread is given at once

std::uint32_t room_for(Word rows) {
  std::uint32_t room = 2;
  while ((Word{1} << room) < rows) ++room;
  return room;
}

} // namespace

void SnapshotPool::begin(const Layout& layout, More more, void* context) {
  layout_ = &layout;
  more_ = more;
  context_ = context;
}

void SnapshotPool::lock() {
  while (__atomic_exchange_n(&held_, 1, __ATOMIC_ACQUIRE) != 0) // held for a few instructions
    while (__atomic_load_n(&held_, __ATOMIC_RELAXED) != 0) __builtin_ia32_pause();
}

Word SnapshotPool::number(Spares& spares) {
  if (spares.next_number == spares.last_number) {
    spares.next_number = __atomic_fetch_add(&numbers_, kNumbers, __ATOMIC_RELAXED); // only that they differ
    spares.last_number = spares.next_number + kNumbers;
  }
  return spares.next_number++;
}

Snapshot* SnapshotPool::take(std::uint32_t room) {
  lock();
  Snapshot* found = spares_[room];
  if (found != nullptr) {
    spares_[room] = found->next;
  } else {
    const Word most = Word{layout_->places} + 1, wanted = Word{1} << room, rows = wanted < most ? wanted : most;
    const std::size_t bytes = (sizeof(Snapshot) + layout_->words_for(rows) * sizeof(Word) + 63) / 64 * 64;
    if (fresh_bytes_ < bytes) {
      const std::size_t more = bytes > kBlock ? bytes : kBlock;
      fresh_ = static_cast<std::uint8_t*>(more_(context_, more));
      fresh_bytes_ = fresh_ != nullptr ? more : 0;
    }
    if (fresh_bytes_ >= bytes) {
      found = new (fresh_) Snapshot;
      found->room = room;
      fresh_ += bytes;
      fresh_bytes_ -= bytes;
    }
  }
  unlock();
  return found;
}

Snapshot* SnapshotPool::make(Spares& spares, const Word* vector, Word rows) {
  const std::uint32_t room = room_for(rows);
  Snapshot* made = nullptr;
  if (spares.first != nullptr && spares.room == room) {
    made = spares.first;
    spares.first = made->next;
    --spares.count;
  } else if ((made = take(room)) == nullptr) {
    __atomic_fetch_add(&refused_, 1, __ATOMIC_RELAXED); // a count
    return nullptr;
  }
  made->number = number(spares);
  made->references = 1;
  copy(*layout_, made->vector(), vector);
  return made;
}

void SnapshotPool::release(Snapshot* snapshot, Spares* spares, std::uint32_t references) {
  if (snapshot == nullptr || __atomic_sub_fetch(&snapshot->references, references, __ATOMIC_ACQ_REL) != 0) return;
  if (spares != nullptr && spares->count != 0 && spares->room != snapshot->room && snapshot->room > spares->room)
    give_up(*spares); // there are more threads now: the small ones are of no use
  if (spares != nullptr && spares->count < kMostSpares && (spares->count == 0 || spares->room == snapshot->room)) {
    snapshot->next = spares->first;
    spares->first = snapshot;
    spares->room = snapshot->room;
    ++spares->count;
    ask_for_vector<true>(*layout_, snapshot, Word{1} << snapshot->room);
    return;
  }
  lock();
  snapshot->next = spares_[snapshot->room];
  spares_[snapshot->room] = snapshot;
  unlock();
}

void SnapshotPool::give_up(Spares& spares) {
  lock();
  while (spares.first != nullptr) {
    Snapshot* snapshot = spares.first;
    spares.first = snapshot->next;
    snapshot->next = spares_[snapshot->room];
    spares_[snapshot->room] = snapshot;
  }
  unlock();
  spares.count = 0;
}

} // namespace sooth::knowledge
