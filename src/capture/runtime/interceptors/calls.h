// Short forms for the interceptors of libc calls that touch the caller's memory.
//
// Reads are recorded before the call, while the contents are there. Writes are recorded after it,
// or before it where the outcome is known beforehand (record.h). Every caller is recorded,
// instrumented or not.
#pragma once

#include <cstdio>

#include "capture/runtime/interceptors/real.h"

USE_REAL(std::size_t, strlen, (const char*));
USE_REAL(std::size_t, strnlen, (const char*, std::size_t));

namespace sooth::runtime {

inline void reads(const void* p, std::size_t bytes) {
  if (Thread* t = enter(); t != nullptr && bytes != 0) read_range(t, p, bytes);
}
inline void writes(const void* p, std::size_t bytes) {
  if (Thread* t = enter(); t != nullptr && bytes != 0 && p != nullptr) write_range(t, p, bytes);
}
inline void copies(const void* to, const void* from, std::size_t bytes) {
  if (Thread* t = enter(); t != nullptr && bytes != 0) copy_range(t, to, from, bytes);
}
inline void fills(const void* to, int byte, std::size_t bytes) {
  if (Thread* t = enter(); t != nullptr && bytes != 0) fill_range(t, to, static_cast<std::uint8_t>(byte), bytes);
}

// Input came from outside the program, or did not come; output goes out.
inline void receives() {
  if (Thread* t = enter()) sync(t, EventKind::Receive, nullptr);
}
inline void sends() {
  if (Thread* t = enter()) sync(t, EventKind::Send, nullptr);
}

// Before a call that changes which signals may come, or what they do.
inline void changes_signals() {
  if (Thread* t = enter()) sync(t, EventKind::SignalChange, nullptr);
}

// A call that needs the descriptor to be open, and one that closes it. The standard streams stay
// open; who closes them knows why.
inline void uses_file(int file) {
  if (file <= 2) return;
  if (Thread* t = enter()) mark(t, EventKind::FdUse, pointer(static_cast<std::uint64_t>(file) + 1));
}
inline void closes_file(int file) {
  if (file <= 2) return;
  if (Thread* t = enter()) mark(t, EventKind::FdClose, pointer(static_cast<std::uint64_t>(file) + 1));
}

// Output to a stream may be the input that another thread waits for: at the other end of a pipe
// (fdopen), or in a file. The program does not read its own standard output. Output that finds room
// in the stream's buffer goes nowhere yet. Streams that are buffered by lines, or not at all, never
// have room.
inline void sends_to(const std::FILE* stream, std::size_t bytes = ~std::size_t{0}) {
  if (stream == stdout || stream == stderr) return;
  const bool has_room = stream != nullptr && stream->_IO_write_ptr < stream->_IO_write_end &&
                        bytes < static_cast<std::size_t>(stream->_IO_write_end - stream->_IO_write_ptr);
  if (!has_room) sends();
}

// With the terminating zero.
inline std::size_t string_bytes(const char* s) { return REAL(strlen)(s) + 1; }
// The bytes read by a function that stops at the terminating zero or after `limit` bytes.
inline std::size_t string_bytes(const char* s, std::size_t limit) {
  const std::size_t length = REAL(strnlen)(s, limit);
  return length < limit ? length + 1 : limit;
}
inline void reads_string(const char* s) {
  if (Thread* t = enter()) read_range(t, s, string_bytes(s));
}
inline void writes_string(const char* s) {
  if (Thread* t = enter(); t != nullptr && s != nullptr) write_range(t, s, string_bytes(s));
}
inline std::size_t smaller(std::size_t a, std::size_t b) { return a < b ? a : b; }

} // namespace sooth::runtime
