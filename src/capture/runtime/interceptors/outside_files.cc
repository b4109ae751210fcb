// Files as messages. A thread can learn what another one has done from a file: whether it exists,
// is locked, or is open at its other end.
//
// A call whose outcome depends on that is a `receive`. A call whose effect others may see is a
// `send` (docs/trace_format.md, "The world outside"). Many calls are both: mkdir of a folder that
// serves as a lock.
#include "capture/runtime/inputs/inputs.h"
#include "capture/runtime/interceptors/calls.h"

#include <cerrno>
#include <cstdio>
#include <dirent.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

USE_REAL(int, fcntl, (int, int, void*));

using namespace sooth::runtime;

namespace {

template <typename Call>
auto exchanged(const Call& call) {
  sends();
  const auto result = call();
  receives();
  return result;
}

template <typename Call>
std::FILE* opened_stream(const char* mode, const Call& call) {
  Thread* t = has_inputs() ? enter() : nullptr;
  if (t == nullptr) return call();
  const InputRow* row = g_inputs == Inputs::Fed ? next_input(t, InputCall::Open) : nullptr;
  std::FILE* stream = call();
  if (row != nullptr) return stream_as_recorded(*row, stream, mode);
  if (g_inputs == Inputs::Recorded) note_opened(t, stream != nullptr ? stream->_fileno : -1);
  return stream;
}

int connected(int socket, const sockaddr* to, socklen_t length);

} // namespace

// --- opening -------------------------------------------------------------------------------------
// The mode is variadic in the header. If it was left out, it holds the register's contents, and is
// ignored.

INTERCEPT(int, open, (const char* path, int flags, mode_t mode)) {
  return exchanged([&] { return opening([&] { return REAL(open)(path, flags, mode); }); });
}
INTERCEPT(int, open64, (const char* path, int flags, mode_t mode)) {
  return exchanged([&] { return opening([&] { return REAL(open64)(path, flags, mode); }); });
}
INTERCEPT(int, openat, (int folder, const char* path, int flags, mode_t mode)) {
  return exchanged([&] { return opening([&] { return REAL(openat)(folder, path, flags, mode); }); });
}
INTERCEPT(int, openat64, (int folder, const char* path, int flags, mode_t mode)) {
  return exchanged([&] { return opening([&] { return REAL(openat64)(folder, path, flags, mode); }); });
}
INTERCEPT(int, __open_2, (const char* path, int flags)) {
  return exchanged([&] { return opening([&] { return REAL(__open_2)(path, flags); }); });
}
INTERCEPT(int, __open64_2, (const char* path, int flags)) {
  return exchanged([&] { return opening([&] { return REAL(__open64_2)(path, flags); }); });
}
INTERCEPT(int, creat, (const char* path, mode_t mode)) {
  return exchanged([&] { return opening([&] { return REAL(creat)(path, mode); }); });
}
INTERCEPT(int, creat64, (const char* path, mode_t mode)) {
  return exchanged([&] { return opening([&] { return REAL(creat64)(path, mode); }); });
}
INTERCEPT_VERSION(std::FILE*, fopen, "GLIBC_2.2.5", (const char* path, const char* mode)) {
  return exchanged([&] { return opened_stream(mode, [&] { return REAL(fopen)(path, mode); }); });
}
INTERCEPT(std::FILE*, fopen64, (const char* path, const char* mode)) {
  return exchanged([&] { return opened_stream(mode, [&] { return REAL(fopen64)(path, mode); }); });
}
INTERCEPT(std::FILE*, freopen, (const char* path, const char* mode, std::FILE* stream)) {
  if (stream != nullptr) closes_file(stream->_fileno);
  return exchanged([&] { return REAL(freopen)(path, mode, stream); });
}
INTERCEPT(std::FILE*, freopen64, (const char* path, const char* mode, std::FILE* stream)) {
  if (stream != nullptr) closes_file(stream->_fileno);
  return exchanged([&] { return REAL(freopen64)(path, mode, stream); });
}
INTERCEPT(int, shm_open, (const char* name, int flags, mode_t mode)) {
  return exchanged([&] { return opening([&] { return REAL(shm_open)(name, flags, mode); }); });
}
INTERCEPT(int, connect, (int socket, const sockaddr* to, socklen_t length)) {
  const int result = exchanged([&] { return connected(socket, to, length); });
  if (result == 0) reads(to, length);
  return result;
}

namespace {

// In a replay, a server outside of the program need not be there; and it should not hear of it.
int connected(int socket, const sockaddr* to, socklen_t length) {
  const auto call = [&] { return REAL(connect)(socket, to, length); };
  Thread* t = has_inputs() ? enter() : nullptr;
  if (t == nullptr) return call();
  if (g_inputs == Inputs::Recorded) {
    const int result = call();
    note_input(t, InputCall::Open, result, nullptr, 0);
    return result;
  }
  const InputRow* row = next_input(t, InputCall::Open);
  if (row == nullptr) return call();
  const bool succeeds = row->result == 0 || row->error == EINPROGRESS;
  if (succeeds && (!listens() || (call() != 0 && errno != EINPROGRESS))) replace_by_stand_in(socket);
  return static_cast<int>(give_input(*row, nullptr, 0));
}

} // namespace

// The other end of a pipe or a connection may wait for the close. What was received before only
// stays before that, not before the call.
INTERCEPT(int, close, (int file)) {
  closes_file(file);
  sends();
  return REAL(close)(file);
}
INTERCEPT(int, closedir, (DIR * folder)) {
  if (folder != nullptr) closes_file(dirfd(folder));
  return REAL(closedir)(folder);
}
INTERCEPT(int, close_range, (unsigned first, unsigned last, int flags)) {
  constexpr unsigned kMost = 1024; // descriptors that are looked at
  const int error = errno;
  for (unsigned file = first; file <= last && file < kMost; ++file)
    if (REAL(fcntl)(static_cast<int>(file), F_GETFD, nullptr) >= 0) closes_file(static_cast<int>(file));
  errno = error;
  return REAL(close_range)(first, last, flags);
}
INTERCEPT(int, shutdown, (int socket, int how)) {
  sends();
  return REAL(shutdown)(socket, how);
}
INTERCEPT(int, listen, (int socket, int most)) {
  sends();
  note_listening();
  return REAL(listen)(socket, most);
}
INTERCEPT(int, ftruncate, (int file, off_t bytes)) {
  sends();
  return REAL(ftruncate)(file, bytes);
}
INTERCEPT(int, ftruncate64, (int file, off64_t bytes)) {
  sends();
  return REAL(ftruncate64)(file, bytes);
}
INTERCEPT(int, mkfifo, (const char* path, mode_t mode)) {
  return exchanged([&] { return REAL(mkfifo)(path, mode); });
}

// --- names ---------------------------------------------------------------------------------------

INTERCEPT(int, access, (const char* path, int mode)) {
  return exchanged([&] { return input(InputCall::Look, -1, [&] { return REAL(access)(path, mode); }); });
}
INTERCEPT(int, faccessat, (int folder, const char* path, int mode, int flags)) {
  return exchanged(
      [&] { return input(InputCall::Look, -1, [&] { return REAL(faccessat)(folder, path, mode, flags); }); });
}
INTERCEPT(int, mkdir, (const char* path, mode_t mode)) {
  return exchanged([&] { return REAL(mkdir)(path, mode); });
}
INTERCEPT(int, mkdirat, (int folder, const char* path, mode_t mode)) {
  return exchanged([&] { return REAL(mkdirat)(folder, path, mode); });
}
INTERCEPT(int, rmdir, (const char* path)) {
  return exchanged([&] { return REAL(rmdir)(path); });
}
INTERCEPT(int, unlink, (const char* path)) {
  return exchanged([&] { return REAL(unlink)(path); });
}
INTERCEPT(int, unlinkat, (int folder, const char* path, int flags)) {
  return exchanged([&] { return REAL(unlinkat)(folder, path, flags); });
}
INTERCEPT(int, remove, (const char* path)) {
  return exchanged([&] { return REAL(remove)(path); });
}
INTERCEPT(int, rename, (const char* from, const char* to)) {
  return exchanged([&] { return REAL(rename)(from, to); });
}
INTERCEPT(int, renameat, (int old_folder, const char* from, int folder, const char* to)) {
  return exchanged([&] { return REAL(renameat)(old_folder, from, folder, to); });
}
INTERCEPT(int, renameat2, (int old_folder, const char* from, int folder, const char* to, unsigned flags)) {
  return exchanged([&] { return REAL(renameat2)(old_folder, from, folder, to, flags); });
}
INTERCEPT(int, link, (const char* from, const char* to)) {
  return exchanged([&] { return REAL(link)(from, to); });
}
INTERCEPT(int, linkat, (int old_folder, const char* from, int folder, const char* to, int flags)) {
  return exchanged([&] { return REAL(linkat)(old_folder, from, folder, to, flags); });
}
INTERCEPT(int, symlink, (const char* target, const char* path)) {
  return exchanged([&] { return REAL(symlink)(target, path); });
}
INTERCEPT(int, symlinkat, (const char* target, int folder, const char* path)) {
  return exchanged([&] { return REAL(symlinkat)(target, folder, path); });
}
// The contents of a folder are looked up now and then. The entry itself is libc's.
INTERCEPT(dirent*, readdir, (DIR * folder)) {
  return exchanged([&] { return REAL(readdir)(folder); });
}
INTERCEPT(dirent64*, readdir64, (DIR * folder)) {
  return exchanged([&] { return REAL(readdir64)(folder); });
}

// --- locks: of a process, of an open file --------------------------------------------------------

INTERCEPT(int, flock, (int file, int operation)) {
  return exchanged([&] { return REAL(flock)(file, operation); });
}
INTERCEPT(int, lockf, (int file, int command, off_t bytes)) {
  return exchanged([&] { return REAL(lockf)(file, command, bytes); });
}
INTERCEPT(int, lockf64, (int file, int command, off64_t bytes)) {
  return exchanged([&] { return REAL(lockf64)(file, command, bytes); });
}
// All of fcntl's commands take one word or none. The other commands query or change only this
// process.
static bool is_lock(int command) {
  return command == F_GETLK || command == F_SETLK || command == F_SETLKW || command == F_OFD_GETLK ||
         command == F_OFD_SETLK || command == F_OFD_SETLKW;
}
INTERCEPT(int, fcntl, (int file, int command, void* argument)) {
  if (!is_lock(command)) return REAL(fcntl)(file, command, argument);
  return exchanged([&] { return REAL(fcntl)(file, command, argument); });
}
INTERCEPT(int, fcntl64, (int file, int command, void* argument)) {
  if (!is_lock(command)) return REAL(fcntl64)(file, command, argument);
  return exchanged([&] { return REAL(fcntl64)(file, command, argument); });
}
