// Random numbers and ids that touch no memory of the caller, or too little to matter. They are
// intercepted for `sooth record --inputs` alone.
#include "capture/runtime/inputs/inputs.h"
#include "capture/runtime/interceptors/calls.h"
#include "capture/runtime/thread.h"

#include <unistd.h>

using namespace sooth::runtime;

namespace {

// The program may use the id to send signals: then it has to be the id of this run (real_id).
template <typename Real>
pid_t id(const Real& real) {
  if (!has_inputs()) return real();
  const pid_t told = input(InputCall::Identity, -1, real);
  if (g_inputs == Inputs::Fed) told_id(told, real());
  return told;
}

// What the library asks the kernel for is no input of its own.
class InInput {
public:
  InInput() { set(true); }
  ~InInput() { set(false); }
  InInput(const InInput&) = delete;
  InInput& operator=(const InInput&) = delete;

private:
  static void set(bool on) {
    if (Thread* t = has_inputs() ? enter() : nullptr) t->in_input = on;
  }
};

} // namespace

INTERCEPT(pid_t, getpid, ()) {
  return id([] { return REAL(getpid)(); });
}
INTERCEPT(pid_t, getppid, ()) {
  return id([] { return REAL(getppid)(); });
}
INTERCEPT(pid_t, gettid, ()) {
  return id([] { return REAL(gettid)(); });
}

INTERCEPT(int, getentropy, (void* buffer, std::size_t bytes)) {
  const int result =
      input(InputCall::Random, -1, [&] { return REAL(getentropy)(buffer, bytes); }, whole(buffer, bytes));
  if (result == 0) writes(buffer, bytes);
  return result;
}
INTERCEPT(std::uint32_t, arc4random, ()) {
  return input(InputCall::Random, -1, [&] { return REAL(arc4random)(); });
}
INTERCEPT(std::uint32_t, arc4random_uniform, (std::uint32_t most)) {
  return input(InputCall::Random, -1, [&] { return REAL(arc4random_uniform)(most); });
}
INTERCEPT(void, arc4random_buf, (void* buffer, std::size_t bytes)) {
  const auto call = [&] {
    REAL(arc4random_buf)(buffer, bytes);
    return 0;
  };
  input(InputCall::Random, -1, call, whole(buffer, bytes));
  writes(buffer, bytes);
}
// std::random_device::_M_getval(): libstdc++ may ask the processor instead of the kernel.
INTERCEPT(unsigned, _ZNSt13random_device9_M_getvalEv, (void* device)) {
  return input(InputCall::Random, -1, [&] {
    const InInput guard;
    return REAL(_ZNSt13random_device9_M_getvalEv)(device);
  });
}
