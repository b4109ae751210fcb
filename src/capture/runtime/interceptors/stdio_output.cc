// Formatted and character output, where it may be a message for another thread (calls.h, sends_to).
// Of printf and its relatives, only those that name a stream: standard output is a message for no
// thread.
#include "capture/runtime/interceptors/calls.h"

#include <cstdarg>
#include <cwchar>

using namespace sooth::runtime;

INTERCEPT(int, vfprintf, (std::FILE * stream, const char* format, va_list list)) {
  sends_to(stream);
  return REAL(vfprintf)(stream, format, list);
}
INTERCEPT(int, __vfprintf_chk, (std::FILE * stream, int flag, const char* format, va_list list)) {
  sends_to(stream);
  return REAL(__vfprintf_chk)(stream, flag, format, list);
}
INTERCEPT(int, fprintf, (std::FILE * stream, const char* format, ...)) {
  sends_to(stream);
  va_list list;
  va_start(list, format);
  const int result = REAL(vfprintf)(stream, format, list);
  va_end(list);
  return result;
}
INTERCEPT(int, __fprintf_chk, (std::FILE * stream, int flag, const char* format, ...)) {
  sends_to(stream);
  va_list list;
  va_start(list, format);
  const int result = REAL(__vfprintf_chk)(stream, flag, format, list);
  va_end(list);
  return result;
}
// Directly to a file descriptor.
INTERCEPT(int, vdprintf, (int file, const char* format, va_list list)) {
  sends();
  return REAL(vdprintf)(file, format, list);
}
INTERCEPT(int, dprintf, (int file, const char* format, ...)) {
  sends();
  va_list list;
  va_start(list, format);
  const int result = REAL(vdprintf)(file, format, list);
  va_end(list);
  return result;
}

static constexpr std::size_t kAny = ~std::size_t{0}; // as many as the stream's encoding takes
#define INTERCEPT_PUT(type, name, character, bytes)                                                                    \
  INTERCEPT(type, name, (character c, std::FILE * stream)) {                                                           \
    sends_to(stream, bytes);                                                                                           \
    return REAL(name)(c, stream);                                                                                      \
  }
INTERCEPT_PUT(int, fputc, int, 1)
INTERCEPT_PUT(int, putc, int, 1)
INTERCEPT_PUT(int, _IO_putc, int, 1)
INTERCEPT_PUT(int, fputc_unlocked, int, 1)
INTERCEPT_PUT(int, putc_unlocked, int, 1)
INTERCEPT_PUT(std::wint_t, fputwc, wchar_t, kAny)
INTERCEPT_PUT(int, fputws, const wchar_t*, kAny)
// The buffer of a stream is full. Headers call this from putc_unlocked.
INTERCEPT(int, __overflow, (std::FILE * stream, int c)) {
  sends_to(stream);
  return REAL(__overflow)(stream, c);
}

INTERCEPT(int, fflush, (std::FILE * stream)) { // null: all of them
  sends_to(stream);
  return REAL(fflush)(stream);
}
INTERCEPT(int, fclose, (std::FILE * stream)) {
  if (stream != nullptr) closes_file(stream->_fileno);
  sends_to(stream);
  return REAL(fclose)(stream);
}
