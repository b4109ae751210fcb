// The parts of the threads' stacks that several threads access. Most programs have few of them, and
// everything else costs nothing.
//
//     1 T1 write v in f      v and w are variables of f, on T1's stack, in different lines
//     2 T1 write w in f
//     3 T2 read  v           v's line is shared
//     4 T1 write w in f      w's line is not: nothing about w is kept
//
// Question: can the end of a function matter to another thread's access of these bytes?
// Cost: two passes; a line has 64 bytes.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/trace.h"

namespace sooth::predict {

class SharedFrames {
public:
  explicit SharedFrames(const trace::Trace& trace);

  bool empty() const { return lines_.empty(); }
  // Whether the access touches a part of a stack that some function used as its own and another
  // thread accesses.
  bool touched_by(const trace::Event& access) const;
  // Accesses of its own frames were all on the stack that the thread began with.
  bool stays_on_its_stack(std::uint32_t thread) const { return !elsewhere_[thread]; }
  // The access is one of a variable of the function that makes it.
  bool is_own(const trace::Event& access) const;

private:
  const trace::Trace& trace_;
  std::vector<std::uint64_t> lines_; // parts of 64 bytes, ascending
  std::vector<bool> elsewhere_;      // by thread
};

// Reads or writes memory, is not merged and has an extent.
bool is_plain_use(const trace::Event& event);

} // namespace sooth::predict
