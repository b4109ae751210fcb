/* Annotations: what a program may tell Sooth about itself. C11 and later, C++11 and later.
 *
 * Without Sooth's compilers (which define __SOOTH__) all of this compiles to nothing. Arguments of
 * the functions are evaluated in either case, so that a program does the same with and without
 * Sooth.
 *
 *   sooth_event("landed", speed);         an event of the program's own, with a value; properties
 *                                         can name it
 *   sooth_event_double("height", 0.25);   the same for floating-point numbers
 *   sooth_thread_name("radio");           the calling thread's name in reports
 *   SOOTH_WATCH("head", queue->head);     names a variable or a part of a heap object, and keeps
 *                                         all writes to it
 *   { SOOTH_ATOMIC("transfer"); ... }     the rest of the block is meant to be atomic: Sooth looks
 *                                         for runs in which it is not
 *   SOOTH_ATOMIC_BEGIN("transfer"); ... SOOTH_ATOMIC_END("transfer");
 *                                         the same for a block that is not a scope
 *   SOOTH_NO_RECORD void checksum(...)    nothing that this function does is recorded
 *   SOOTH_LOOKS_AT_NOTHING void log(...)  this function has no hooks, and neither reads nor writes
 *                                         memory of the program that decides something
 *   SOOTH_ONLY_LOOKS void log(int value)  the same, and what it is given it only prints: if it got
 *                                         other values, the program would do the same
 *   SOOTH_FAILS void die(int status)      a caller of this function has failed: a run that comes to
 *                                         it is an error, as if it called abort
 *   SOOTH_TERMINATES();                   the loop around this always ends (docs/static_facts.md)
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
/* `type` (SOOTH_TYPE_...) is for the compiler's tables; the runtime does not look at it. */
void __sooth_watch(const char* name, const volatile void* address, size_t bytes, int type);
void __sooth_atomic_begin(const char* name);
void __sooth_atomic_end(const char* name);

#define sooth_event(name, value) __sooth_user_event((name), (long long)(value))
#define sooth_event_double(name, value) __sooth_user_event_double((name), (double)(value))
#define sooth_thread_name(name) __sooth_thread_name(name)

/* The type of a watched variable, so that properties can compute with it. Of structures only the
 * bytes are known. */
enum {
  SOOTH_TYPE_OTHER = 0,
  SOOTH_TYPE_SIGNED = 1,
  SOOTH_TYPE_UNSIGNED = 2,
  SOOTH_TYPE_FLOAT = 3,
  SOOTH_TYPE_BOOL = 4,
  SOOTH_TYPE_POINTER = 5
};

#ifdef __cplusplus
} /* extern "C" */
namespace sooth {
template <typename T>
struct PlainType {
  typedef T type;
};
template <typename T>
struct PlainType<const T> {
  typedef typename PlainType<T>::type type;
};
template <typename T>
struct PlainType<volatile T> {
  typedef typename PlainType<T>::type type;
};
template <typename T>
struct PlainType<const volatile T> {
  typedef typename PlainType<T>::type type;
};
/* Integers and enumerations convert to each other; the rest is distinguished by name. */
template <typename T, bool IsEnum>
struct IntegerCode {
  enum { value = SOOTH_TYPE_OTHER };
};
template <typename T>
struct IntegerCode<T, true> {
  enum { value = (__underlying_type(T))(-1) < (__underlying_type(T))(0) ? SOOTH_TYPE_SIGNED : SOOTH_TYPE_UNSIGNED };
};
/* std::atomic and its like: an object that is exactly one value. */
template <typename T>
struct Nothing {
  typedef void type;
};
template <typename T, typename = void>
struct WrapperCode {
  enum { value = IntegerCode<T, __is_enum(T)>::value };
};
template <typename T>
struct TypeCode;
template <typename T>
struct WrapperCode<T, typename Nothing<typename T::value_type>::type> {
  enum { value = sizeof(T) == sizeof(typename T::value_type) ? TypeCode<typename T::value_type>::value : 0 };
};
template <typename T>
struct TypeCode {
  enum { value = WrapperCode<T>::value };
};
template <typename T>
struct TypeCode<T*> {
  enum { value = SOOTH_TYPE_POINTER };
};
#define SOOTH_CODE_(type_, code)                                                                                       \
  template <>                                                                                                          \
  struct TypeCode<type_> {                                                                                             \
    enum { value = code };                                                                                             \
  };
SOOTH_CODE_(bool, SOOTH_TYPE_BOOL)
SOOTH_CODE_(char, (char)(-1) < 0 ? SOOTH_TYPE_SIGNED : SOOTH_TYPE_UNSIGNED)
SOOTH_CODE_(wchar_t, (wchar_t)(-1) < 0 ? SOOTH_TYPE_SIGNED : SOOTH_TYPE_UNSIGNED)
SOOTH_CODE_(char16_t, SOOTH_TYPE_UNSIGNED)
SOOTH_CODE_(char32_t, SOOTH_TYPE_UNSIGNED)
SOOTH_CODE_(signed char, SOOTH_TYPE_SIGNED)
SOOTH_CODE_(short, SOOTH_TYPE_SIGNED)
SOOTH_CODE_(int, SOOTH_TYPE_SIGNED)
SOOTH_CODE_(long, SOOTH_TYPE_SIGNED)
SOOTH_CODE_(long long, SOOTH_TYPE_SIGNED)
SOOTH_CODE_(unsigned char, SOOTH_TYPE_UNSIGNED)
SOOTH_CODE_(unsigned short, SOOTH_TYPE_UNSIGNED)
SOOTH_CODE_(unsigned, SOOTH_TYPE_UNSIGNED)
SOOTH_CODE_(unsigned long, SOOTH_TYPE_UNSIGNED)
SOOTH_CODE_(unsigned long long, SOOTH_TYPE_UNSIGNED)
SOOTH_CODE_(float, SOOTH_TYPE_FLOAT)
SOOTH_CODE_(double, SOOTH_TYPE_FLOAT)
#undef SOOTH_CODE_
template <typename T>
struct WatchedCode {
  enum { value = TypeCode<typename PlainType<T>::type>::value };
};
template <typename T>
struct WatchedCode<T&> {
  enum { value = WatchedCode<T>::value };
};
} // namespace sooth
extern "C" {
#define SOOTH_WATCH(name, lvalue)                                                                                      \
  __sooth_watch((name), __builtin_addressof(lvalue), sizeof(lvalue), ::sooth::WatchedCode<decltype((lvalue))>::value)
#else
#define SOOTH_WATCH(name, lvalue) __sooth_watch((name), &(lvalue), sizeof(lvalue), SOOTH_TYPE_CODE_(lvalue))
#define SOOTH_TYPE_CODE_(lvalue)                                                                                       \
  _Generic((lvalue),                                                                                                   \
      _Bool: SOOTH_TYPE_BOOL,                                                                                          \
      char: (char)-1 < 0 ? SOOTH_TYPE_SIGNED : SOOTH_TYPE_UNSIGNED,                                                    \
      signed char: SOOTH_TYPE_SIGNED,                                                                                  \
      short: SOOTH_TYPE_SIGNED,                                                                                        \
      int: SOOTH_TYPE_SIGNED,                                                                                          \
      long: SOOTH_TYPE_SIGNED,                                                                                         \
      long long: SOOTH_TYPE_SIGNED,                                                                                    \
      unsigned char: SOOTH_TYPE_UNSIGNED,                                                                              \
      unsigned short: SOOTH_TYPE_UNSIGNED,                                                                             \
      unsigned: SOOTH_TYPE_UNSIGNED,                                                                                   \
      unsigned long: SOOTH_TYPE_UNSIGNED,                                                                              \
      unsigned long long: SOOTH_TYPE_UNSIGNED,                                                                         \
      float: SOOTH_TYPE_FLOAT,                                                                                         \
      double: SOOTH_TYPE_FLOAT,                                                                                        \
      default: __builtin_classify_type(lvalue) == 5 ? SOOTH_TYPE_POINTER : SOOTH_TYPE_OTHER)
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
#define SOOTH_LOOKS_AT_NOTHING __attribute__((annotate("sooth_looks_at_nothing")))
#define SOOTH_ONLY_LOOKS __attribute__((annotate("sooth_only_looks")))
#define SOOTH_FAILS __attribute__((annotate("sooth_fails")))

void __sooth_terminates(void) __attribute__((nothrow));
#define SOOTH_TERMINATES() __sooth_terminates()

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
#define SOOTH_LOOKS_AT_NOTHING
#define SOOTH_ONLY_LOOKS
#define SOOTH_FAILS
#define SOOTH_TERMINATES() ((void)0)

#endif

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif
