// The recorded run: results of calls become rows of the trace.
#include "capture/runtime/inputs/inputs.h"

#include <errno.h>
#include <sys/stat.h>

#include "capture/runtime/os.h"
#include "capture/runtime/recording/file.h"
#include "capture/runtime/thread.h"

namespace sooth::runtime {

Inputs g_inputs = Inputs::Off;

namespace {

// The bytes that the call filled in: as many as `copy` is called for.
template <typename F>
std::uint64_t each_filled(long result, const Part* parts, std::size_t count, F&& copy) {
  std::uint64_t all = 0;
  const auto take = [&](const void* memory, std::uint64_t bytes) {
    copy(memory, bytes);
    all += bytes;
  };
  if (result < 0) return 0;
  const auto units = static_cast<std::uint64_t>(result);
  for (std::size_t i = 0; i < count; ++i) {
    const Part& part = parts[i];
    if (part.unit == 0) {
      take(part.memory, part.bytes);
      continue;
    }
    std::uint64_t bytes = units * part.unit;
    if (!part.is_vector) {
      take(part.memory, bytes < part.bytes ? bytes : part.bytes);
      continue;
    }
    const auto* pieces = static_cast<const iovec*>(part.memory);
    for (std::size_t k = 0; k < part.bytes && bytes != 0; ++k) {
      const std::uint64_t here = pieces[k].iov_len < bytes ? pieces[k].iov_len : bytes;
      take(pieces[k].iov_base, here);
      bytes -= here;
    }
  }
  return all;
}

} // namespace

void note_input(Thread* t, InputCall call, long result, const Part* parts, std::size_t count) {
  if (t->in_input) return;
  const int error = errno;
  const Quiet quiet;
  const std::uint64_t bytes = each_filled(result, parts, count, [](const void*, std::uint64_t) {});
  const std::uint64_t room = sizeof(InputRow) + replay::padded(bytes);
  alignas(8) std::uint8_t small[512];
  auto* body = room <= sizeof small ? small : static_cast<std::uint8_t*>(os::pages(room));
  if (body != nullptr) {
    const InputRow row = {call, result < 0 ? error : 0, result, bytes};
    os::copy(body, &row, sizeof row);
    std::uint8_t* at = body + sizeof row;
    each_filled(result, parts, count, [&](const void* memory, std::uint64_t here) {
      os::copy(at, memory, here);
      at += here;
    });
    os::zero(at, replay::padded(bytes) - bytes);
    write_chunk(trace::ChunkType::Inputs, body, room, room, t->number, 1, t->inputs++);
    if (body != small) os::give_back(body, room);
  } else {
    ++t->inputs; // the reader sees the gap
    runtime::count(Defect::WriteErrors);
  }
  errno = error;
}

long give_input(const InputRow& row, const Part* parts, std::size_t count) {
  const auto* at = reinterpret_cast<const std::uint8_t*>(&row + 1);
  std::uint64_t left = row.bytes;
  each_filled(row.result, parts, count, [&](const void* memory, std::uint64_t bytes) {
    const std::uint64_t here = bytes < left ? bytes : left;
    os::copy(const_cast<void*>(memory), at, here);
    at += here;
    left -= here;
  });
  if (row.result < 0) errno = row.error;
  return row.result;
}

void note_opened(Thread* t, int file) {
  const int error = errno;
  replay::OpenedFile opened = {};
  struct stat info = {};
  if (file >= 0 && !os::failed(os::call(SYS_fstat, file, reinterpret_cast<long>(&info)))) {
    opened.size = static_cast<std::uint64_t>(info.st_size);
    opened.changed_ns = info.st_mtim.tv_sec * 1'000'000'000L + info.st_mtim.tv_nsec;
    opened.kind = info.st_mode & S_IFMT;
    opened.flags = static_cast<std::uint32_t>(os::call(SYS_fcntl, file, F_GETFL));
  }
  errno = error;
  const Part part = whole(&opened);
  note_input(t, InputCall::Open, file, &part, 1);
}

} // namespace sooth::runtime
