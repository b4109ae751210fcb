// memcpy and its relatives. Everything calls these, also before this library is ready: then they do
// the work themselves.
//
// Compiled without builtins: a loop in here must not become a call of the function that it is in.
#include "capture/runtime/interceptors/calls.h"

#include <sys/types.h>

#include "capture/runtime/recording/ownership.h"
#include "capture/runtime/thread.h"

using namespace sooth::runtime;

namespace {

void* copy_upwards(void* to, const void* from, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; ++i)
    static_cast<volatile char*>(to)[i] = static_cast<const volatile char*>(from)[i];
  return to;
}
void* copy_safely(void* to, const void* from, std::size_t bytes) {
  if (reinterpret_cast<std::uintptr_t>(to) <= reinterpret_cast<std::uintptr_t>(from))
    return copy_upwards(to, from, bytes);
  for (std::size_t i = bytes; i-- > 0;) static_cast<volatile char*>(to)[i] = static_cast<const volatile char*>(from)[i];
  return to;
}

// Compiled code came here from a copy or fill that the pass itself has recorded (abi.h).
bool recorded_already() {
  std::uint32_t& site = __sooth_thread.abi.call_site;
  if (SOOTH_LIKELY(site != kSoothCallRecorded)) return false;
  site = 0;
  return true;
}

// Around a copy or a fill that is recorded before it is made (ownership.h).
class Storing {
public:
  Storing() : inside_(__sooth_thread.abi.storing != 0) { begin_storing(); }
  ~Storing() {
    if (!inside_) end_storing(); // else the runtime itself copies, in the hook of a store
  }
  Storing(const Storing&) = delete;
  Storing& operator=(const Storing&) = delete;

private:
  const bool inside_;
};

// The bytes that a search reads: up to the one it found.
std::size_t read_until(const void* begin, const void* found, std::size_t bytes) {
  return found == nullptr
             ? bytes
             : static_cast<std::size_t>(static_cast<const char*>(found) - static_cast<const char*>(begin)) + 1;
}

} // namespace

INTERCEPT(void*, memcpy, (void* to, const void* from, std::size_t bytes)) {
  const Storing storing;
  if (!recorded_already()) copies(to, from, bytes);
  auto* real = REAL(memcpy);
  return SOOTH_LIKELY(real != nullptr) ? real(to, from, bytes) : copy_upwards(to, from, bytes);
}
INTERCEPT(void*, memmove, (void* to, const void* from, std::size_t bytes)) {
  const Storing storing;
  if (!recorded_already()) copies(to, from, bytes);
  auto* real = REAL(memmove);
  return SOOTH_LIKELY(real != nullptr) ? real(to, from, bytes) : copy_safely(to, from, bytes);
}
INTERCEPT(void*, memset, (void* to, int byte, std::size_t bytes)) {
  const Storing storing;
  if (!recorded_already()) fills(to, byte, bytes);
  auto* real = REAL(memset);
  if (SOOTH_LIKELY(real != nullptr)) return real(to, byte, bytes);
  for (std::size_t i = 0; i < bytes; ++i) static_cast<volatile char*>(to)[i] = static_cast<char>(byte);
  return to;
}
INTERCEPT(int, memcmp, (const void* a, const void* b, std::size_t bytes)) {
  reads(a, bytes);
  reads(b, bytes);
  auto* real = REAL(memcmp);
  if (SOOTH_LIKELY(real != nullptr)) return real(a, b, bytes);
  for (std::size_t i = 0; i < bytes; ++i) {
    const int difference =
        static_cast<const volatile unsigned char*>(a)[i] - static_cast<const volatile unsigned char*>(b)[i];
    if (difference != 0) return difference;
  }
  return 0;
}
// Compilers use this for a memcmp that is only compared with zero.
INTERCEPT(int, bcmp, (const void* a, const void* b, std::size_t bytes)) { return sooth_memcmp(a, b, bytes); }

INTERCEPT(void*, mempcpy, (void* to, const void* from, std::size_t bytes)) {
  return static_cast<char*>(sooth_memcpy(to, from, bytes)) + bytes;
}
INTERCEPT(void*, __mempcpy, (void* to, const void* from, std::size_t bytes)) {
  return static_cast<char*>(sooth_memcpy(to, from, bytes)) + bytes;
}
INTERCEPT(void, bcopy, (const void* from, void* to, std::size_t bytes)) { sooth_memmove(to, from, bytes); }
INTERCEPT(void, bzero, (void* to, std::size_t bytes)) { sooth_memset(to, 0, bytes); }
INTERCEPT(void, explicit_bzero, (void* to, std::size_t bytes)) {
  fills(to, 0, bytes);
  REAL(explicit_bzero)(to, bytes);
}

INTERCEPT(void*, memccpy, (void* to, const void* from, int stop, std::size_t bytes)) {
  void* end = REAL(memccpy)(to, from, stop, bytes);
  const std::size_t copied =
      end == nullptr ? bytes : static_cast<std::size_t>(static_cast<char*>(end) - static_cast<char*>(to));
  reads(from, copied);
  writes(to, copied);
  return end;
}
INTERCEPT(void*, memchr, (const void* p, int byte, std::size_t bytes)) {
  void* found = REAL(memchr)(p, byte, bytes);
  reads(p, read_until(p, found, bytes));
  return found;
}
INTERCEPT(void*, memrchr, (const void* p, int byte, std::size_t bytes)) {
  reads(p, bytes);
  return REAL(memrchr)(p, byte, bytes);
}
INTERCEPT(void*, rawmemchr, (const void* p, int byte)) {
  void* found = REAL(rawmemchr)(p, byte);
  reads(p, read_until(p, found, 0));
  return found;
}
INTERCEPT(void*, memmem, (const void* p, std::size_t bytes, const void* wanted, std::size_t wanted_bytes)) {
  reads(p, bytes);
  reads(wanted, wanted_bytes);
  return REAL(memmem)(p, bytes, wanted, wanted_bytes);
}
INTERCEPT(void, swab, (const void* from, void* to, ssize_t bytes)) {
  const std::size_t even = bytes > 0 ? static_cast<std::size_t>(bytes) & ~std::size_t{1} : 0;
  reads(from, even);
  REAL(swab)(from, to, bytes);
  writes(to, even);
}

// The checked forms of _FORTIFY_SOURCE. The real function checks: where the check would fail,
// nothing is recorded.
INTERCEPT(void*, __memcpy_chk, (void* to, const void* from, std::size_t bytes, std::size_t room)) {
  if (bytes <= room) copies(to, from, bytes);
  return REAL(__memcpy_chk)(to, from, bytes, room);
}
INTERCEPT(void*, __memmove_chk, (void* to, const void* from, std::size_t bytes, std::size_t room)) {
  if (bytes <= room) copies(to, from, bytes);
  return REAL(__memmove_chk)(to, from, bytes, room);
}
INTERCEPT(void*, __mempcpy_chk, (void* to, const void* from, std::size_t bytes, std::size_t room)) {
  if (bytes <= room) copies(to, from, bytes);
  return REAL(__mempcpy_chk)(to, from, bytes, room);
}
INTERCEPT(void*, __memset_chk, (void* to, int byte, std::size_t bytes, std::size_t room)) {
  if (bytes <= room) fills(to, byte, bytes);
  return REAL(__memset_chk)(to, byte, bytes, room);
}
