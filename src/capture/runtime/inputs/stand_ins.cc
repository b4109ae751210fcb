// Descriptors in a replay: real ones, and those that stand in for what is not there any more.
#include "capture/runtime/inputs/inputs.h"

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "capture/runtime/inputs/descriptors.h"
#include "capture/runtime/os.h"

namespace sooth::runtime {

Descriptors g_stand_ins, g_replaced;

namespace {

bool g_listens;

long descriptor_flags(int file) { return os::call(SYS_fcntl, file, F_GETFD); }

// Moves the descriptor to the number that it had in the recorded run, if that is free.
int as_numbered(int file, long wanted) {
  if (file < 0 || file == wanted || wanted < 0 || wanted > 1 << 20 ||
      !os::failed(descriptor_flags(static_cast<int>(wanted))))
    return file;
  const long moved = os::call(SYS_dup3, file, wanted, (descriptor_flags(file) & FD_CLOEXEC) != 0 ? O_CLOEXEC : 0);
  if (os::failed(moved)) return file;
  os::call(SYS_close, file);
  return static_cast<int>(moved);
}

// One end of a pair; the other one stays open, out of the program's way.
int stand_in_socket() {
  int ends[2];
  if (os::failed(os::call(SYS_socketpair, AF_UNIX, SOCK_STREAM, 0, reinterpret_cast<long>(ends)))) return -1;
  os::call(SYS_fcntl, ends[1], F_DUPFD_CLOEXEC, 800);
  os::call(SYS_close, ends[1]);
  return ends[0];
}

int stand_in_file(std::uint64_t size) {
  const long file = os::call(SYS_memfd_create, reinterpret_cast<long>("input"), 0);
  if (os::failed(file)) return -1;
  os::call(SYS_ftruncate, file, static_cast<long>(size));
  return static_cast<int>(file);
}

bool is_unchanged(int file, const replay::OpenedFile& recorded) {
  struct stat info = {};
  return !os::failed(os::call(SYS_fstat, file, reinterpret_cast<long>(&info))) &&
         static_cast<std::uint64_t>(info.st_size) == recorded.size &&
         info.st_mtim.tv_sec * 1'000'000'000L + info.st_mtim.tv_nsec == recorded.changed_ns;
}

replay::OpenedFile opened_file(const InputRow& row) {
  replay::OpenedFile out = {};
  if (row.bytes >= sizeof out) os::copy(&out, &row + 1, sizeof out);
  return out;
}

} // namespace

int opened_as_recorded(const InputRow& row, int real) {
  if (row.result < 0) {
    if (real >= 0) os::call(SYS_close, real);
    errno = row.error;
    return -1;
  }
  const replay::OpenedFile recorded = opened_file(row);
  const bool is_file = recorded.kind == S_IFREG, only_read = (recorded.flags & O_ACCMODE) == O_RDONLY;
  if (real >= 0 && is_file && only_read && !is_unchanged(real, recorded)) {
    os::call(SYS_close, real);
    real = -1;
  }
  const bool stands = real < 0;
  if (stands) real = is_file ? stand_in_file(recorded.size) : stand_in_socket();
  const int out = as_numbered(real, row.result);
  g_stand_ins.set(out, stands && !is_file);
  g_replaced.set(out, false);
  return out;
}

bool stands_in(int file) { return g_stand_ins.has(file); }

bool is_readable_now(int file) {
  if (stands_in(file)) return false;
  pollfd wanted = {file, POLLIN, 0};
  return os::call(SYS_poll, reinterpret_cast<long>(&wanted), 1, 0) == 1 && (wanted.revents & (POLLIN | POLLHUP)) != 0;
}

void inherit_files(Thread* t) {
  std::uint64_t open[replay::kInheritedFiles / 64] = {};
  const auto has = [&](int file) { return (open[file / 64] >> (file % 64) & 1) != 0; };
  if (g_inputs == Inputs::Recorded) {
    for (int file = 0; file < replay::kInheritedFiles; ++file)
      if (!os::failed(descriptor_flags(file))) open[file / 64] |= std::uint64_t{1} << (file % 64);
    const Part part = whole(open, sizeof open);
    return note_input(t, InputCall::Inherited, 0, &part, 1);
  }
  const InputRow* row = next_input(t, InputCall::Inherited);
  if (row == nullptr || row->bytes != sizeof open) return;
  os::copy(open, row + 1, sizeof open);
  for (int file = 3; file < replay::kInheritedFiles; ++file) { // who replays chooses the standard streams
    const bool is_open = !os::failed(descriptor_flags(file));
    if (is_open && !has(file)) os::call(SYS_close, file);
    if (is_open || !has(file)) continue;
    const long nothing = os::call(SYS_openat, AT_FDCWD, reinterpret_cast<long>("/dev/null"), O_RDWR);
    if (!os::failed(nothing)) as_numbered(static_cast<int>(nothing), file);
  }
}

void note_listening() { g_listens = true; }
bool listens() { return g_listens; }

void replace_by_stand_in(int file) {
  const int other = stand_in_socket();
  if (other < 0) return;
  os::call(SYS_dup3, other, file, (descriptor_flags(file) & FD_CLOEXEC) != 0 ? O_CLOEXEC : 0);
  os::call(SYS_close, other);
  g_stand_ins.set(file, true);
}

} // namespace sooth::runtime
