// fork and its relatives, exec, and the ends of a process that run no destructors.
//
// vfork is left alone. Its child shares the parent's memory until it execs or exits. The core sees
// by the pid that the child's events do not belong to this trace. posix_spawn, system and popen do
// all of that inside libc.
#include <alloca.h>
#include <cstdarg>
#include <cstdlib>
#include <pty.h>
#include <ucontext.h>
#include <unistd.h>
#include <utmp.h>

#include <sys/shm.h>

#include "capture/runtime/interceptors/process.h"
#include "capture/runtime/interceptors/real.h"

using namespace sooth::runtime;
using namespace sooth::trace;

namespace {

int g_quick_exit_status;

// After a real fork returned in either process.
int forked(Thread* t, int child) {
  if (child == 0) {
    forget_thread_id();
    after_fork_child(t);
  } else {
    after_fork_parent(t, child);
  }
  return child;
}

} // namespace

namespace sooth::runtime {

void finish_quick_exit() { finish(EndKind::QuickExit, g_quick_exit_status); }

} // namespace sooth::runtime

INTERCEPT(pid_t, fork, ()) {
  Thread* t = enter();
  if (t == nullptr) return REAL(fork)();
  before_fork(t);
  return forked(t, REAL(fork)());
}

INTERCEPT(pid_t, _Fork, ()) {
  Thread* t = enter();
  if (t == nullptr) return REAL(_Fork)();
  before_fork(t);
  return forked(t, REAL(_Fork)());
}

INTERCEPT(int, forkpty, (int* terminal, char* name, const termios* settings, const winsize* size)) {
  Thread* t = enter();
  if (t == nullptr) return REAL(forkpty)(terminal, name, settings, size);
  before_fork(t);
  return forked(t, REAL(forkpty)(terminal, name, settings, size));
}

INTERCEPT(int, daemon, (int keep_directory, int keep_output)) {
  Thread* t = enter();
  if (t == nullptr) return REAL(daemon)(keep_directory, keep_output);
  finish(EndKind::Exit, 0, true); // the parent ends inside
  before_fork(t);
  const int result = REAL(daemon)(keep_directory, keep_output);
  if (result == 0) forked(t, 0);
  else after_fork_parent(t, -1);
  return result;
}

INTERCEPT(void, _exit, (int status)) {
  finish(EndKind::Exit, status);
  REAL(_exit)(status);
}
INTERCEPT(void, _Exit, (int status)) {
  finish(EndKind::Exit, status);
  REAL(_Exit)(status);
}
INTERCEPT(void, quick_exit, (int status)) {
  g_quick_exit_status = status; // finish_quick_exit records it, after the program's own at_quick_exit functions
  REAL(quick_exit)(status);
}

// --- exec ----------------------------------------------------------------------------------------

INTERCEPT(int, execve, (const char* path, char* const* arguments, char* const* environment)) {
  finish(EndKind::Exec, 0);
  return REAL(execve)(path, arguments, environment);
}
INTERCEPT(int, execv, (const char* path, char* const* arguments)) {
  finish(EndKind::Exec, 0);
  return REAL(execv)(path, arguments);
}
INTERCEPT(int, execvp, (const char* file, char* const* arguments)) {
  finish(EndKind::Exec, 0);
  return REAL(execvp)(file, arguments);
}
INTERCEPT(int, execvpe, (const char* file, char* const* arguments, char* const* environment)) {
  finish(EndKind::Exec, 0);
  return REAL(execvpe)(file, arguments, environment);
}
INTERCEPT(int, fexecve, (int file, char* const* arguments, char* const* environment)) {
  finish(EndKind::Exec, 0);
  return REAL(fexecve)(file, arguments, environment);
}
INTERCEPT(int, execveat, (int folder, const char* path, char* const* arguments, char* const* environment, int flags)) {
  finish(EndKind::Exec, 0);
  return REAL(execveat)(folder, path, arguments, environment, flags);
}

// The list forms: the arguments up to the null pointer, as an array on the stack, as in libc.
#define COLLECT_ARGUMENTS(list, first, array)                                                                          \
  va_list list;                                                                                                        \
  va_start(list, first);                                                                                               \
  std::size_t count = 1;                                                                                               \
  while (va_arg(list, const char*) != nullptr) ++count;                                                                \
  va_end(list);                                                                                                        \
  auto** array = static_cast<char**>(alloca((count + 1) * sizeof(char*)));                                             \
  array[0] = const_cast<char*>(first);                                                                                 \
  va_start(list, first);                                                                                               \
  for (std::size_t i = 1; i <= count; ++i) array[i] = va_arg(list, char*)

INTERCEPT(int, execl, (const char* path, const char* first, ...)) {
  COLLECT_ARGUMENTS(list, first, arguments);
  va_end(list);
  return sooth_execve(path, arguments, environ);
}
INTERCEPT(int, execlp, (const char* file, const char* first, ...)) {
  COLLECT_ARGUMENTS(list, first, arguments);
  va_end(list);
  return sooth_execvp(file, arguments);
}
INTERCEPT(int, execle, (const char* path, const char* first, ...)) {
  COLLECT_ARGUMENTS(list, first, arguments);
  char* const* environment = va_arg(list, char* const*);
  va_end(list);
  return sooth_execve(path, arguments, environment);
}

// --- not followed --------------------------------------------------------------------------------

// Stacks that change hands, and memory that other processes share.
INTERCEPT(int, swapcontext, (ucontext_t * from, const ucontext_t* to)) {
  if (enter() != nullptr) unsupported("swapcontext");
  return REAL(swapcontext)(from, to);
}
INTERCEPT(int, setcontext, (const ucontext_t* to)) {
  if (enter() != nullptr) unsupported("setcontext");
  return REAL(setcontext)(to);
}
INTERCEPT(void*, shmat, (int id, const void* where, int flags)) {
  if (enter() != nullptr) unsupported("shmat");
  return REAL(shmat)(id, where, flags);
}
// The child's function runs on a stack that the caller made. It records under its own number if it
// shares memory.
INTERCEPT(int, clone, (int (*function)(void*), void* stack, int flags, void* argument, void* a, void* b, void* c)) {
  if (enter() != nullptr) unsupported("clone");
  return REAL(clone)(function, stack, flags, argument, a, b, c);
}
