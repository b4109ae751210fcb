// read, write, recv, send and their vectors: the kernel touches the caller's buffers, and delivers
// and takes messages.
#include "capture/runtime/inputs/inputs.h"
#include "capture/runtime/interceptors/calls.h"

#include <atomic>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

using namespace sooth::runtime;

namespace {

// Passes a result on after recording that many bytes.
ssize_t wrote(const void* buffer, ssize_t result) {
  receives();
  if (result > 0) writes(buffer, static_cast<std::size_t>(result));
  return result;
}

// The parts of a vector, as far as `bytes` reach.
void each_part(const iovec* parts, int count, std::size_t bytes, void (*touch)(const void*, std::size_t)) {
  if (enter() == nullptr) return;
  for (int i = 0; i < count && bytes != 0; ++i) {
    const std::size_t here = smaller(parts[i].iov_len, bytes);
    touch(parts[i].iov_base, here);
    bytes -= here;
  }
}
ssize_t wrote_parts(const iovec* parts, int count, ssize_t result) {
  receives();
  if (result > 0) each_part(parts, count, static_cast<std::size_t>(result), writes);
  return result;
}

// An address that the kernel filled in: `*length` bytes, as far as there was room.
void wrote_address(const void* address, const socklen_t* length, socklen_t room) {
  if (address == nullptr || length == nullptr) return;
  writes(length, sizeof *length);
  writes(address, smaller(*length, room));
}
socklen_t room_of(const socklen_t* length) { return length != nullptr ? *length : 0; }

void received(const msghdr* message, ssize_t result, std::size_t name_room) {
  if (result > 0)
    each_part(message->msg_iov, static_cast<int>(message->msg_iovlen), static_cast<std::size_t>(result), writes);
  if (message->msg_name != nullptr) writes(message->msg_name, smaller(message->msg_namelen, name_room));
  if (message->msg_control != nullptr) writes(message->msg_control, message->msg_controllen);
  writes(message, sizeof *message);
}
void sent(const msghdr* message) {
  reads(message, sizeof *message);
  each_part(message->msg_iov, static_cast<int>(message->msg_iovlen), ~std::size_t{0}, reads);
  if (message->msg_control != nullptr) reads(message->msg_control, message->msg_controllen);
}

} // namespace

INTERCEPT(ssize_t, read, (int file, void* buffer, std::size_t bytes)) {
  uses_file(file);
  return wrote(buffer,
               input(InputCall::Read, file, [&] { return REAL(read)(file, buffer, bytes); }, counted(buffer, bytes)));
}
INTERCEPT(ssize_t, pread, (int file, void* buffer, std::size_t bytes, off_t offset)) {
  uses_file(file);
  return wrote(
      buffer,
      input(InputCall::Read, file, [&] { return REAL(pread)(file, buffer, bytes, offset); }, counted(buffer, bytes)));
}
INTERCEPT(ssize_t, pread64, (int file, void* buffer, std::size_t bytes, off64_t offset)) {
  uses_file(file);
  return wrote(
      buffer,
      input(InputCall::Read, file, [&] { return REAL(pread64)(file, buffer, bytes, offset); }, counted(buffer, bytes)));
}
INTERCEPT(ssize_t, __read_chk, (int file, void* buffer, std::size_t bytes, std::size_t room)) {
  uses_file(file);
  return wrote(buffer, input(
                           InputCall::Read, file, [&] { return REAL(__read_chk)(file, buffer, bytes, room); },
                           counted(buffer, bytes)));
}
INTERCEPT(ssize_t, readv, (int file, const iovec* parts, int count)) {
  uses_file(file);
  return wrote_parts(
      parts, count,
      input(InputCall::Read, file, [&] { return REAL(readv)(file, parts, count); }, counted_vector(parts, count)));
}
INTERCEPT(ssize_t, preadv, (int file, const iovec* parts, int count, off_t offset)) {
  uses_file(file);
  return wrote_parts(parts, count,
                     input(
                         InputCall::Read, file, [&] { return REAL(preadv)(file, parts, count, offset); },
                         counted_vector(parts, count)));
}

INTERCEPT(ssize_t, preadv64, (int file, const iovec* parts, int count, off64_t offset)) {
  uses_file(file);
  return wrote_parts(parts, count,
                     input(
                         InputCall::Read, file, [&] { return REAL(preadv64)(file, parts, count, offset); },
                         counted_vector(parts, count)));
}
INTERCEPT(ssize_t, preadv2, (int file, const iovec* parts, int count, off_t offset, int flags)) {
  uses_file(file);
  return wrote_parts(parts, count,
                     input(
                         InputCall::Read, file, [&] { return REAL(preadv2)(file, parts, count, offset, flags); },
                         counted_vector(parts, count)));
}
INTERCEPT(ssize_t, preadv64v2, (int file, const iovec* parts, int count, off64_t offset, int flags)) {
  uses_file(file);
  return wrote_parts(parts, count,
                     input(
                         InputCall::Read, file, [&] { return REAL(preadv64v2)(file, parts, count, offset, flags); },
                         counted_vector(parts, count)));
}

namespace {

// As with streams (calls.h), the program does not read its own standard output, unless it has
// put something else in its place.
std::atomic<bool> g_output_replaced{false}; // relaxed: replacing it while others write is a race of the program

void sends_to(int file) {
  const bool is_output = file == STDOUT_FILENO || file == STDERR_FILENO;
  if (!is_output || g_output_replaced.load(std::memory_order_relaxed)) sends();
}
void replaces(int file) {
  if (file == STDOUT_FILENO || file == STDERR_FILENO) g_output_replaced.store(true, std::memory_order_relaxed);
}

} // namespace

INTERCEPT(int, dup2, (int from, int to)) {
  replaces(to);
  if (from != to) closes_file(to);
  return REAL(dup2)(from, to);
}
INTERCEPT(int, dup3, (int from, int to, int flags)) {
  replaces(to);
  closes_file(to);
  return REAL(dup3)(from, to, flags);
}

// A bad address makes the kernel return EFAULT; recording its contents would crash. So a buffer is
// read only after the kernel has read it: the bytes that it took are readable.
INTERCEPT(ssize_t, write, (int file, const void* buffer, std::size_t bytes)) {
  uses_file(file);
  sends_to(file);
  const ssize_t result = output(file, [&] { return REAL(write)(file, buffer, bytes); });
  if (result > 0) reads(buffer, static_cast<std::size_t>(result));
  return result;
}
INTERCEPT(ssize_t, pwrite, (int file, const void* buffer, std::size_t bytes, off_t offset)) {
  uses_file(file);
  sends_to(file);
  const ssize_t result = output(file, [&] { return REAL(pwrite)(file, buffer, bytes, offset); });
  if (result > 0) reads(buffer, static_cast<std::size_t>(result));
  return result;
}
INTERCEPT(ssize_t, pwrite64, (int file, const void* buffer, std::size_t bytes, off64_t offset)) {
  uses_file(file);
  sends_to(file);
  const ssize_t result = output(file, [&] { return REAL(pwrite64)(file, buffer, bytes, offset); });
  if (result > 0) reads(buffer, static_cast<std::size_t>(result));
  return result;
}
INTERCEPT(ssize_t, writev, (int file, const iovec* parts, int count)) {
  uses_file(file);
  sends_to(file);
  const ssize_t result = output(file, [&] { return REAL(writev)(file, parts, count); });
  if (result > 0) each_part(parts, count, static_cast<std::size_t>(result), reads);
  return result;
}
INTERCEPT(ssize_t, pwritev, (int file, const iovec* parts, int count, off_t offset)) {
  uses_file(file);
  sends_to(file);
  const ssize_t result = output(file, [&] { return REAL(pwritev)(file, parts, count, offset); });
  if (result > 0) each_part(parts, count, static_cast<std::size_t>(result), reads);
  return result;
}
INTERCEPT(ssize_t, pwritev64, (int file, const iovec* parts, int count, off64_t offset)) {
  uses_file(file);
  sends_to(file);
  const ssize_t result = output(file, [&] { return REAL(pwritev64)(file, parts, count, offset); });
  if (result > 0) each_part(parts, count, static_cast<std::size_t>(result), reads);
  return result;
}
INTERCEPT(ssize_t, pwritev2, (int file, const iovec* parts, int count, off_t offset, int flags)) {
  uses_file(file);
  sends_to(file);
  const ssize_t result = output(file, [&] { return REAL(pwritev2)(file, parts, count, offset, flags); });
  if (result > 0) each_part(parts, count, static_cast<std::size_t>(result), reads);
  return result;
}
INTERCEPT(ssize_t, pwritev64v2, (int file, const iovec* parts, int count, off64_t offset, int flags)) {
  uses_file(file);
  sends_to(file);
  const ssize_t result = output(file, [&] { return REAL(pwritev64v2)(file, parts, count, offset, flags); });
  if (result > 0) each_part(parts, count, static_cast<std::size_t>(result), reads);
  return result;
}

INTERCEPT(ssize_t, recv, (int socket, void* buffer, std::size_t bytes, int flags)) {
  uses_file(socket);
  return wrote(
      buffer,
      input(InputCall::Read, socket, [&] { return REAL(recv)(socket, buffer, bytes, flags); }, counted(buffer, bytes)));
}
INTERCEPT(ssize_t, recvfrom,
          (int socket, void* buffer, std::size_t bytes, int flags, sockaddr* from, socklen_t* length)) {
  uses_file(socket);
  const socklen_t room = room_of(length);
  const ssize_t result = wrote(buffer, input(
                                           InputCall::Read, socket,
                                           [&] { return REAL(recvfrom)(socket, buffer, bytes, flags, from, length); },
                                           counted(buffer, bytes), whole(from, room), whole(length)));
  if (result >= 0) wrote_address(from, length, room);
  return result;
}
INTERCEPT(ssize_t, recvmsg, (int socket, msghdr* message, int flags)) {
  uses_file(socket);
  const std::size_t name_room = message->msg_namelen;
  const ssize_t result = input(
      InputCall::Read, socket, [&] { return REAL(recvmsg)(socket, message, flags); },
      counted_vector(message->msg_iov, static_cast<int>(message->msg_iovlen)), whole(message->msg_name, name_room),
      whole(&message->msg_namelen), whole(&message->msg_flags));
  receives();
  if (result >= 0) received(message, result, name_room);
  return result;
}
INTERCEPT(int, recvmmsg, (int socket, mmsghdr* messages, unsigned count, int flags, timespec* timeout)) {
  uses_file(socket);
  const int result = REAL(recvmmsg)(socket, messages, count, flags, timeout);
  receives();
  for (int i = 0; i < result; ++i) {
    received(&messages[i].msg_hdr, messages[i].msg_len, messages[i].msg_hdr.msg_namelen);
    writes(&messages[i].msg_len, sizeof messages[i].msg_len);
  }
  return result;
}
INTERCEPT(ssize_t, send, (int socket, const void* buffer, std::size_t bytes, int flags)) {
  uses_file(socket);
  sends();
  const ssize_t result = output(socket, [&] { return REAL(send)(socket, buffer, bytes, flags); });
  if (result > 0) reads(buffer, static_cast<std::size_t>(result));
  return result;
}
INTERCEPT(ssize_t, sendto,
          (int socket, const void* buffer, std::size_t bytes, int flags, const sockaddr* to, socklen_t length)) {
  uses_file(socket);
  sends();
  const ssize_t result = output(socket, [&] { return REAL(sendto)(socket, buffer, bytes, flags, to, length); });
  if (result > 0) reads(buffer, static_cast<std::size_t>(result));
  if (result >= 0 && to != nullptr) reads(to, length);
  return result;
}
INTERCEPT(ssize_t, sendmsg, (int socket, const msghdr* message, int flags)) {
  uses_file(socket);
  sends();
  const ssize_t result = output(socket, [&] { return REAL(sendmsg)(socket, message, flags); });
  if (result >= 0) sent(message);
  return result;
}

INTERCEPT(int, sendmmsg, (int socket, mmsghdr* messages, unsigned count, int flags)) {
  uses_file(socket);
  sends();
  const int result = REAL(sendmmsg)(socket, messages, count, flags);
  for (int i = 0; i < result; ++i) {
    sent(&messages[i].msg_hdr);
    writes(&messages[i].msg_len, sizeof messages[i].msg_len);
  }
  return result;
}
// From one file to another, past the program's memory.
INTERCEPT(ssize_t, sendfile, (int to, int from, off_t* offset, std::size_t bytes)) {
  sends();
  const ssize_t result = REAL(sendfile)(to, from, offset, bytes);
  receives();
  if (result >= 0 && offset != nullptr) writes(offset, sizeof *offset);
  return result;
}
INTERCEPT(ssize_t, sendfile64, (int to, int from, off64_t* offset, std::size_t bytes)) {
  sends();
  const ssize_t result = REAL(sendfile64)(to, from, offset, bytes);
  receives();
  if (result >= 0 && offset != nullptr) writes(offset, sizeof *offset);
  return result;
}
INTERCEPT(ssize_t, splice,
          (int from, off64_t* from_offset, int to, off64_t* to_offset, std::size_t bytes, unsigned flags)) {
  sends();
  const ssize_t result = REAL(splice)(from, from_offset, to, to_offset, bytes, flags);
  receives();
  if (result >= 0 && from_offset != nullptr) writes(from_offset, sizeof *from_offset);
  if (result >= 0 && to_offset != nullptr) writes(to_offset, sizeof *to_offset);
  return result;
}

// --- addresses and pairs -------------------------------------------------------------------------

INTERCEPT(int, accept, (int socket, sockaddr* from, socklen_t* length)) {
  uses_file(socket);
  const socklen_t room = room_of(length);
  const int result =
      opening([&] { return REAL(accept)(socket, from, length); }, socket, whole(from, room), whole(length));
  receives();
  if (result >= 0) wrote_address(from, length, room);
  return result;
}
INTERCEPT(int, accept4, (int socket, sockaddr* from, socklen_t* length, int flags)) {
  uses_file(socket);
  const socklen_t room = room_of(length);
  const int result =
      opening([&] { return REAL(accept4)(socket, from, length, flags); }, socket, whole(from, room), whole(length));
  receives();
  if (result >= 0) wrote_address(from, length, room);
  return result;
}
INTERCEPT(int, getsockname, (int socket, sockaddr* address, socklen_t* length)) {
  uses_file(socket);
  const socklen_t room = room_of(length);
  const int result = input(
      InputCall::Look, -1, [&] { return REAL(getsockname)(socket, address, length); }, whole(address, room),
      whole(length));
  if (result == 0) wrote_address(address, length, room);
  return result;
}
INTERCEPT(int, getpeername, (int socket, sockaddr* address, socklen_t* length)) {
  uses_file(socket);
  const socklen_t room = room_of(length);
  const int result = input(
      InputCall::Look, -1, [&] { return REAL(getpeername)(socket, address, length); }, whole(address, room),
      whole(length));
  if (result == 0) wrote_address(address, length, room);
  return result;
}
INTERCEPT(int, getsockopt, (int socket, int level, int option, void* value, socklen_t* length)) {
  uses_file(socket);
  const socklen_t room = room_of(length);
  const int result = input(
      InputCall::Look, -1, [&] { return REAL(getsockopt)(socket, level, option, value, length); }, whole(value, room),
      whole(length));
  if (result == 0) wrote_address(value, length, room);
  return result;
}
INTERCEPT(int, pipe, (int* ends)) {
  const int result = REAL(pipe)(ends);
  if (result == 0) writes(ends, 2 * sizeof *ends);
  return result;
}
INTERCEPT(int, pipe2, (int* ends, int flags)) {
  const int result = REAL(pipe2)(ends, flags);
  if (result == 0) writes(ends, 2 * sizeof *ends);
  return result;
}
INTERCEPT(int, socketpair, (int domain, int type, int protocol, int* ends)) {
  const int result = REAL(socketpair)(domain, type, protocol, ends);
  if (result == 0) writes(ends, 2 * sizeof *ends);
  return result;
}
