// What a program got from outside, as bytes: recorded by `sooth record --inputs`, fed back by
// `sooth replay`. The contract between the runtime, which writes and gets the rows, and the tool,
// which carries them from the trace into the schedule.
//
//     trace:     a chunk of type Inputs for each row, with the number of its thread
//     schedule:  header | threads | steps | InputThread[input_threads] | rows, thread by thread
//
// A row is the result of one call of one thread: result, errno, and the bytes that the call filled
// in. A thread gets its rows in their order. So a thread that makes the same calls gets the same
// answers, in whatever order the threads run.
//
// Plain C++ without a library: the runtime includes this file.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sooth::replay {

// What a call asks for. One name stands for all calls that answer the same question.
enum class InputCall : std::uint32_t {
  None,
  Fork,     // no input: the thread creates thread `result`
  Open,     // open, fopen, accept, connect: bytes are an OpenedFile
  Read,     // read, recv, and their relatives
  Stream,   // a call of stdio that may read: bytes are a StreamNews and what the stream read
  Write,    // write, send: only the result
  Poll,     // poll, select, epoll_wait
  Look,     // stat, access, getsockopt: what is known of a file or a socket
  Time,     // clock_gettime, gettimeofday, time
  Random,   // getrandom, getentropy, arc4random, std::random_device
  Identity, // getpid, getppid, gettid
  Inherited // at the start: a bit for each of the first kInheritedFiles descriptors that is open
};
inline constexpr std::uint32_t kInputCalls = 12;
inline constexpr int kInheritedFiles = 512;
inline const char* name_of(InputCall call) {
  constexpr const char* kNames[kInputCalls] = {
      "nothing", "a new thread",     "an open file", "a read",          "a read of a stream",     "a write",
      "a poll",  "a look at a file", "the time",     "a random number", "a process or thread id", "its open files"};
  return kNames[static_cast<std::uint32_t>(call) < kInputCalls ? static_cast<std::uint32_t>(call) : 0];
}

struct InputRow { // its bytes follow, padded to a multiple of 8
  InputCall call;
  std::int32_t error; // errno, if the call failed
  std::int64_t result;
  std::uint64_t bytes;
};
static_assert(sizeof(InputRow) == 24);

struct OpenedFile {
  std::uint64_t size;
  std::int64_t changed_ns; // st_mtim
  std::uint32_t kind;      // st_mode & S_IFMT
  std::uint32_t flags;     // of F_GETFL
};

struct StreamNews {
  std::uint64_t offset; // of the bytes in the file; ~0: it has no places, and the bytes follow those before
  std::uint64_t size;   // of the file
};

// A thread of the recorded run.
struct InputThread {
  std::uint32_t parent;  // row; the first thread is its own
  std::uint32_t ordinal; // the parent's so many-th creation of a thread, from 1
  std::uint64_t begin;   // of its rows, from the first row of all
  std::uint64_t bytes;
};

inline constexpr std::uint64_t padded(std::uint64_t bytes) { return (bytes + 7) / 8 * 8; }

} // namespace sooth::replay
