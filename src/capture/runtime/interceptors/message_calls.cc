// Calls by which threads hear of each other through the kernel: signals that are waited for, POSIX message queues,
// locks of files. Whoever gives something sends (before the call), whoever waits receives (after it, whatever it returned).
#include "capture/runtime/interceptors/calls.h"

#include <csignal>
#include <mqueue.h>
#include <sys/file.h>
#include <unistd.h>

using namespace sooth::runtime;

// --- signals --------------------------------------------------------------------------------------------------------

INTERCEPT(int, kill, (pid_t process, int number)) {
  sends();
  return REAL(kill)(process, number);
}
INTERCEPT(int, pthread_kill, (pthread_t thread, int number)) {
  sends();
  return REAL(pthread_kill)(thread, number);
}
INTERCEPT(int, sigqueue, (pid_t process, int number, const sigval value)) {
  sends();
  return REAL(sigqueue)(process, number, value);
}
INTERCEPT(int, sigwait, (const sigset_t* set, int* number)) {
  const int result = REAL(sigwait)(set, number);
  receives();
  if (result == 0) writes(number, sizeof *number);
  return result;
}
INTERCEPT(int, sigwaitinfo, (const sigset_t* set, siginfo_t* information)) {
  const int result = REAL(sigwaitinfo)(set, information);
  receives();
  if (result > 0) writes(information, sizeof *information);
  return result;
}
INTERCEPT(int, sigtimedwait, (const sigset_t* set, siginfo_t* information, const timespec* timeout)) {
  const int result = REAL(sigtimedwait)(set, information, timeout);
  receives();
  if (result > 0) writes(information, sizeof *information);
  return result;
}
INTERCEPT(int, sigsuspend, (const sigset_t* mask)) {
  const int result = REAL(sigsuspend)(mask);
  receives();
  return result;
}
INTERCEPT(int, pause, ()) {
  const int result = REAL(pause)();
  receives();
  return result;
}

// --- message queues ----------------------------------------------------------------------------------------------------

INTERCEPT(int, mq_send, (mqd_t queue, const char* text, std::size_t bytes, unsigned priority)) {
  sends();
  reads(text, bytes);
  return REAL(mq_send)(queue, text, bytes, priority);
}
INTERCEPT(int, mq_timedsend,
          (mqd_t queue, const char* text, std::size_t bytes, unsigned priority, const timespec* timeout)) {
  sends();
  reads(text, bytes);
  return REAL(mq_timedsend)(queue, text, bytes, priority, timeout);
}
INTERCEPT(ssize_t, mq_receive, (mqd_t queue, char* text, std::size_t bytes, unsigned* priority)) {
  const ssize_t result = REAL(mq_receive)(queue, text, bytes, priority);
  receives();
  if (result >= 0) writes(text, static_cast<std::size_t>(result)), writes(priority, sizeof *priority);
  return result;
}
INTERCEPT(ssize_t, mq_timedreceive,
          (mqd_t queue, char* text, std::size_t bytes, unsigned* priority, const timespec* timeout)) {
  const ssize_t result = REAL(mq_timedreceive)(queue, text, bytes, priority, timeout);
  receives();
  if (result >= 0) writes(text, static_cast<std::size_t>(result)), writes(priority, sizeof *priority);
  return result;
}
// --- locks of files: who gives and who waits is in the operation, so every call does both -----------------------------------------

INTERCEPT(int, flock, (int file, int operation)) {
  sends();
  const int result = REAL(flock)(file, operation);
  receives();
  return result;
}
INTERCEPT(int, lockf, (int file, int operation, off_t bytes)) {
  sends();
  const int result = REAL(lockf)(file, operation, bytes);
  receives();
  return result;
}
