// stdio: the caller's side of the stream's buffer. Reads of string arguments by printf and its
// relatives are not recorded; writes by sprintf are (format_calls.cc).
#include "capture/runtime/inputs/inputs.h"
#include "capture/runtime/interceptors/calls.h"

#include <cstdio>
#include <cwchar>

using namespace sooth::runtime;

INTERCEPT(std::size_t, fread, (void* buffer, std::size_t bytes, std::size_t count, std::FILE* stream)) {
  StreamInput news(stream);
  const std::size_t result = REAL(fread)(buffer, bytes, count, stream);
  news.over(buffer, result * bytes);
  receives();
  writes(buffer, result * bytes);
  return result;
}
INTERCEPT(std::size_t, fread_unlocked, (void* buffer, std::size_t bytes, std::size_t count, std::FILE* stream)) {
  StreamInput news(stream);
  const std::size_t result = REAL(fread_unlocked)(buffer, bytes, count, stream);
  news.over(buffer, result * bytes);
  receives();
  writes(buffer, result * bytes);
  return result;
}
INTERCEPT(std::size_t, __fread_chk,
          (void* buffer, std::size_t room, std::size_t bytes, std::size_t count, std::FILE* stream)) {
  StreamInput news(stream);
  const std::size_t result = REAL(__fread_chk)(buffer, room, bytes, count, stream);
  news.over(buffer, result * bytes);
  receives();
  writes(buffer, result * bytes);
  return result;
}
INTERCEPT(std::size_t, fwrite, (const void* buffer, std::size_t bytes, std::size_t count, std::FILE* stream)) {
  sends_to(stream, bytes * count);
  reads(buffer, bytes * count);
  return REAL(fwrite)(buffer, bytes, count, stream);
}
INTERCEPT(std::size_t, fwrite_unlocked, (const void* buffer, std::size_t bytes, std::size_t count, std::FILE* stream)) {
  sends_to(stream, bytes * count);
  reads(buffer, bytes * count);
  return REAL(fwrite_unlocked)(buffer, bytes, count, stream);
}

INTERCEPT(char*, fgets, (char* buffer, int bytes, std::FILE* stream)) {
  StreamInput news(stream);
  char* result = REAL(fgets)(buffer, bytes, stream);
  news.over(buffer, result != nullptr ? REAL(strlen)(result) : 0);
  receives();
  writes_string(result);
  return result;
}
INTERCEPT(char*, fgets_unlocked, (char* buffer, int bytes, std::FILE* stream)) {
  StreamInput news(stream);
  char* result = REAL(fgets_unlocked)(buffer, bytes, stream);
  news.over(buffer, result != nullptr ? REAL(strlen)(result) : 0);
  receives();
  writes_string(result);
  return result;
}
INTERCEPT(char*, __fgets_chk, (char* buffer, std::size_t room, int bytes, std::FILE* stream)) {
  StreamInput news(stream);
  char* result = REAL(__fgets_chk)(buffer, room, bytes, stream);
  news.over(buffer, result != nullptr ? REAL(strlen)(result) : 0);
  receives();
  writes_string(result);
  return result;
}
INTERCEPT(int, fputs, (const char* s, std::FILE* stream)) {
  sends_to(stream, REAL(strlen)(s));
  reads_string(s);
  return REAL(fputs)(s, stream);
}
INTERCEPT(int, fputs_unlocked, (const char* s, std::FILE* stream)) {
  sends_to(stream, REAL(strlen)(s));
  reads_string(s);
  return REAL(fputs_unlocked)(s, stream);
}
INTERCEPT(int, puts, (const char* s)) {
  reads_string(s);
  return REAL(puts)(s);
}
INTERCEPT(void, perror, (const char* s)) {
  if (s != nullptr) reads_string(s);
  REAL(perror)(s);
}

static ssize_t got_line(char** line, const std::size_t* room, ssize_t result) {
  receives();
  if (result < 0) return result;
  writes(line, sizeof *line);
  writes(room, sizeof *room);
  writes(*line, static_cast<std::size_t>(result) + 1);
  return result;
}
INTERCEPT(ssize_t, getline, (char** line, std::size_t* room, std::FILE* stream)) {
  StreamInput news(stream);
  const ssize_t result = REAL(getline)(line, room, stream);
  news.over(*line, result > 0 ? static_cast<std::size_t>(result) : 0);
  return got_line(line, room, result);
}
INTERCEPT(ssize_t, getdelim, (char** line, std::size_t* room, int stop, std::FILE* stream)) {
  StreamInput news(stream);
  const ssize_t result = REAL(getdelim)(line, room, stop, stream);
  news.over(*line, result > 0 ? static_cast<std::size_t>(result) : 0);
  return got_line(line, room, result);
}
INTERCEPT(ssize_t, __getdelim, (char** line, std::size_t* room, int stop, std::FILE* stream)) {
  StreamInput news(stream);
  const ssize_t result = REAL(__getdelim)(line, room, stop, stream);
  news.over(*line, result > 0 ? static_cast<std::size_t>(result) : 0);
  return got_line(line, room, result);
}

// Characters come one by one. Only a read past the stream's buffer can receive something new.
static bool needs_news(const std::FILE* stream) { return stream->_IO_read_ptr >= stream->_IO_read_end; }
#define INTERCEPT_CHARACTER(result, name)                                                                              \
  INTERCEPT(result, name, (std::FILE * stream)) {                                                                      \
    const bool news = needs_news(stream);                                                                              \
    StreamInput input(stream, news);                                                                                   \
    const result character = REAL(name)(stream);                                                                       \
    input.over();                                                                                                      \
    if (news) receives();                                                                                              \
    return character;                                                                                                  \
  }
INTERCEPT_CHARACTER(int, fgetc)
INTERCEPT_CHARACTER(int, getc)
INTERCEPT_CHARACTER(int, _IO_getc)
INTERCEPT_CHARACTER(int, getc_unlocked)
INTERCEPT_CHARACTER(int, fgetc_unlocked)
INTERCEPT_CHARACTER(int, __uflow)
INTERCEPT(int, getchar, ()) { return sooth_getc(stdin); }
INTERCEPT(int, getchar_unlocked, ()) { return sooth_getc_unlocked(stdin); }
INTERCEPT(std::wint_t, fgetwc, (std::FILE * stream)) {
  StreamInput news(stream);
  const std::wint_t character = REAL(fgetwc)(stream);
  news.over();
  receives();
  return character;
}
