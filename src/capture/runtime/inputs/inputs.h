// What the program gets from outside: files, pipes, sockets, time, random numbers, ids
// (replay/inputs.h, docs/replay.md).
//
// Question: what would this call have answered in the recorded run?
// Method: with `sooth record --inputs`, every intercepted call of this kind appends its result to
//   the trace. In a replay with inputs, the call gets the next recorded result of its thread. A
//   thread that asks for something else than recorded gets no more: then its calls are real.
// Real calls in a replay: reading from an open file moves its position, and empties a pipe between
//   two threads. So a read is made for real first, if it does not block; its result is replaced.
// Descriptors whose opening succeeded in the recorded run, and does not now, are stand-ins: an
//   empty file, or one end of a pair of sockets.
// Cost: one test of a byte for each call that is not recorded or fed; else a write to the trace.
#pragma once

#include <cstdio>

#include <sys/uio.h>

#include "capture/runtime/interceptors/real.h"
#include "replay/inputs.h"

namespace sooth::runtime {

using replay::InputCall;
using replay::InputRow;

enum class Inputs : std::uint8_t { Off, Recorded, Fed };
extern Inputs g_inputs; // set before the first hook runs; a child of a fork may turn it off
inline bool has_inputs() { return __builtin_expect(g_inputs != Inputs::Off, 0); }

// What a call that succeeds fills in.
struct Part {
  const void* memory;
  std::size_t bytes; // there is room for; of a vector: its number of pieces
  std::size_t unit;  // 0: all of it is filled in. Else `result * unit` bytes are, over all such parts
  bool is_vector;    // memory is an iovec
};
inline Part whole(const void* memory, std::size_t bytes) { return {memory, memory != nullptr ? bytes : 0, 0, false}; }
template <typename Structure>
Part whole(const Structure* p) {
  return whole(p, sizeof *p);
}
inline Part counted(const void* memory, std::size_t bytes, std::size_t unit = 1) {
  return {memory, memory != nullptr ? bytes : 0, unit, false};
}
inline Part counted_vector(const iovec* parts, int count) {
  return {parts, count > 0 ? static_cast<std::size_t>(count) : 0, 1, true};
}

// The recorded run's side.
// Nothing inside of another input.
void note_input(Thread* t, InputCall call, long result, const Part* parts, std::size_t count);
// A thread is announced: the recorded run's side, and the replay's.
void input_thread(Thread* t, std::uint32_t child);

// The replay's side. Null: the thread gets no (more) recorded input, and makes the real call.
const InputRow* next_input(Thread* t, InputCall call);
// Fills the parts in; sets errno. Returns the result.
long give_input(const InputRow& row, const Part* parts, std::size_t count);
// The file can be read for real without waiting.
bool is_readable_now(int file);
// The descriptor stands in for one that could not be opened.
bool stands_in(int file);
// The descriptor for a recorded opening: the real one, or one that stands in. `real`: -1 if the
// opening failed, or was not tried.
int opened_as_recorded(const InputRow& row, int real);
// The same for a stream.
std::FILE* stream_as_recorded(const InputRow& row, std::FILE* real, const char* mode);
void note_opened(Thread* t, int file);
void replace_by_stand_in(int file);
// At the start: the program inherits the same descriptors, so that later ones get the same numbers.
void inherit_files(Thread* t);
// A connection is made for real only if the program itself listens.
void note_listening();
bool listens();
// An id that the program was told, as the kernel knows it in this run.
int real_id(int told);
void told_id(int told, int real);

// A call that fills in `parts`. `file`: it is read for real as well, if it does not block; -1: the
// real call has no effect that anybody needs.
template <typename Real, typename... Parts>
auto input(InputCall call, int file, const Real& real, const Parts&... parts) -> decltype(real()) {
  if (!has_inputs()) return real();
  Thread* t = enter();
  if (t == nullptr) return real();
  const Part list[] = {parts..., Part{}};
  if (g_inputs == Inputs::Recorded) {
    const auto result = real();
    note_input(t, call, static_cast<long>(result), list, sizeof...(parts));
    return result;
  }
  const InputRow* row = next_input(t, call);
  if (row == nullptr) return real();
  if (file >= 0 && is_readable_now(file)) real();
  return static_cast<decltype(real())>(give_input(*row, list, sizeof...(parts)));
}

// A call that writes to a file. It is real, unless the descriptor stands in.
template <typename Real>
auto output(int file, const Real& real) -> decltype(real()) {
  if (!has_inputs()) return real();
  Thread* t = enter();
  if (t == nullptr) return real();
  if (g_inputs == Inputs::Recorded) {
    const auto result = real();
    note_input(t, InputCall::Write, static_cast<long>(result), nullptr, 0);
    return result;
  }
  const InputRow* row = next_input(t, InputCall::Write);
  if (row == nullptr || !stands_in(file)) return real();
  return static_cast<decltype(real())>(give_input(*row, nullptr, 0));
}

// A call that opens a file, and one that accepts a connection: `accepts`, by the socket `from`.
template <typename Real, typename... Parts>
int opening(const Real& real, int from = -1, const Parts&... parts) {
  if (!has_inputs()) return real();
  Thread* t = enter();
  if (t == nullptr) return real();
  const Part list[] = {parts..., Part{}};
  if (g_inputs == Inputs::Recorded) {
    const int result = real();
    note_opened(t, result);
    if (from >= 0) note_input(t, InputCall::Look, result, list, sizeof...(parts));
    return result;
  }
  const InputRow* row = next_input(t, InputCall::Open);
  if (row == nullptr) return real();
  const int result = opened_as_recorded(*row, from < 0 || is_readable_now(from) ? real() : -1);
  if (from < 0) return result;
  const InputRow* address = next_input(t, InputCall::Look);
  if (address != nullptr) give_input(*address, list, sizeof...(parts));
  return result;
}

// The stream's own file, beneath a call of stdio.
class StreamInput {
public:
  explicit StreamInput(std::FILE* stream, bool reads = true);
  // The call is over: it took `bytes` at `taken` out of the stream, as far as the caller knows.
  void over(const void* taken, std::size_t bytes);
  void over() { over(nullptr, 0); }

private:
  void feed();
  Thread* thread_ = nullptr; // null: nothing to do
  std::FILE* stream_ = nullptr;
  long offset_ = -1;              // of the file, before
  std::size_t buffered_ = 0;      // bytes that the stream still had ...
  const char* pointer_ = nullptr; // ... from here to `end_`
  const char* end_ = nullptr;
};

} // namespace sooth::runtime
