// The lock of a stream: flockfile and its relatives, a recursive lock that programs use as their
// own.
//
// libc's own calls (printf, putc) take it inside libc, past us. Nothing is lost: they guard the
// stream's buffer, which is libc's, and a block under flockfile excludes all others under
// flockfile.
#include <cstdio>

#include "capture/runtime/interceptors/real.h"

using namespace sooth::runtime;
using namespace sooth::trace;

INTERCEPT(void, flockfile, (std::FILE * stream)) {
  Thread* t = enter();
  if (t != nullptr) before_lock(t);
  REAL(flockfile)(stream);
  if (t != nullptr) sync(t, EventKind::Acquire, stream, kLockRecursive);
}

INTERCEPT(int, ftrylockfile, (std::FILE * stream)) {
  Thread* t = enter();
  const int result = REAL(ftrylockfile)(stream);
  if (t == nullptr) return result;
  if (result == 0) sync(t, EventKind::Acquire, stream, kLockRecursive | kLockTry);
  else failed(t, EventKind::Acquire, stream, kLockRecursive | kLockTry);
  return result;
}

INTERCEPT(void, funlockfile, (std::FILE * stream)) {
  if (Thread* t = enter()) sync(t, EventKind::Release, stream, kLockRecursive);
  REAL(funlockfile)(stream);
}
