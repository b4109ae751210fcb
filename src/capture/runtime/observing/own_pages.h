// Own pages: the compiled code omits the accesses of a thread that has a page to itself.
//
//     T1: for (...) a[i] = b[i];     from the 32nd access on, T1 owns the pages of a and b:
//                                    the inlined check finds its own word, and calls no hook
//     T2: x = a[7];                  T2 takes the page first: alone, after T1's store
//
// Question: which accesses change no clock, and can be seen by nobody?
// Source: ownership in recording (recording/ownership.h, abi.h "Owners"): the same words in the
//   compiled code.
// Where we differ: nothing is written to a trace, so that owning ends at every change of the
//   thread's clock. The records of the page are those of one segment: everything in it counts as
//   written with the thread's clock. docs/protocol.md ("Own pages") argues why no order is lost,
//   and says when one too many may be there; these are counted.
// Cost: for the owner nothing but a load and a comparison. To begin about a microsecond; to end one
//   or two, with a barrier on all cores if another thread comes.
#pragma once

#include "capture/runtime/observing/hook.h"
#include "capture/runtime/observing/shadow.h"
#include "capture/runtime/recording/ownership.h"

namespace sooth::runtime::observing {

// A page is owned after so many accesses in one segment that hooks have seen; after twice as many
// each time that it ended or could not begin, up to 2^kMostEnds times as many. If nobody else has
// come until then, the page stays its owner's from one segment to the next. With own=1 in
// SOOTH_OPTIONS (ownership.h), everything that may be owned is, at once, also globals.
inline constexpr std::uint32_t kUsesToOwn = 32;
inline constexpr std::uint8_t kMostEnds = 3;
inline std::uint32_t uses_to_own(const Page& page) { return owns_eagerly() ? 1 : kUsesToOwn << page.ends; }

// Once, when the program starts. Without it, no page is ever owned.
void make_own_pages();
// A signal handler may interrupt a store from now on: no page is owned any more. The caller is
// alone.
void stop_own_pages();

// The thread's clock has changed since the last segment; or it begins, or goes on after its end.
void begin_segment(ThreadState& self);
// The thread's last hook.
void end_segments();

// The page was its own in an earlier segment. True: it is again.
bool renew_own(const ThreadState& self, Page& page);
// Whether an access of this page changes nothing. A write has to be between `storing` and its
// store: then a thread that takes the page waits for it.
inline bool leaves_out(ThreadState& self, Page& page, bool writes) {
  const SoothThreadAbi& abi = __sooth_thread.abi;
  if (!is_own(page) || self.learned || (writes && abi.storing == 0)) return false;
  if (page.own != abi.mine && !renew_own(self, page)) return false;
  ++self.left_out;
  return true;
}
// The same for bytes on one page.
bool leaves_out(ThreadState& self, std::uint64_t address, bool writes);

void begin_own(Thread* t, ThreadState& self, Page& page);
// The thread has accessed its own page `lines` times. Afterwards it may own it in the sense above.
inline void note_uses(Thread* t, ThreadState& self, Page& page, bool writes, std::uint32_t lines) {
  if (page.segment != self.segment) {
    page.segment = self.segment;
    page.uses = 0;
  }
  page.uses += lines;
  if (__builtin_expect(page.uses >= uses_to_own(page), 0) && !self.learned &&
      (!writes || __sooth_thread.abi.storing != 0)) {
    page.uses = 0;
    begin_own(t, self, page);
  }
}

// From now on the lines say everything. For the owner, or the thread that has got the page from an
// owner that has ended.
void end_own(Page& page);
// The same for a thread that is alone, with another thread's page.
void take_own(Page& page);
// All pages. Only alone.
void end_all_own();

// Where a hook may wait for another thread: that one may be waiting for a store of this thread.
// What was left out before has to be looked at again, if `breaks` has changed.
class StoringBreak {
public:
  explicit StoringBreak(ThreadState& self) : storing_(__sooth_thread.abi.storing != 0) {
    if (!storing_) return;
    ++self.breaks;
    end_storing();
  }
  ~StoringBreak() {
    if (storing_) begin_storing();
  }
  StoringBreak(const StoringBreak&) = delete;
  StoringBreak& operator=(const StoringBreak&) = delete;

private:
  bool storing_;
};

// learn(), from these bytes of the line: counts clocks that are only guessed.
inline void learn_from(ThreadState& self, const Line& line, std::uint64_t bytes, ClockNumber number) {
  if (is_known_to_cover(self, number)) return;
  const ClockNumber before = self.clock;
  learn(self, number);
  if (self.clock != before && (line.guessed & bytes) != 0) add_to(g_counts.handed_over);
}

} // namespace sooth::runtime::observing
