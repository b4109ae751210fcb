// sprintf and sscanf with their relatives.
//
// Written bytes are recorded. Reads of sprintf through %s are not: the format would have to be
// followed twice, and the contents are already there as values of the arguments' own accesses.
#include "capture/runtime/inputs/inputs.h"
#include "capture/runtime/interceptors/calls.h"

#include <cstdarg>
#include <cstdio>
#include <cwchar>

using namespace sooth::runtime;

namespace {

// `result` characters and a zero, as far as there was room.
int printed(const char* buffer, std::size_t room, int result) {
  if (result >= 0) writes(buffer, smaller(static_cast<std::size_t>(result) + 1, room));
  return result;
}
constexpr std::size_t kAnyRoom = ~std::size_t{0};

// --- what a scan wrote ---------------------------------------------------------------------------
// One conversion of a scan's format.
struct Conversion {
  bool assigns = true;    // no `*`
  bool allocates = false; // `m`
  std::size_t width = 0;
  int length = 0; // h: -1, hh: -2, l: 1, ll: 2, j z t: 3, L: 4
  char kind = 0;
};

// Reads the conversion after a `%`. Null where the format ends or uses something unknown (`%1$d`).
const char* parse(const char* f, Conversion& c) {
  if (*f == '*') c.assigns = false, ++f;
  for (; *f >= '0' && *f <= '9'; ++f) c.width = c.width * 10 + static_cast<std::size_t>(*f - '0');
  for (;; ++f) {
    if (*f == 'h') --c.length;
    else if (*f == 'l') ++c.length;
    else if (*f == 'j' || *f == 'z' || *f == 't') c.length = 3;
    else if (*f == 'L' || *f == 'q') c.length = 4;
    else if (*f == 'm') c.allocates = true;
    else break;
  }
  c.kind = *f;
  if (c.kind == 0 || c.kind == '$') return nullptr;
  ++f;
  if (c.kind == '[') { // up to the closing bracket; one that comes first is a member of the set
    if (*f == '^') ++f;
    if (*f == ']') ++f;
    while (*f != 0 && *f != ']') ++f;
    if (*f == 0) return nullptr;
    ++f;
  }
  return f;
}

std::size_t number_size(const Conversion& c) {
  switch (c.kind) {
  case 'a':
  case 'A':
  case 'e':
  case 'E':
  case 'f':
  case 'F':
  case 'g':
  case 'G': return c.length == 0 ? sizeof(float) : c.length == 4 ? sizeof(long double) : sizeof(double);
  case 'p': return sizeof(void*);
  default: return c.length == -2 ? 1 : c.length == -1 ? sizeof(short) : c.length == 0 ? sizeof(int) : sizeof(long);
  }
}

void wrote_characters(const Conversion& c, void* target) {
  const bool wide = c.length > 0 || c.kind == 'S' || c.kind == 'C';
  const bool counted = c.kind == 'c' || c.kind == 'C'; // no zero at the end
  const std::size_t unit = wide ? sizeof(wchar_t) : 1;
  if (counted) return writes(target, (c.width == 0 ? 1 : c.width) * unit);
  if (wide) {
    std::size_t length = 0;
    while (static_cast<const wchar_t*>(target)[length] != 0) ++length;
    return writes(target, (length + 1) * unit);
  }
  writes_string(static_cast<const char*>(target));
}

// Follows the format over the first `assigned` conversions: these were stored.
void scanned(const char* format, va_list list, int assigned) {
  if (enter() == nullptr) return;
  for (const char* f = format; *f != 0;) {
    if (*f++ != '%') continue;
    if (*f == '%') {
      ++f;
      continue;
    }
    Conversion c;
    f = parse(f, c);
    if (f == nullptr) return;
    if (!c.assigns) continue;
    if (c.kind != 'n' && assigned-- <= 0) return;
    void* target = va_arg(list, void*);
    const bool characters = c.kind == 's' || c.kind == 'S' || c.kind == 'c' || c.kind == 'C' || c.kind == '[';
    if (!characters) {
      writes(target, number_size(c));
    } else if (c.allocates) {
      writes(target, sizeof(void*));
      wrote_characters(c, *static_cast<void**>(target));
    } else {
      wrote_characters(c, target);
    }
  }
}

} // namespace

INTERCEPT(int, vsnprintf, (char* buffer, std::size_t room, const char* format, va_list list)) {
  return printed(buffer, room, REAL(vsnprintf)(buffer, room, format, list));
}
INTERCEPT(int, vsprintf, (char* buffer, const char* format, va_list list)) {
  return printed(buffer, kAnyRoom, REAL(vsprintf)(buffer, format, list));
}
INTERCEPT(int, __vsnprintf_chk,
          (char* buffer, std::size_t room, int flag, std::size_t size, const char* format, va_list list)) {
  return printed(buffer, room, REAL(__vsnprintf_chk)(buffer, room, flag, size, format, list));
}
INTERCEPT(int, __vsprintf_chk, (char* buffer, int flag, std::size_t size, const char* format, va_list list)) {
  return printed(buffer, kAnyRoom, REAL(__vsprintf_chk)(buffer, flag, size, format, list));
}
static int printed_new(char** text, int result) {
  if (result < 0) return result;
  writes(text, sizeof *text);
  return printed(*text, kAnyRoom, result);
}
INTERCEPT(int, vasprintf, (char** text, const char* format, va_list list)) {
  return printed_new(text, REAL(vasprintf)(text, format, list));
}
INTERCEPT(int, __vasprintf_chk, (char** text, int flag, const char* format, va_list list)) {
  return printed_new(text, REAL(__vasprintf_chk)(text, flag, format, list));
}

// A scan may use up its list while we still need it, so each gets its own. Input from a stream is a
// message from outside; a string is not.
static void news_from(const char*) {}
static void news_from(std::FILE*) { receives(); }
static StreamInput stream_of(const char*) { return StreamInput(nullptr); }
static StreamInput stream_of(std::FILE* stream) { return StreamInput(stream); }
#define INTERCEPT_SCAN_LIST(name, source)                                                                              \
  INTERCEPT(int, name, (source from, const char* format, va_list list)) {                                              \
    va_list again;                                                                                                     \
    va_copy(again, list);                                                                                              \
    StreamInput news = stream_of(from);                                                                                \
    const int result = REAL(name)(from, format, list);                                                                 \
    news.over();                                                                                                       \
    news_from(from);                                                                                                   \
    scanned(format, again, result);                                                                                    \
    va_end(again);                                                                                                     \
    return result;                                                                                                     \
  }
INTERCEPT_SCAN_LIST(vsscanf, const char*)
INTERCEPT_SCAN_LIST(__isoc99_vsscanf, const char*)
INTERCEPT_SCAN_LIST(vfscanf, std::FILE*)
INTERCEPT_SCAN_LIST(__isoc99_vfscanf, std::FILE*)

INTERCEPT(int, vscanf, (const char* format, va_list list)) { return sooth_vfscanf(stdin, format, list); }
INTERCEPT(int, __isoc99_vscanf, (const char* format, va_list list)) {
  return sooth___isoc99_vfscanf(stdin, format, list);
}

// The forms with `...`, in terms of those with a list.
#define WITH_LIST(last, call)                                                                                          \
  va_list list;                                                                                                        \
  va_start(list, last);                                                                                                \
  const int result = call;                                                                                             \
  va_end(list);                                                                                                        \
  return result

INTERCEPT(int, snprintf, (char* buffer, std::size_t room, const char* format, ...)) {
  WITH_LIST(format, sooth_vsnprintf(buffer, room, format, list));
}
INTERCEPT(int, sprintf, (char* buffer, const char* format, ...)) {
  WITH_LIST(format, sooth_vsprintf(buffer, format, list));
}
INTERCEPT(int, __snprintf_chk, (char* buffer, std::size_t room, int flag, std::size_t size, const char* format, ...)) {
  WITH_LIST(format, sooth___vsnprintf_chk(buffer, room, flag, size, format, list));
}
INTERCEPT(int, __sprintf_chk, (char* buffer, int flag, std::size_t size, const char* format, ...)) {
  WITH_LIST(format, sooth___vsprintf_chk(buffer, flag, size, format, list));
}
INTERCEPT(int, asprintf, (char** text, const char* format, ...)) {
  WITH_LIST(format, sooth_vasprintf(text, format, list));
}
INTERCEPT(int, __asprintf_chk, (char** text, int flag, const char* format, ...)) {
  WITH_LIST(format, sooth___vasprintf_chk(text, flag, format, list));
}
INTERCEPT(int, sscanf, (const char* from, const char* format, ...)) {
  WITH_LIST(format, sooth_vsscanf(from, format, list));
}
INTERCEPT(int, __isoc99_sscanf, (const char* from, const char* format, ...)) {
  WITH_LIST(format, sooth___isoc99_vsscanf(from, format, list));
}
INTERCEPT(int, fscanf, (std::FILE * from, const char* format, ...)) {
  WITH_LIST(format, sooth_vfscanf(from, format, list));
}
INTERCEPT(int, __isoc99_fscanf, (std::FILE * from, const char* format, ...)) {
  WITH_LIST(format, sooth___isoc99_vfscanf(from, format, list));
}
INTERCEPT(int, scanf, (const char* format, ...)) { WITH_LIST(format, sooth_vfscanf(stdin, format, list)); }
INTERCEPT(int, __isoc99_scanf, (const char* format, ...)) {
  WITH_LIST(format, sooth___isoc99_vfscanf(stdin, format, list));
}
