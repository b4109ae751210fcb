// The checked forms of _FORTIFY_SOURCE that bring input in or fill a buffer. Those of the str*,
// mem* and printf families stand beside the functions that they check. Where a check fails, the
// real function ends the program.
#include "capture/runtime/interceptors/calls.h"
#include "capture/runtime/interceptors/signals.h"

#include <csignal>
#include <cstdio>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

using namespace sooth::runtime;

namespace {

ssize_t came(const void* buffer, ssize_t result) {
  receives();
  if (result > 0) writes(buffer, static_cast<std::size_t>(result));
  return result;
}
int polled(const pollfd* files, nfds_t count, int result) {
  receives();
  if (result >= 0) writes(files, count * sizeof *files);
  return result;
}
template <typename Text>
Text* told(Text* text) {
  writes_string(text);
  return text;
}

} // namespace

INTERCEPT(ssize_t, __recv_chk, (int socket, void* buffer, std::size_t bytes, std::size_t room, int flags)) {
  return came(buffer, REAL(__recv_chk)(socket, buffer, bytes, room, flags));
}
INTERCEPT(ssize_t, __recvfrom_chk,
          (int socket, void* buffer, std::size_t bytes, std::size_t room, int flags, sockaddr* from,
           socklen_t* length)) {
  const socklen_t had = length != nullptr ? *length : 0;
  const ssize_t result = came(buffer, REAL(__recvfrom_chk)(socket, buffer, bytes, room, flags, from, length));
  if (result < 0 || from == nullptr || length == nullptr) return result;
  writes(length, sizeof *length);
  writes(from, smaller(*length, had));
  return result;
}
INTERCEPT(ssize_t, __pread_chk, (int file, void* buffer, std::size_t bytes, off_t offset, std::size_t room)) {
  return came(buffer, REAL(__pread_chk)(file, buffer, bytes, offset, room));
}
INTERCEPT(ssize_t, __pread64_chk, (int file, void* buffer, std::size_t bytes, off64_t offset, std::size_t room)) {
  return came(buffer, REAL(__pread64_chk)(file, buffer, bytes, offset, room));
}
INTERCEPT(int, __poll_chk, (pollfd * files, nfds_t count, int timeout, std::size_t room)) {
  return polled(files, count, REAL(__poll_chk)(files, count, timeout, room));
}
INTERCEPT(int, __ppoll_chk,
          (pollfd * files, nfds_t count, const timespec* timeout, const sigset_t* mask, std::size_t room)) {
  const ExpectsSignal here(mask != nullptr);
  return polled(files, count, REAL(__ppoll_chk)(files, count, timeout, mask, room));
}
INTERCEPT(std::size_t, __fread_unlocked_chk,
          (void* buffer, std::size_t room, std::size_t bytes, std::size_t count, std::FILE* stream)) {
  const std::size_t result = REAL(__fread_unlocked_chk)(buffer, room, bytes, count, stream);
  receives();
  writes(buffer, result * bytes);
  return result;
}
INTERCEPT(char*, __fgets_unlocked_chk, (char* buffer, std::size_t room, int bytes, std::FILE* stream)) {
  char* result = REAL(__fgets_unlocked_chk)(buffer, room, bytes, stream);
  receives();
  return told(result);
}
INTERCEPT(ssize_t, __readlink_chk, (const char* path, char* buffer, std::size_t bytes, std::size_t room)) {
  return came(buffer, REAL(__readlink_chk)(path, buffer, bytes, room));
}
INTERCEPT(char*, __getcwd_chk, (char* buffer, std::size_t bytes, std::size_t room)) {
  return told(REAL(__getcwd_chk)(buffer, bytes, room));
}
INTERCEPT(char*, __realpath_chk, (const char* path, char* buffer, std::size_t room)) {
  return told(REAL(__realpath_chk)(path, buffer, room));
}
INTERCEPT(void, __explicit_bzero_chk, (void* to, std::size_t bytes, std::size_t room)) {
  if (bytes <= room) fills(to, 0, bytes);
  REAL(__explicit_bzero_chk)(to, bytes, room);
}
