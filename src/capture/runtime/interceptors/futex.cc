// syscall(2): futexes, on which libstdc++ builds atomic waits, semaphores, latches, barriers and
// futures.
//
// A futex itself orders nothing. The atomics around it do, and are recorded as such. The two events
// record which threads slept and which ones woke others, so that lost wake-ups can be found.
#include <linux/futex.h>
#include <sys/syscall.h>

#include "capture/runtime/interceptors/real.h"

using namespace sooth::runtime;
using namespace sooth::trace;

namespace {

void note_unsupported(long number) {
  switch (number) {
  case SYS_clone: return unsupported("syscall clone");
  case SYS_fork: return unsupported("syscall fork");
  case SYS_vfork: return unsupported("syscall vfork");
  case SYS_io_uring_setup: return unsupported("io_uring");
  case SYS_membarrier: return unsupported("membarrier");
#ifdef SYS_clone3
  case SYS_clone3: return unsupported("syscall clone3");
#endif
#ifdef SYS_futex_waitv
  case SYS_futex_waitv: return unsupported("futex_waitv");
#endif
  default: return;
  }
}

// Null for the operations that are followed.
const char* unfollowed_futex(int operation) {
  switch (operation & FUTEX_CMD_MASK) {
  case FUTEX_WAIT:
  case FUTEX_WAIT_BITSET:
  case FUTEX_WAKE:
  case FUTEX_WAKE_BITSET: return nullptr;
  case FUTEX_REQUEUE:
  case FUTEX_CMP_REQUEUE: return "futex requeue";
  case FUTEX_WAKE_OP: return "futex wake-op";
  case FUTEX_LOCK_PI:
  case FUTEX_LOCK_PI2:
  case FUTEX_TRYLOCK_PI:
  case FUTEX_UNLOCK_PI: return "futex with priority inheritance";
  default: return "futex operation";
  }
}

} // namespace

// Variadic in the header. A system call has at most six arguments. For those that the caller left
// out, the registers' contents are passed on, and the kernel ignores them.
INTERCEPT(long, syscall, (long number, long a, long b, long c, long d, long e, long f)) {
  Thread* t = enter();
  if (t == nullptr) return REAL(syscall)(number, a, b, c, d, e, f);
  if (number != SYS_futex) {
    note_unsupported(number);
    return REAL(syscall)(number, a, b, c, d, e, f);
  }
  const int operation = static_cast<int>(b);
  const int command = operation & FUTEX_CMD_MASK;
  const auto* word = reinterpret_cast<const void*>(a);
  if (const char* name = unfollowed_futex(operation)) unsupported(name);
  if (command == FUTEX_WAKE || command == FUTEX_WAKE_BITSET)
    sync(t, EventKind::FutexWake, word, static_cast<std::uint64_t>(static_cast<std::uint32_t>(c)));
  const bool waits = command == FUTEX_WAIT || command == FUTEX_WAIT_BITSET;
  const auto expected = static_cast<std::uint64_t>(static_cast<std::uint32_t>(c));
  const std::uint64_t may_be_shared = (operation & FUTEX_PRIVATE_FLAG) != 0 ? 0 : kMayBeShared;
  const Request request(waits ? t : nullptr, EventKind::FutexWait, word, expected | may_be_shared, d != 0);
  const long result = REAL(syscall)(number, a, b, c, d, e, f);
  if (waits) {
    // The value had changed, or the time was up: no thread woke this one.
    if (result == 0) sync(t, EventKind::FutexWait, word, expected);
    else failed(t, EventKind::FutexWait, word, expected);
  }
  return result;
}
