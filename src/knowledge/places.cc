#include "knowledge/places.h"

#include <cstring>

namespace sooth::knowledge {

void Places::begin(Word* memory, std::uint32_t count) {
  std::memset(memory, 0, std::size_t{2} * count * sizeof(Word));
  owners_ = memory;
  left_ = memory + count;
  count_ = count;
}

void Places::leave(std::uint32_t place, std::uint32_t number, Word state) {
  if (place >= count_ || owners_[place] != ((Word{number} + 1) << 2 | kTaken)) return;
  owners_[place] = (Word{number} + 1) << 2 | state;
  left_[place] = ++clock_;
}

std::uint32_t Places::give(std::uint32_t place, std::uint32_t number) {
  owners_[place] = (Word{number} + 1) << 2 | kTaken;
  return place;
}

std::uint32_t Places::take(const Setup& setup, const Thread* creator, std::uint32_t number) {
  if (!setup.ranges) return kNoPlace;
  std::uint32_t fresh = kNoPlace, oldest = kNoPlace;
  for (std::uint32_t p = 0; p < count_; ++p) {
    const Word state = owners_[p] & 3;
    if (state == kFresh && fresh == kNoPlace) fresh = p;
    if (state != kJoined && state != kEnded) continue;
    if (oldest == kNoPlace || left_[p] < left_[oldest]) oldest = p;
    if (state != kJoined || creator == nullptr || p + 1 >= creator->vector[0]) continue;
    const Word* row = creator->vector + setup.layout.row_at(p + 1);
    if (row[kOwner] == owners_[p] >> 2 && (row[kSequence] & kGone) != 0) return give(p, number);
  }
  if (fresh != kNoPlace) return give(fresh, number);
  if (oldest == kNoPlace) {
    ++refused_;
    return kNoPlace;
  }
  ++given_early_;
  return give(oldest, number);
}

} // namespace sooth::knowledge
