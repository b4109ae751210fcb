// An atomic operation of the program, made while its memory is held: its order is the real one.
#pragma once

#include "capture/runtime/observing/hook.h"
#include "capture/runtime/observing/plain.h"

namespace sooth::runtime::observing {

// The operation happens while this lives.
class Operation {
public:
  Operation(Thread* t, const void* address, std::size_t size); // null: does nothing
  // The value it saw (null: none) and the value it wrote (null: none).
  void done(EventKind kind, const void* seen, const void* written, std::uint32_t site);

private:
  std::uint64_t address_;
  std::size_t size_;
  PlainOperation plain_;
  Thread* t_; // null: there is nothing to do, or plain_ does it
  Hook hook_;
  Lines lines_; // released before the hook ends
};

} // namespace sooth::runtime::observing
