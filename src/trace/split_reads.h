// What a thread has read of one location under locks, to notice a write that takes it for granted.
//
//     lock m ; b = balance ; unlock m      first
//     lock m ; balance -= n ; unlock m     again, and a write: it only updates (is_update)
//
// Question: does a thread write a location in a later critical section than the one in which it
//   looked at it, without having looked again?
// The first section may write, too; then it knows what it has written, and a read in a later
// section is a new first look. Who uses this knows what a section is, and decides what an update
// is: predict/atomicity/unmarked_blocks.h for locations of a trace, survey/split_updates.h for
// granules of a file that is read for the first time.
#pragma once

#include <optional>

namespace sooth::trace {

template <typename Read>
class SplitReads {
public:
  explicit SplitReads(const Read& first) : first_(first) {}

  // now(): this read; called only if it is to be remembered. in_one_section(before): the thread has
  // kept a lock since then.
  template <typename Now, typename InOneSection>
  void read(Now&& now, InOneSection&& in_one_section) {
    if (again_ && !in_one_section(*again_)) {
      first_ = *again_;
      wrote_ = false;
      again_.reset();
    }
    if (again_ || in_one_section(first_)) return;
    if (wrote_) first_ = now();
    else again_ = now();
    wrote_ = false;
  }

  // Calls split(first) if the write comes after another section's read; is_update(first, again)
  // says whether the read in between counts. False: nothing is left to remember.
  template <typename InOneSection, typename IsUpdate, typename Split>
  bool write(InOneSection&& in_one_section, IsUpdate&& is_update, Split&& split) {
    if (in_one_section(first_)) {
      wrote_ = true;
      return true;
    }
    if (!again_ || is_update(first_, *again_)) split(first_);
    if (!again_) return false; // from now on it knows what it has written
    first_ = *again_;
    wrote_ = true;
    again_.reset();
    return true;
  }

  // Each read is replaced by number(read).
  template <typename Number>
  void renumber(Number&& number) {
    first_ = number(first_);
    if (again_) again_ = number(*again_);
  }

private:
  Read first_;                // of a section
  std::optional<Read> again_; // of the section after it, if the first one only reads
  bool wrote_ = false;        // in the first one's section
};

} // namespace sooth::trace
