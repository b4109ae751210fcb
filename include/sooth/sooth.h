/* What a program may tell Sooth about itself. C11 and later, C++11 and later.
 *
 * Without Sooth's compilers (which define __SOOTH__) all of this compiles to nothing. Arguments of the functions are
 * evaluated in either case, so that a program does the same with and without Sooth.
 *
 *   sooth_event("landed", speed);            an event of the program's own, with a value; properties can name it
 *   sooth_event_double("height", 0.25);      the same for floating-point numbers
 *   sooth_thread_name("radio");              the calling thread's name in reports
 *   SOOTH_WATCH("head", queue->head);        names a variable or a part of a heap object, and keeps all writes to it
 *   { SOOTH_ATOMIC("transfer"); ... }        the rest of the block is meant to be atomic: Sooth looks for runs in which
 *                                            it is not
 *   SOOTH_ATOMIC_BEGIN("transfer"); ... SOOTH_ATOMIC_END("transfer");   where the block is not a scope
 *   SOOTH_NO_RECORD void checksum(...)       nothing that this function does is recorded
 *   SOOTH_TERMINATES();                      reserved; has no effect yet
 */
#ifndef SOOTH_SOOTH_H
#define SOOTH_SOOTH_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifdef __SOOTH__

/* The functions behind the names above, in Sooth's runtime library. */
void __sooth_user_event(const char* name, long long value);
void __sooth_user_event_double(const char* name, double value);
void __sooth_thread_name(const char* name);
void __sooth_watch(const char* name, const volatile void* address, size_t bytes);
void __sooth_atomic_begin(const char* name);
void __sooth_atomic_end(const char* name);

#define sooth_event(name, value) __sooth_user_event((name), (long long)(value))
#define sooth_event_double(name, value) __sooth_user_event_double((name), (double)(value))
#define sooth_thread_name(name) __sooth_thread_name(name)

#ifdef __cplusplus
#define SOOTH_WATCH(name, lvalue) __sooth_watch((name), __builtin_addressof(lvalue), sizeof(lvalue))
#else
#define SOOTH_WATCH(name, lvalue) __sooth_watch((name), &(lvalue), sizeof(lvalue))
#endif

#define SOOTH_ATOMIC_BEGIN(name) __sooth_atomic_begin(name)
#define SOOTH_ATOMIC_END(name) __sooth_atomic_end(name)

#define SOOTH_JOIN_AGAIN_(a, b) a##b
#define SOOTH_JOIN_(a, b) SOOTH_JOIN_AGAIN_(a, b)
#ifdef __cplusplus
} /* extern "C" */
namespace sooth {
class AtomicBlock {
public:
  explicit AtomicBlock(const char* name) : name_(name) { __sooth_atomic_begin(name); }
  ~AtomicBlock() { __sooth_atomic_end(name_); }
  AtomicBlock(const AtomicBlock&) = delete;
  AtomicBlock& operator=(const AtomicBlock&) = delete;

private:
  const char* name_;
};
} // namespace sooth
extern "C" {
#define SOOTH_ATOMIC(name) const ::sooth::AtomicBlock SOOTH_JOIN_(sooth_block_, __LINE__)(name)
#else
static inline __attribute__((unused)) const char* sooth_enter_block_(const char* name) {
  __sooth_atomic_begin(name);
  return name;
}
static inline __attribute__((unused)) void sooth_leave_block_(const char* const* name) { __sooth_atomic_end(*name); }
#define SOOTH_ATOMIC(name)                                                                                             \
  __attribute__((cleanup(sooth_leave_block_), unused)) const char* const SOOTH_JOIN_(sooth_block_, __LINE__) =         \
      sooth_enter_block_(name)
#endif

#define SOOTH_NO_RECORD __attribute__((annotate("sooth_no_record")))

#else /* without Sooth */

static inline __attribute__((unused)) void sooth_event_(const char* name, long long value) {
  (void)name;
  (void)value;
}
static inline __attribute__((unused)) void sooth_event_double_(const char* name, double value) {
  (void)name;
  (void)value;
}
static inline __attribute__((unused)) void sooth_name_(const char* name) { (void)name; }

#define sooth_event(name, value) sooth_event_((name), (long long)(value))
#define sooth_event_double(name, value) sooth_event_double_((name), (double)(value))
#define sooth_thread_name(name) sooth_name_(name)
#define SOOTH_WATCH(name, lvalue) ((void)sizeof(lvalue))
#define SOOTH_ATOMIC(name) ((void)0)
#define SOOTH_ATOMIC_BEGIN(name) ((void)0)
#define SOOTH_ATOMIC_END(name) ((void)0)
#define SOOTH_NO_RECORD

#endif

#define SOOTH_TERMINATES() ((void)0)

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif
