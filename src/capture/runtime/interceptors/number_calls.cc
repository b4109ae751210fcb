// strtol and its relatives, which read a string and return where they stopped; wide strings;
// sorting.
#include "capture/runtime/interceptors/calls.h"

#include <cstdlib>
#include <cwchar>

using namespace sooth::runtime;

namespace {

// The number and the character after it.
void number_read(const char* begin, const char* stop, char** end) {
  reads(begin, static_cast<std::size_t>(stop - begin) + 1);
  if (end != nullptr) {
    *end = const_cast<char*>(stop);
    writes(end, sizeof *end);
  }
}

std::size_t wide_bytes(std::size_t characters) { return characters * sizeof(wchar_t); }

} // namespace

#define INTERCEPT_INTEGER(result, name)                                                                                \
  INTERCEPT(result, name, (const char* s, char** end, int base)) {                                                     \
    char* stop = const_cast<char*>(s);                                                                                 \
    const result value = REAL(name)(s, &stop, base);                                                                   \
    number_read(s, stop, end);                                                                                         \
    return value;                                                                                                      \
  }
#define INTERCEPT_FLOAT(result, name)                                                                                  \
  INTERCEPT(result, name, (const char* s, char** end)) {                                                               \
    char* stop = const_cast<char*>(s);                                                                                 \
    const result value = REAL(name)(s, &stop);                                                                         \
    number_read(s, stop, end);                                                                                         \
    return value;                                                                                                      \
  }
#define INTERCEPT_SIMPLE_NUMBER(result, name, by)                                                                      \
  INTERCEPT(result, name, (const char* s)) {                                                                           \
    char* stop = const_cast<char*>(s);                                                                                 \
    by(s, &stop);                                                                                                      \
    number_read(s, stop, nullptr);                                                                                     \
    return REAL(name)(s);                                                                                              \
  }

INTERCEPT_INTEGER(long, strtol)
INTERCEPT_INTEGER(unsigned long, strtoul)
INTERCEPT_INTEGER(long long, strtoll)
INTERCEPT_INTEGER(unsigned long long, strtoull)
INTERCEPT_INTEGER(std::intmax_t, strtoimax)
INTERCEPT_INTEGER(std::uintmax_t, strtoumax)
INTERCEPT_FLOAT(float, strtof)
INTERCEPT_FLOAT(double, strtod)
INTERCEPT_FLOAT(long double, strtold)

// Some headers inline these to strtol, others call them. They do not return where they stopped.
static void decimal(const char* s, char** stop) { REAL(strtol)(s, stop, 10); }
static void floating(const char* s, char** stop) { REAL(strtod)(s, stop); }
INTERCEPT_SIMPLE_NUMBER(int, atoi, decimal)
INTERCEPT_SIMPLE_NUMBER(long, atol, decimal)
INTERCEPT_SIMPLE_NUMBER(long long, atoll, decimal)
INTERCEPT_SIMPLE_NUMBER(double, atof, floating)

// --- wide strings --------------------------------------------------------------------------------

INTERCEPT(std::size_t, wcslen, (const wchar_t* s)) {
  const std::size_t length = REAL(wcslen)(s);
  reads(s, wide_bytes(length + 1));
  return length;
}
INTERCEPT(wchar_t*, wcscpy, (wchar_t * to, const wchar_t* from)) {
  copies(to, from, wide_bytes(REAL(wcslen)(from) + 1));
  return REAL(wcscpy)(to, from);
}
INTERCEPT(wchar_t*, wcsncpy, (wchar_t * to, const wchar_t* from, std::size_t limit)) {
  wchar_t* result = REAL(wcsncpy)(to, from, limit);
  writes(to, wide_bytes(limit));
  return result;
}
INTERCEPT(wchar_t*, wcscat, (wchar_t * to, const wchar_t* from)) {
  const std::size_t at = REAL(wcslen)(to);
  reads(to, wide_bytes(at + 1));
  copies(to + at, from, wide_bytes(REAL(wcslen)(from) + 1));
  return REAL(wcscat)(to, from);
}
INTERCEPT(int, wcscmp, (const wchar_t* a, const wchar_t* b)) {
  if (enter() != nullptr) {
    std::size_t i = 0;
    while (a[i] == b[i] && a[i] != 0) ++i;
    reads(a, wide_bytes(i + 1));
    reads(b, wide_bytes(i + 1));
  }
  return REAL(wcscmp)(a, b);
}
INTERCEPT(wchar_t*, wcsdup, (const wchar_t* s)) {
  const std::size_t bytes = wide_bytes(REAL(wcslen)(s) + 1);
  reads(s, bytes);
  wchar_t* copy = REAL(wcsdup)(s);
  writes(copy, bytes);
  return copy;
}
INTERCEPT(wchar_t*, wcschr, (const wchar_t* s, wchar_t c)) {
  wchar_t* found = REAL(wcschr)(s, c);
  reads(s, wide_bytes((found != nullptr ? static_cast<std::size_t>(found - s) : REAL(wcslen)(s)) + 1));
  return found;
}
INTERCEPT(wchar_t*, wmemcpy, (wchar_t * to, const wchar_t* from, std::size_t count)) {
  copies(to, from, wide_bytes(count));
  return REAL(wmemcpy)(to, from, count);
}
INTERCEPT(wchar_t*, wmemmove, (wchar_t * to, const wchar_t* from, std::size_t count)) {
  copies(to, from, wide_bytes(count));
  return REAL(wmemmove)(to, from, count);
}
INTERCEPT(wchar_t*, wmemset, (wchar_t * to, wchar_t c, std::size_t count)) {
  wchar_t* result = REAL(wmemset)(to, c, count);
  writes(to, wide_bytes(count));
  return result;
}
INTERCEPT(std::size_t, mbstowcs, (wchar_t * to, const char* from, std::size_t limit)) {
  const std::size_t count = REAL(mbstowcs)(to, from, limit);
  if (to != nullptr && count != ~std::size_t{0}) writes(to, wide_bytes(count < limit ? count + 1 : limit));
  return count;
}
INTERCEPT(std::size_t, wcstombs, (char* to, const wchar_t* from, std::size_t limit)) {
  const std::size_t count = REAL(wcstombs)(to, from, limit);
  if (to != nullptr && count != ~std::size_t{0}) writes(to, count < limit ? count + 1 : limit);
  return count;
}

// --- sorting -------------------------------------------------------------------------------------
// The comparison may be instrumented, and looks at elements that libc has moved since the array was
// read. So what a comparison finds in the array counts as written directly before it. bsearch needs
// nothing: only the comparison touches the array.

namespace {

using Comparison = int (*)(const void*, const void*, void*);

struct Sorting {
  const char* base;
  std::size_t count, bytes;
  Comparison compare;
  int (*compare_two)(const void*, const void*); // of qsort, in the place of `compare`
  void* argument;

  void moved(const void* element) const {
    const std::size_t offset = static_cast<std::size_t>(static_cast<const char*>(element) - base);
    if (bytes != 0 && offset / bytes < count) writes(element, bytes); // else it is in a copy of libc's
  }
};

int compare_moved(const void* a, const void* b, void* sorting) {
  const Sorting& s = *static_cast<const Sorting*>(sorting);
  s.moved(a);
  s.moved(b);
  return s.compare != nullptr ? s.compare(a, b, s.argument) : s.compare_two(a, b);
}

template <typename Sort>
void sort_recorded(Sorting sorting, Sort&& sort) {
  void* const base = const_cast<char*>(sorting.base);
  reads(base, sorting.count * sorting.bytes);
  sort(base, sorting.count, sorting.bytes, compare_moved, &sorting);
  writes(base, sorting.count * sorting.bytes);
}

} // namespace

INTERCEPT(void, qsort_r, (void* base, std::size_t count, std::size_t bytes, Comparison compare, void* argument)) {
  sort_recorded({static_cast<const char*>(base), count, bytes, compare, nullptr, argument}, REAL(qsort_r));
}
// In libc, it is qsort_r with a comparison that has no argument.
INTERCEPT(void, qsort, (void* base, std::size_t count, std::size_t bytes, int (*compare)(const void*, const void*))) {
  sort_recorded({static_cast<const char*>(base), count, bytes, nullptr, compare, nullptr}, REAL(qsort_r));
}
