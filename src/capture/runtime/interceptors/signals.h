// Crash handlers, which init.cc installs.
#pragma once

namespace sooth::runtime {

// Handles the fatal signals that have the default disposition, so that a crash ends the trace
// properly. The program does not see this through sigaction.
void install_crash_handlers();

// While it lives, a handler of the calling thread runs where the program expects it: inside of a
// call that sends the signal to the thread itself, or that waits with a mask of its own. Such a
// handler interrupts nothing unsafe.
class ExpectsSignal {
public:
  explicit ExpectsSignal(bool expects = true);
  ~ExpectsSignal();
  ExpectsSignal(const ExpectsSignal&) = delete;
  ExpectsSignal& operator=(const ExpectsSignal&) = delete;

private:
  const bool before_;
};

} // namespace sooth::runtime
