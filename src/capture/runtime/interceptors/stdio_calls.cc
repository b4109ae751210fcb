// stdio: the caller's side of the stream's buffer. What printf and its relatives read of their string arguments is not
// recorded; what sprintf writes is (format_calls.cc).
#include "capture/runtime/interceptors/calls.h"

#include <cstdio>
#include <cwchar>

using namespace sooth::runtime;

INTERCEPT(std::size_t, fread, (void* buffer, std::size_t bytes, std::size_t count, std::FILE* stream)) {
  const std::size_t result = REAL(fread)(buffer, bytes, count, stream);
  writes(buffer, result * bytes);
  return result;
}
INTERCEPT(std::size_t, fread_unlocked, (void* buffer, std::size_t bytes, std::size_t count, std::FILE* stream)) {
  const std::size_t result = REAL(fread_unlocked)(buffer, bytes, count, stream);
  writes(buffer, result * bytes);
  return result;
}
INTERCEPT(std::size_t, __fread_chk,
          (void* buffer, std::size_t room, std::size_t bytes, std::size_t count, std::FILE* stream)) {
  const std::size_t result = REAL(__fread_chk)(buffer, room, bytes, count, stream);
  writes(buffer, result * bytes);
  return result;
}
INTERCEPT(std::size_t, fwrite, (const void* buffer, std::size_t bytes, std::size_t count, std::FILE* stream)) {
  reads(buffer, bytes * count);
  return REAL(fwrite)(buffer, bytes, count, stream);
}
INTERCEPT(std::size_t, fwrite_unlocked, (const void* buffer, std::size_t bytes, std::size_t count, std::FILE* stream)) {
  reads(buffer, bytes * count);
  return REAL(fwrite_unlocked)(buffer, bytes, count, stream);
}

INTERCEPT(char*, fgets, (char* buffer, int bytes, std::FILE* stream)) {
  char* result = REAL(fgets)(buffer, bytes, stream);
  writes_string(result);
  return result;
}
INTERCEPT(char*, fgets_unlocked, (char* buffer, int bytes, std::FILE* stream)) {
  char* result = REAL(fgets_unlocked)(buffer, bytes, stream);
  writes_string(result);
  return result;
}
INTERCEPT(char*, __fgets_chk, (char* buffer, std::size_t room, int bytes, std::FILE* stream)) {
  char* result = REAL(__fgets_chk)(buffer, room, bytes, stream);
  writes_string(result);
  return result;
}
INTERCEPT(int, fputs, (const char* s, std::FILE* stream)) {
  reads_string(s);
  return REAL(fputs)(s, stream);
}
INTERCEPT(int, fputs_unlocked, (const char* s, std::FILE* stream)) {
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
  if (result < 0) return result;
  writes(line, sizeof *line);
  writes(room, sizeof *room);
  writes(*line, static_cast<std::size_t>(result) + 1);
  return result;
}
INTERCEPT(ssize_t, getline, (char** line, std::size_t* room, std::FILE* stream)) {
  return got_line(line, room, REAL(getline)(line, room, stream));
}
INTERCEPT(ssize_t, getdelim, (char** line, std::size_t* room, int stop, std::FILE* stream)) {
  return got_line(line, room, REAL(getdelim)(line, room, stop, stream));
}
INTERCEPT(ssize_t, __getdelim, (char** line, std::size_t* room, int stop, std::FILE* stream)) {
  return got_line(line, room, REAL(__getdelim)(line, room, stop, stream));
}
