// Calls by which threads receive or send messages, apart from the primitives of pthreads: signals
// that are waited for, event counters, message queues, semaphores and queues of System V, children
// that ended, asynchronous input.
//
// The result of such a call may depend on everything that was done before: it is a `receive`. A
// call that others may wait for is a `send` (docs/trace_format.md, "The world outside").
#include "capture/runtime/inputs/inputs.h"
#include "capture/runtime/interceptors/calls.h"
#include "capture/runtime/interceptors/signals.h"

#include <aio.h>
#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <ctime>
#include <mqueue.h>
#include <semaphore.h>
#include <sys/eventfd.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/time.h>
#include <sys/wait.h>

using namespace sooth::runtime;

namespace {

// Passes the result on. If the call succeeded, it filled in the structure.
template <typename Structure>
int took(const Structure* p, int result, bool succeeded) {
  receives();
  if (succeeded && p != nullptr) writes(p, sizeof *p);
  return result;
}

ssize_t got(const void* message, ssize_t result, const unsigned* priority) {
  receives();
  if (result < 0) return result;
  writes(message, static_cast<std::size_t>(result));
  if (priority != nullptr) writes(priority, sizeof *priority);
  return result;
}

} // namespace

// --- signals, without a handler ------------------------------------------------------------------

INTERCEPT(int, sigwait, (const sigset_t* set, int* number)) {
  const int result = REAL(sigwait)(set, number);
  return took(number, result, result == 0);
}
INTERCEPT(int, sigwaitinfo, (const sigset_t* set, siginfo_t* info)) {
  const int result = REAL(sigwaitinfo)(set, info);
  return took(info, result, result > 0);
}
INTERCEPT(int, sigtimedwait, (const sigset_t* set, siginfo_t* info, const timespec* timeout)) {
  const int result = REAL(sigtimedwait)(set, info, timeout);
  return took(info, result, result > 0);
}

// The signal is blocked everywhere else.
INTERCEPT(int, sigsuspend, (const sigset_t* mask)) {
  const ExpectsSignal here;
  return REAL(sigsuspend)(mask);
}

INTERCEPT(int, raise, (int number)) {
  const ExpectsSignal own;
  return REAL(raise)(number);
}

INTERCEPT(int, sigprocmask, (int how, const sigset_t* set, sigset_t* old)) {
  if (set != nullptr) changes_signals();
  return REAL(sigprocmask)(how, set, old);
}
INTERCEPT(int, pthread_sigmask, (int how, const sigset_t* set, sigset_t* old)) {
  if (set != nullptr) changes_signals();
  return REAL(pthread_sigmask)(how, set, old);
}
INTERCEPT(int, sighold, (int number)) {
  changes_signals();
  return REAL(sighold)(number);
}
INTERCEPT(int, sigrelse, (int number)) {
  changes_signals();
  return REAL(sigrelse)(number);
}
// It may restore the mask.
INTERCEPT(void, siglongjmp, (__jmp_buf_tag * to, int value)) {
  changes_signals();
  REAL(siglongjmp)(to, value);
  __builtin_unreachable();
}

// Threads that wait for the signal, or handle it, come after this.
INTERCEPT(int, kill, (pid_t process, int number)) {
  sends();
  const ExpectsSignal own;
  return REAL(kill)(real_id(process), number);
}
INTERCEPT(int, killpg, (pid_t group, int number)) {
  sends();
  const ExpectsSignal own;
  return REAL(killpg)(real_id(group), number);
}
INTERCEPT(int, tgkill, (pid_t process, pid_t thread, int number)) {
  sends();
  const ExpectsSignal own;
  return REAL(tgkill)(real_id(process), real_id(thread), number);
}
INTERCEPT(int, pthread_kill, (pthread_t thread, int number)) {
  sends();
  const ExpectsSignal own;
  return REAL(pthread_kill)(thread, number);
}
INTERCEPT(int, sigqueue, (pid_t process, int number, const sigval value)) {
  sends();
  const ExpectsSignal own;
  return REAL(sigqueue)(real_id(process), number, value);
}
INTERCEPT(int, pthread_sigqueue, (pthread_t thread, int number, const sigval value)) {
  sends();
  const ExpectsSignal own;
  return REAL(pthread_sigqueue)(thread, number, value);
}
INTERCEPT(unsigned, alarm, (unsigned seconds)) {
  sends();
  return REAL(alarm)(seconds);
}
INTERCEPT(useconds_t, ualarm, (useconds_t first, useconds_t interval)) {
  sends();
  return REAL(ualarm)(first, interval);
}
INTERCEPT(int, setitimer, (__itimer_which_t which, const itimerval* time, itimerval* old)) {
  sends();
  const int result = REAL(setitimer)(which, time, old);
  if (result == 0 && old != nullptr) writes(old, sizeof *old);
  return result;
}
INTERCEPT(int, timer_settime, (timer_t timer, int flags, const itimerspec* time, itimerspec* old)) {
  sends();
  const int result = REAL(timer_settime)(timer, flags, time, old);
  if (result == 0 && old != nullptr) writes(old, sizeof *old);
  return result;
}

// --- counters ------------------------------------------------------------------------------------

INTERCEPT(int, eventfd_read, (int file, eventfd_t* value)) {
  const int result = REAL(eventfd_read)(file, value);
  return took(value, result, result == 0);
}
INTERCEPT(int, eventfd_write, (int file, eventfd_t value)) {
  sends();
  return REAL(eventfd_write)(file, value);
}
// Reads a semaphore's value without taking it. The value may follow from any post and any wait.
INTERCEPT(int, sem_getvalue, (sem_t * semaphore, int* value)) {
  const int result = REAL(sem_getvalue)(semaphore, value);
  return took(value, result, result == 0);
}
// An operation may post, take and wait for zero at once.
INTERCEPT(int, semop, (int id, sembuf* operations, std::size_t count)) {
  sends();
  const int result = REAL(semop)(id, operations, count);
  receives();
  return result;
}
INTERCEPT(int, semtimedop, (int id, sembuf* operations, std::size_t count, const timespec* timeout)) {
  sends();
  const int result = REAL(semtimedop)(id, operations, count, timeout);
  receives();
  return result;
}
// The last parameter is variadic in the header, and may be a structure of one word.
INTERCEPT(int, semctl, (int id, int number, int command, void* argument)) {
  sends();
  const int result = REAL(semctl)(id, number, command, argument);
  receives();
  return result;
}

// --- queues --------------------------------------------------------------------------------------

INTERCEPT(int, msgsnd, (int id, const void* message, std::size_t bytes, int flags)) {
  sends();
  const int result = REAL(msgsnd)(id, message, bytes, flags);
  if (result == 0) reads(message, sizeof(long) + bytes);
  return result;
}
INTERCEPT(ssize_t, msgrcv, (int id, void* message, std::size_t bytes, long type, int flags)) {
  const ssize_t result = REAL(msgrcv)(id, message, bytes, type, flags);
  receives();
  if (result >= 0) writes(message, sizeof(long) + static_cast<std::size_t>(result));
  return result;
}
INTERCEPT(int, mq_send, (mqd_t queue, const char* message, std::size_t bytes, unsigned priority)) {
  sends();
  const int result = REAL(mq_send)(queue, message, bytes, priority);
  if (result == 0) reads(message, bytes);
  return result;
}
INTERCEPT(int, mq_timedsend,
          (mqd_t queue, const char* message, std::size_t bytes, unsigned priority, const timespec* until)) {
  sends();
  const int result = REAL(mq_timedsend)(queue, message, bytes, priority, until);
  if (result == 0) reads(message, bytes);
  return result;
}
INTERCEPT(ssize_t, mq_receive, (mqd_t queue, char* message, std::size_t room, unsigned* priority)) {
  return got(message, REAL(mq_receive)(queue, message, room, priority), priority);
}
INTERCEPT(ssize_t, mq_timedreceive,
          (mqd_t queue, char* message, std::size_t room, unsigned* priority, const timespec* until)) {
  return got(message, REAL(mq_timedreceive)(queue, message, room, priority, until), priority);
}
INTERCEPT(int, mq_getattr, (mqd_t queue, mq_attr* attributes)) {
  const int result = REAL(mq_getattr)(queue, attributes);
  return took(attributes, result, result == 0);
}

// --- children ------------------------------------------------------------------------------------

INTERCEPT(int, waitid, (idtype_t what, id_t id, siginfo_t* info, int flags)) {
  const int result = REAL(waitid)(what, id, info, flags);
  return took(info, result, result == 0);
}
INTERCEPT(pid_t, wait3, (int* status, int flags, rusage* usage)) {
  const pid_t result = REAL(wait3)(status, flags, usage);
  if (result > 0 && usage != nullptr) writes(usage, sizeof *usage);
  return took(status, result, result > 0);
}
INTERCEPT(int, system, (const char* command)) {
  sends();
  const int result = REAL(system)(command);
  receives();
  return result;
}
INTERCEPT(int, pclose, (std::FILE * stream)) {
  if (stream != nullptr) closes_file(stream->_fileno);
  sends(); // the child may read to its end
  const int result = REAL(pclose)(stream);
  receives();
  return result;
}

// --- asynchronous input and output ---------------------------------------------------------------
// Its writes into buffers show as external writes.

#define INTERCEPT_REQUEST(name)                                                                                        \
  INTERCEPT(int, name, (aiocb * request)) {                                                                            \
    sends();                                                                                                           \
    return REAL(name)(request);                                                                                        \
  }
#define INTERCEPT_OUTCOME(type, name, parameter)                                                                       \
  INTERCEPT(type, name, (parameter request)) {                                                                         \
    const type result = REAL(name)(request);                                                                           \
    receives();                                                                                                        \
    return result;                                                                                                     \
  }
INTERCEPT_REQUEST(aio_read)
INTERCEPT_REQUEST(aio_write)
INTERCEPT_REQUEST(aio_read64)
INTERCEPT_REQUEST(aio_write64)
INTERCEPT_OUTCOME(int, aio_error, const aiocb*)
INTERCEPT_OUTCOME(int, aio_error64, const aiocb*)
INTERCEPT_OUTCOME(ssize_t, aio_return, aiocb*)
INTERCEPT_OUTCOME(ssize_t, aio_return64, aiocb*)
INTERCEPT(int, aio_suspend, (const aiocb* const* requests, int count, const timespec* timeout)) {
  const int result = REAL(aio_suspend)(requests, count, timeout);
  receives();
  return result;
}
INTERCEPT(int, aio_suspend64, (const aiocb* const* requests, int count, const timespec* timeout)) {
  const int result = REAL(aio_suspend64)(requests, count, timeout);
  receives();
  return result;
}
