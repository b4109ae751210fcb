// The last values of bytes, and what they say about the order of plain accesses.
//
//     T1 load x                the value 0
//     T2 hook, then store x=1
//     T1 hook of the load      by the hooks, T1 reads after T2's write. The value 0 shows that T1's
//                              read was overtaken: it belongs before the write
//
// Hooks of plain writes run before the store, and hooks of reads after the load. So no thread sees
// a value before its hook ran. But a read may be overtaken, as above. `judge_read` detects that.
//
// A store is *under way* from its hook to the thread's next hook; the thread says so itself
// (ThreadState::storing). For each line: if a store into it is under way, then by the thread
// `Line::writer`, or `writer` is kMany.
//
// Everything here is for a thread that holds the lines.
#pragma once

#include "capture/runtime/observing/shadow.h"

namespace sooth::runtime::observing {

enum class Seen : std::uint8_t {
  Fits,      // the bytes are the last that were written, or nothing was known of them
  External,  // no thread that Sooth follows wrote them
  Overtaken, // the read happened before a write whose hook ran first
  Unordered, // two writes of these bytes may have happened in another order than their hooks
};

// Whether the bytes that a read saw fit. Its only effect: it clears suspicions that proved wrong.
Seen judge_read(ThreadState& self, const Lines& lines, std::uint64_t address, const std::uint8_t* bytes,
                std::uint64_t size);
// Sets the bytes' values from now on.
void shadow_values(const Lines& lines, std::uint64_t address, const std::uint8_t* bytes, std::uint64_t size);
void shadow_fill(const Lines& lines, std::uint64_t address, std::uint8_t byte, std::uint64_t size);

// Whether several threads have accessed some of these lines.
bool is_shared(const ThreadState& self, const Lines& lines);

// Whether another thread's store into these bytes of the line is under way.
bool writer_stores(const ThreadState& self, const Line& line, std::uint64_t address, std::uint64_t size);
inline bool others_store(const ThreadState& self, const Line& line, std::uint64_t address, std::uint64_t size) {
  return line.writer != 0 && line.writer != mark_of(self) && writer_stores(self, line, address, size);
}
inline bool others_store(const ThreadState& self, const Part& part) { // into any bytes of its line
  return others_store(self, *part.line, part.address - part.first, kLineBytes);
}
// Whether another thread's store into these bytes is under way. Then this thread's write should
// wait.
bool has_rival(ThreadState& self, const Lines& lines);
// It did not wait any more: it is unknown which store comes last.
void contest(ThreadState& self, const Lines& lines);
// The thread is about to make this store, of which the lines have a part. Call it after the rivals
// are done.
struct Store {
  std::uint64_t address;
  std::uint64_t size;
};
void begin_store(ThreadState& self, const Lines& lines, const Store& store);

} // namespace sooth::runtime::observing
