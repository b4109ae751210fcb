// Calls that fill in a structure or a buffer of the caller: time, files, waiting for many
// descriptors.
#include "capture/runtime/inputs/inputs.h"
#include "capture/runtime/interceptors/calls.h"
#include "capture/runtime/interceptors/signals.h"

#include <climits>
#include <cstdlib>
#include <ctime>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/time.h>
#include <sys/times.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace sooth::runtime;

namespace {

// Passes the result on. The structure was written if the call succeeded.
template <typename Structure>
int filled(const Structure* p, int result) {
  if (result == 0) writes(p, sizeof *p);
  return result;
}
// The same for calls that query a file: it may be there, or have changed, because of another
// thread's action.
template <typename Structure>
int looked_up(const Structure* p, int result) {
  receives();
  return filled(p, result);
}
template <typename Structure>
Structure* made(Structure* p) {
  writes(p, sizeof *p);
  return p;
}
int waited(const int* status, const rusage* usage, int result) {
  receives();
  if (result > 0) {
    if (status != nullptr) writes(status, sizeof *status);
    if (usage != nullptr) writes(usage, sizeof *usage);
  }
  return result;
}

} // namespace

// --- time ----------------------------------------------------------------------------------------

INTERCEPT(int, clock_gettime, (clockid_t clock, timespec* time)) {
  return filled(time, input(InputCall::Time, -1, [&] { return REAL(clock_gettime)(clock, time); }, whole(time)));
}
INTERCEPT(int, clock_getres, (clockid_t clock, timespec* time)) {
  return filled(time, REAL(clock_getres)(clock, time));
}
INTERCEPT(int, gettimeofday, (timeval * time, void* zone)) {
  return filled(time, input(InputCall::Time, -1, [&] { return REAL(gettimeofday)(time, zone); }, whole(time)));
}
INTERCEPT(std::time_t, time, (std::time_t* result)) {
  const std::time_t now = input(InputCall::Time, -1, [&] { return REAL(time)(result); }, whole(result));
  if (result != nullptr) writes(result, sizeof *result);
  return now;
}
INTERCEPT(int, timespec_get, (timespec * time, int base)) {
  const int result = input(InputCall::Time, -1, [&] { return REAL(timespec_get)(time, base); }, whole(time));
  if (result != 0) writes(time, sizeof *time);
  return result;
}
INTERCEPT(std::clock_t, clock, ()) {
  return input(InputCall::Time, -1, [] { return REAL(clock)(); });
}
INTERCEPT(std::clock_t, times, (tms * result)) {
  const std::clock_t now = input(InputCall::Time, -1, [&] { return REAL(times)(result); }, whole(result));
  if (result != nullptr) writes(result, sizeof *result);
  return now;
}
INTERCEPT(int, nanosleep, (const timespec* duration, timespec* rest)) {
  const int result = REAL(nanosleep)(duration, rest);
  if (result != 0 && rest != nullptr) writes(rest, sizeof *rest);
  return result;
}
INTERCEPT(std::tm*, localtime_r, (const std::time_t* time, std::tm* result)) {
  reads(time, sizeof *time);
  return made(REAL(localtime_r)(time, result));
}
INTERCEPT(std::tm*, gmtime_r, (const std::time_t* time, std::tm* result)) {
  reads(time, sizeof *time);
  return made(REAL(gmtime_r)(time, result));
}
INTERCEPT(std::time_t, mktime, (std::tm * fields)) {
  reads(fields, sizeof *fields);
  const std::time_t result = REAL(mktime)(fields);
  writes(fields, sizeof *fields);
  return result;
}
INTERCEPT(std::size_t, strftime, (char* buffer, std::size_t room, const char* format, const std::tm* fields)) {
  reads(fields, sizeof *fields);
  const std::size_t length = REAL(strftime)(buffer, room, format, fields);
  if (length != 0) writes(buffer, length + 1);
  return length;
}
INTERCEPT(char*, asctime_r, (const std::tm* fields, char* buffer)) {
  reads(fields, sizeof *fields);
  char* text = REAL(asctime_r)(fields, buffer);
  writes_string(text);
  return text;
}
INTERCEPT(char*, ctime_r, (const std::time_t* time, char* buffer)) {
  reads(time, sizeof *time);
  char* text = REAL(ctime_r)(time, buffer);
  writes_string(text);
  return text;
}

// --- files ---------------------------------------------------------------------------------------

INTERCEPT(int, stat, (const char* path, struct stat* result)) {
  return looked_up(result, input(InputCall::Look, -1, [&] { return REAL(stat)(path, result); }, whole(result)));
}
INTERCEPT(int, lstat, (const char* path, struct stat* result)) {
  return looked_up(result, input(InputCall::Look, -1, [&] { return REAL(lstat)(path, result); }, whole(result)));
}
INTERCEPT(int, fstat, (int file, struct stat* result)) {
  return looked_up(result, input(InputCall::Look, -1, [&] { return REAL(fstat)(file, result); }, whole(result)));
}
INTERCEPT(int, fstatat, (int folder, const char* path, struct stat* result, int flags)) {
  return looked_up(
      result, input(InputCall::Look, -1, [&] { return REAL(fstatat)(folder, path, result, flags); }, whole(result)));
}
INTERCEPT(int, stat64, (const char* path, struct stat64* result)) {
  return looked_up(result, input(InputCall::Look, -1, [&] { return REAL(stat64)(path, result); }, whole(result)));
}
INTERCEPT(int, lstat64, (const char* path, struct stat64* result)) {
  return looked_up(result, input(InputCall::Look, -1, [&] { return REAL(lstat64)(path, result); }, whole(result)));
}
INTERCEPT(int, fstat64, (int file, struct stat64* result)) {
  return looked_up(result, input(InputCall::Look, -1, [&] { return REAL(fstat64)(file, result); }, whole(result)));
}
INTERCEPT(int, fstatat64, (int folder, const char* path, struct stat64* result, int flags)) {
  return looked_up(
      result, input(InputCall::Look, -1, [&] { return REAL(fstatat64)(folder, path, result, flags); }, whole(result)));
}
INTERCEPT(int, statx, (int folder, const char* path, int flags, unsigned mask, struct statx* result)) {
  return looked_up(
      result,
      input(InputCall::Look, -1, [&] { return REAL(statx)(folder, path, flags, mask, result); }, whole(result)));
}
INTERCEPT(int, statvfs, (const char* path, struct statvfs* result)) {
  return filled(result, REAL(statvfs)(path, result));
}
INTERCEPT(int, fstatvfs, (int file, struct statvfs* result)) { return filled(result, REAL(fstatvfs)(file, result)); }

INTERCEPT(char*, getcwd, (char* buffer, std::size_t room)) {
  char* path = REAL(getcwd)(buffer, room);
  writes_string(path);
  return path;
}
INTERCEPT(ssize_t, readlink, (const char* path, char* buffer, std::size_t room)) {
  const ssize_t length =
      input(InputCall::Look, -1, [&] { return REAL(readlink)(path, buffer, room); }, counted(buffer, room));
  receives();
  if (length > 0) writes(buffer, static_cast<std::size_t>(length));
  return length;
}
INTERCEPT(ssize_t, readlinkat, (int folder, const char* path, char* buffer, std::size_t room)) {
  const ssize_t length =
      input(InputCall::Look, -1, [&] { return REAL(readlinkat)(folder, path, buffer, room); }, counted(buffer, room));
  receives();
  if (length > 0) writes(buffer, static_cast<std::size_t>(length));
  return length;
}
INTERCEPT_VERSION(char*, realpath, "GLIBC_2.3", (const char* path, char* buffer)) {
  char* result = REAL(realpath)(path, buffer);
  writes_string(result);
  return result;
}
INTERCEPT(int, gethostname, (char* buffer, std::size_t room)) {
  const int result = REAL(gethostname)(buffer, room);
  if (result == 0) writes(buffer, string_bytes(buffer, room));
  return result;
}
INTERCEPT(int, uname, (utsname * result)) { return filled(result, REAL(uname)(result)); }
INTERCEPT(ssize_t, getrandom, (void* buffer, std::size_t bytes, unsigned flags)) {
  const ssize_t result =
      input(InputCall::Random, -1, [&] { return REAL(getrandom)(buffer, bytes, flags); }, counted(buffer, bytes));
  if (result > 0) writes(buffer, static_cast<std::size_t>(result));
  return result;
}

// --- resources and children ----------------------------------------------------------------------

INTERCEPT(int, getrusage, (int who, rusage* usage)) {
  return filled(usage, input(InputCall::Time, -1, [&] { return REAL(getrusage)(who, usage); }, whole(usage)));
}
INTERCEPT(int, getrlimit, (int what, rlimit* limit)) { return filled(limit, REAL(getrlimit)(what, limit)); }
INTERCEPT(pid_t, wait, (int* status)) { return waited(status, nullptr, REAL(wait)(status)); }
INTERCEPT(pid_t, waitpid, (pid_t child, int* status, int flags)) {
  return waited(status, nullptr, REAL(waitpid)(child, status, flags));
}
INTERCEPT(pid_t, wait4, (pid_t child, int* status, int flags, rusage* usage)) {
  return waited(status, usage, REAL(wait4)(child, status, flags, usage));
}
INTERCEPT(int, rand_r, (unsigned* seed)) {
  reads(seed, sizeof *seed);
  const int value = REAL(rand_r)(seed);
  writes(seed, sizeof *seed);
  return value;
}

// --- many descriptors ----------------------------------------------------------------------------

INTERCEPT(int, poll, (pollfd * files, nfds_t count, int timeout)) {
  const int result = input(
      InputCall::Poll, -1, [&] { return REAL(poll)(files, count, timeout); }, whole(files, count * sizeof *files));
  receives();
  if (result >= 0) writes(files, count * sizeof *files);
  return result;
}
INTERCEPT(int, ppoll, (pollfd * files, nfds_t count, const timespec* timeout, const sigset_t* mask)) {
  const ExpectsSignal here(mask != nullptr);
  const int result = input(
      InputCall::Poll, -1, [&] { return REAL(ppoll)(files, count, timeout, mask); },
      whole(files, count * sizeof *files));
  receives();
  if (result >= 0) writes(files, count * sizeof *files);
  return result;
}
// Whole words, as the kernel writes them.
static std::size_t set_bytes(int count) { return (static_cast<std::size_t>(count < 0 ? 0 : count) + 63) / 64 * 8; }
static int selected(int count, fd_set* a, fd_set* b, fd_set* c, int result) {
  receives();
  const std::size_t bytes = set_bytes(count);
  if (result < 0) return result;
  writes(a, bytes);
  writes(b, bytes);
  writes(c, bytes);
  return result;
}
INTERCEPT(int, select, (int count, fd_set* a, fd_set* b, fd_set* c, timeval* timeout)) {
  const std::size_t bytes = set_bytes(count);
  const int result = selected(count, a, b, c,
                              input(
                                  InputCall::Poll, -1, [&] { return REAL(select)(count, a, b, c, timeout); },
                                  whole(a, bytes), whole(b, bytes), whole(c, bytes), whole(timeout)));
  if (result >= 0 && timeout != nullptr) writes(timeout, sizeof *timeout);
  return result;
}
INTERCEPT(int, pselect, (int count, fd_set* a, fd_set* b, fd_set* c, const timespec* timeout, const sigset_t* mask)) {
  const ExpectsSignal here(mask != nullptr);
  const std::size_t bytes = set_bytes(count);
  return selected(count, a, b, c,
                  input(
                      InputCall::Poll, -1, [&] { return REAL(pselect)(count, a, b, c, timeout, mask); },
                      whole(a, bytes), whole(b, bytes), whole(c, bytes)));
}
static std::size_t event_bytes(int room) { return static_cast<std::size_t>(room < 0 ? 0 : room) * sizeof(epoll_event); }
INTERCEPT(int, epoll_wait, (int file, epoll_event* events, int room, int timeout)) {
  const int result = input(
      InputCall::Poll, -1, [&] { return REAL(epoll_wait)(file, events, room, timeout); },
      counted(events, event_bytes(room), sizeof *events));
  receives();
  if (result > 0) writes(events, static_cast<std::size_t>(result) * sizeof *events);
  return result;
}
INTERCEPT(int, epoll_pwait, (int file, epoll_event* events, int room, int timeout, const sigset_t* mask)) {
  const ExpectsSignal here(mask != nullptr);
  const int result = input(
      InputCall::Poll, -1, [&] { return REAL(epoll_pwait)(file, events, room, timeout, mask); },
      counted(events, event_bytes(room), sizeof *events));
  receives();
  if (result > 0) writes(events, static_cast<std::size_t>(result) * sizeof *events);
  return result;
}
INTERCEPT(int, epoll_pwait2, (int file, epoll_event* events, int room, const timespec* timeout, const sigset_t* mask)) {
  const ExpectsSignal here(mask != nullptr);
  const int result = input(
      InputCall::Poll, -1, [&] { return REAL(epoll_pwait2)(file, events, room, timeout, mask); },
      counted(events, event_bytes(room), sizeof *events));
  receives();
  if (result > 0) writes(events, static_cast<std::size_t>(result) * sizeof *events);
  return result;
}
