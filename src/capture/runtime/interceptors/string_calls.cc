// The str* functions. Those that search or compare read no further than they must. The interceptor
// derives the bytes read from the returned value.
#include "capture/runtime/interceptors/calls.h"

#include <cctype>

using namespace sooth::runtime;

namespace {

// How far a comparison of two strings reads: up to the first difference or the end.
std::size_t compared(const char* a, const char* b, std::size_t limit, bool ignores_case) {
  const auto fold = [ignores_case](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return ignores_case && byte >= 'A' && byte <= 'Z' ? static_cast<unsigned char>(byte + ('a' - 'A')) : byte;
  };
  std::size_t i = 0;
  while (i < limit && fold(a[i]) == fold(b[i]) && a[i] != 0) ++i;
  return i < limit ? i + 1 : limit;
}
void reads_compared(const char* a, const char* b, std::size_t limit = ~std::size_t{0}, bool ignores_case = false) {
  Thread* t = enter();
  if (t == nullptr || limit == 0) return;
  const std::size_t bytes = compared(a, b, limit, ignores_case);
  read_range(t, a, bytes);
  read_range(t, b, bytes);
}

void reads_until(const char* s, const char* found) {
  if (found == nullptr) reads_string(s);
  else reads(s, static_cast<std::size_t>(found - s) + 1);
}

// A copy of at most `limit` bytes that is then ended or filled with zeros, `written` bytes in all.
void copies_string(Thread* t, const char* to, const char* from, std::size_t limit, std::size_t written) {
  const std::size_t bytes = string_bytes(from, limit);
  if (bytes != 0) copy_range(t, to, from, bytes);
  if (written > bytes) fill_range(t, to + bytes, 0, written - bytes);
}
constexpr std::size_t kNoLimit = ~std::size_t{0};

void appends(const char* to, const char* from, std::size_t limit) {
  Thread* t = enter();
  if (t == nullptr) return;
  const std::size_t at = REAL(strlen)(to);
  read_range(t, to, at + 1);
  const std::size_t length = REAL(strnlen)(from, limit);
  copies_string(t, to + at, from, limit, length + 1);
}

} // namespace

INTERCEPT(std::size_t, strlen, (const char* s)) {
  auto* real = REAL(strlen);
  std::size_t length = 0;
  if (SOOTH_LIKELY(real != nullptr)) length = real(s);
  else
    while (static_cast<const volatile char*>(s)[length] != 0) ++length;
  reads(s, length + 1);
  return length;
}
INTERCEPT(std::size_t, strnlen, (const char* s, std::size_t limit)) {
  const std::size_t length = REAL(strnlen)(s, limit);
  reads(s, length < limit ? length + 1 : limit);
  return length;
}

INTERCEPT(char*, strcpy, (char* to, const char* from)) {
  if (Thread* t = enter()) copies_string(t, to, from, kNoLimit, 0);
  return REAL(strcpy)(to, from);
}
INTERCEPT(char*, stpcpy, (char* to, const char* from)) {
  if (Thread* t = enter()) copies_string(t, to, from, kNoLimit, 0);
  return REAL(stpcpy)(to, from);
}
INTERCEPT(char*, strncpy, (char* to, const char* from, std::size_t limit)) {
  if (Thread* t = enter()) copies_string(t, to, from, limit, limit);
  return REAL(strncpy)(to, from, limit);
}
INTERCEPT(char*, stpncpy, (char* to, const char* from, std::size_t limit)) {
  if (Thread* t = enter()) copies_string(t, to, from, limit, limit);
  return REAL(stpncpy)(to, from, limit);
}
INTERCEPT(char*, strcat, (char* to, const char* from)) {
  appends(to, from, kNoLimit);
  return REAL(strcat)(to, from);
}
INTERCEPT(char*, strncat, (char* to, const char* from, std::size_t limit)) {
  appends(to, from, limit);
  return REAL(strncat)(to, from, limit);
}
INTERCEPT(char*, strdup, (const char* s)) { // libc's allocates through our malloc
  reads_string(s);
  char* copy = REAL(strdup)(s);
  writes_string(copy);
  return copy;
}
INTERCEPT(char*, __strdup, (const char* s)) {
  reads_string(s);
  char* copy = REAL(__strdup)(s);
  writes_string(copy);
  return copy;
}
INTERCEPT(char*, strndup, (const char* s, std::size_t limit)) {
  if (enter() != nullptr) reads(s, string_bytes(s, limit));
  char* copy = REAL(strndup)(s, limit);
  writes_string(copy);
  return copy;
}

INTERCEPT(int, strcmp, (const char* a, const char* b)) {
  reads_compared(a, b);
  return REAL(strcmp)(a, b);
}
INTERCEPT(int, strncmp, (const char* a, const char* b, std::size_t limit)) {
  reads_compared(a, b, limit);
  return REAL(strncmp)(a, b, limit);
}
INTERCEPT(int, strcasecmp, (const char* a, const char* b)) {
  reads_compared(a, b, kNoLimit, true);
  return REAL(strcasecmp)(a, b);
}
INTERCEPT(int, strncasecmp, (const char* a, const char* b, std::size_t limit)) {
  reads_compared(a, b, limit, true);
  return REAL(strncasecmp)(a, b, limit);
}
INTERCEPT(int, strcoll, (const char* a, const char* b)) {
  reads_string(a);
  reads_string(b);
  return REAL(strcoll)(a, b);
}
INTERCEPT(std::size_t, strxfrm, (char* to, const char* from, std::size_t limit)) {
  reads_string(from);
  const std::size_t needed = REAL(strxfrm)(to, from, limit);
  if (needed < limit) writes(to, needed + 1);
  return needed;
}

INTERCEPT(char*, strchr, (const char* s, int c)) {
  char* found = REAL(strchr)(s, c);
  reads_until(s, found);
  return found;
}
INTERCEPT(char*, strchrnul, (const char* s, int c)) {
  char* found = REAL(strchrnul)(s, c);
  reads_until(s, found);
  return found;
}
INTERCEPT(char*, strrchr, (const char* s, int c)) {
  reads_string(s);
  return REAL(strrchr)(s, c);
}
INTERCEPT(char*, strstr, (const char* s, const char* wanted)) {
  char* found = REAL(strstr)(s, wanted);
  if (enter() == nullptr) return found;
  const std::size_t wanted_length = REAL(strlen)(wanted);
  reads(wanted, wanted_length + 1);
  if (found == nullptr) reads_string(s);
  else reads(s, static_cast<std::size_t>(found - s) + wanted_length);
  return found;
}
INTERCEPT(char*, strcasestr, (const char* s, const char* wanted)) {
  reads_string(s);
  reads_string(wanted);
  return REAL(strcasestr)(s, wanted);
}
INTERCEPT(std::size_t, strspn, (const char* s, const char* set)) {
  const std::size_t length = REAL(strspn)(s, set);
  reads(s, length + 1);
  reads_string(set);
  return length;
}
INTERCEPT(std::size_t, strcspn, (const char* s, const char* set)) {
  const std::size_t length = REAL(strcspn)(s, set);
  reads(s, length + 1);
  reads_string(set);
  return length;
}
INTERCEPT(char*, strpbrk, (const char* s, const char* set)) {
  char* found = REAL(strpbrk)(s, set);
  reads_until(s, found);
  reads_string(set);
  return found;
}

// strtok: reads from its old position up to the end of the token, and puts a zero there. Only the
// token is recorded.
static char* token(char* found, const char* set, char** state) {
  reads_string(set);
  if (Thread* t = enter()) {
    if (found != nullptr) {
      const std::size_t bytes = string_bytes(found);
      read_range(t, found, bytes - 1);
      write_range(t, found + bytes - 1, 1);
    }
    if (state != nullptr) write_range(t, state, sizeof *state);
  }
  return found;
}
INTERCEPT(char*, strtok, (char* s, const char* set)) { return token(REAL(strtok)(s, set), set, nullptr); }
INTERCEPT(char*, strtok_r, (char* s, const char* set, char** state)) {
  return token(REAL(strtok_r)(s, set, state), set, state);
}
INTERCEPT(char*, __strtok_r, (char* s, const char* set, char** state)) {
  return token(REAL(__strtok_r)(s, set, state), set, state);
}
INTERCEPT(char*, strsep, (char** s, const char* set)) { return token(REAL(strsep)(s, set), set, s); }

INTERCEPT(char*, strerror_r, (int number, char* buffer, std::size_t bytes)) {
  char* text = REAL(strerror_r)(number, buffer, bytes);
  if (text == buffer) writes_string(text);
  return text;
}
INTERCEPT(int, __xpg_strerror_r, (int number, char* buffer, std::size_t bytes)) {
  const int result = REAL(__xpg_strerror_r)(number, buffer, bytes);
  if (bytes != 0) writes_string(buffer);
  return result;
}

// _FORTIFY_SOURCE's forms: the real function ends the program if there is too little room.
INTERCEPT(char*, __strcpy_chk, (char* to, const char* from, std::size_t room)) {
  if (Thread* t = enter()) copies_string(t, to, from, room, 0);
  return REAL(__strcpy_chk)(to, from, room);
}
INTERCEPT(char*, __stpcpy_chk, (char* to, const char* from, std::size_t room)) {
  if (Thread* t = enter()) copies_string(t, to, from, room, 0);
  return REAL(__stpcpy_chk)(to, from, room);
}
INTERCEPT(char*, __strncpy_chk, (char* to, const char* from, std::size_t limit, std::size_t room)) {
  if (Thread* t = enter()) copies_string(t, to, from, smaller(limit, room), smaller(limit, room));
  return REAL(__strncpy_chk)(to, from, limit, room);
}
INTERCEPT(char*, __strcat_chk, (char* to, const char* from, std::size_t room)) {
  appends(to, from, kNoLimit);
  return REAL(__strcat_chk)(to, from, room);
}
INTERCEPT(char*, __strncat_chk, (char* to, const char* from, std::size_t limit, std::size_t room)) {
  appends(to, from, limit);
  return REAL(__strncat_chk)(to, from, limit, room);
}
