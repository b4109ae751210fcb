// The hooks of a program that is linked with -static: they do nothing, atomics only their work. The
// real runtime intercepts functions of libc and so needs a dynamic program.
#include <stddef.h>

#define __SOOTH__ 1
#include "capture/abi.h"
#include "sooth/monitor.h"
#include "sooth/sooth.h"

// Never matches an access: epoch 1, and a cell of epoch 0. So the inlined code always calls the
// hooks below.
static uint8_t one_cell[32];
// Where functions write their frames. All threads write here and none reads, so that threads may
// share it; large enough that the real stack overflows first. It takes memory only as far as it is
// touched.
static uint64_t frames[(size_t)8 << 20];
// No thread owns anything: the only word differs from every thread's `mine`.
static uint64_t no_owner;
__attribute__((tls_model("initial-exec"))) __thread struct SoothThreadAbi __sooth_thread = {
    0, 0, (uint64_t)1 << 24, frames, frames, one_cell, 0, 0, (uint8_t*)&no_owner, 0, 1, 0};

void __sooth_register_module(const struct SoothModule* module) { (void)module; }

// preserve_most: no register may change.
#define EMPTY_HOOK(name)                                                                                               \
  __asm__(".globl " #name "\n.type " #name ", @function\n" #name ": ret\n.size " #name ", . - " #name "\n")
__asm__(".text\n");
EMPTY_HOOK(__sooth_read1);
EMPTY_HOOK(__sooth_read2);
EMPTY_HOOK(__sooth_read4);
EMPTY_HOOK(__sooth_read8);
EMPTY_HOOK(__sooth_write1);
EMPTY_HOOK(__sooth_write2);
EMPTY_HOOK(__sooth_write4);
EMPTY_HOOK(__sooth_write8);
EMPTY_HOOK(__sooth_branch);
// Monitors: no address is in an empty range, so nobody calls these.
struct SoothMonitoredRange __sooth_monitored = {0, 0};
EMPTY_HOOK(__sooth_monitored_read1);
EMPTY_HOOK(__sooth_monitored_read2);
EMPTY_HOOK(__sooth_monitored_read4);
EMPTY_HOOK(__sooth_monitored_read8);
EMPTY_HOOK(__sooth_monitored_write1);
EMPTY_HOOK(__sooth_monitored_write2);
EMPTY_HOOK(__sooth_monitored_write4);
EMPTY_HOOK(__sooth_monitored_write8);
void __sooth_entered(uint32_t site) { (void)site; }

// ThreadSanitizer's annotations, with -fsooth-tsan-annotations. Weak: a program may have its own.
#define ANNOTATION(name)                                                                                               \
  __asm__(".weak " #name "\n.type " #name ", @function\n" #name ": xorl %eax, %eax\nret\n.size " #name ", . - " #name  \
          "\n")
ANNOTATION(__tsan_init);
ANNOTATION(__tsan_acquire);
ANNOTATION(__tsan_release);
ANNOTATION(__tsan_mutex_create);
ANNOTATION(__tsan_mutex_destroy);
ANNOTATION(__tsan_mutex_pre_lock);
ANNOTATION(__tsan_mutex_post_lock);
ANNOTATION(__tsan_mutex_pre_unlock);
ANNOTATION(__tsan_mutex_post_unlock);
ANNOTATION(__tsan_mutex_pre_signal);
ANNOTATION(__tsan_mutex_post_signal);
ANNOTATION(__tsan_mutex_pre_divert);
ANNOTATION(__tsan_mutex_post_divert);
ANNOTATION(__tsan_get_current_fiber);
ANNOTATION(__tsan_create_fiber);
ANNOTATION(__tsan_destroy_fiber);
ANNOTATION(__tsan_switch_to_fiber);
ANNOTATION(__tsan_set_fiber_name);
ANNOTATION(AnnotateHappensBefore);
ANNOTATION(AnnotateHappensAfter);
ANNOTATION(AnnotateRWLockCreate);
ANNOTATION(AnnotateRWLockCreateStatic);
ANNOTATION(AnnotateRWLockDestroy);
ANNOTATION(AnnotateRWLockAcquired);
ANNOTATION(AnnotateRWLockReleased);
ANNOTATION(AnnotateBenignRace);
ANNOTATION(AnnotateBenignRaceSized);
ANNOTATION(AnnotateNewMemory);
ANNOTATION(AnnotateThreadName);
ANNOTATION(AnnotateIgnoreReadsBegin);
ANNOTATION(AnnotateIgnoreReadsEnd);
ANNOTATION(AnnotateIgnoreWritesBegin);
ANNOTATION(AnnotateIgnoreWritesEnd);
ANNOTATION(AnnotateIgnoreSyncBegin);
ANNOTATION(AnnotateIgnoreSyncEnd);
ANNOTATION(AnnotateEnableRaceDetection);

// <sooth/sooth.h> and <sooth/monitor.h>
void __sooth_user_event(const char* name, long long value) { (void)name, (void)value; }
void __sooth_user_event_double(const char* name, double value) { (void)name, (void)value; }
void __sooth_thread_name(const char* name) { (void)name; }
void __sooth_watch(const char* name, const volatile void* address, size_t bytes, int type) {
  (void)name, (void)address, (void)bytes, (void)type;
}
void __sooth_atomic_begin(const char* name) { (void)name; }
void __sooth_atomic_end(const char* name) { (void)name; }
void __sooth_internal(const char* name, long long value) { (void)name, (void)value; }
int __sooth_on_violation(const char* name, sooth_recovery function, void* context) {
  (void)name, (void)function, (void)context;
  return 0;
}
int __sooth_known(const char* expression, unsigned thread, long long* value) {
  (void)expression, (void)thread, (void)value;
  return 0;
}
int __sooth_monitored_run(void) { return 0; }

void __sooth_read_range(const void* address, const void* bytes, uint64_t size, uint32_t site) {
  (void)address, (void)bytes, (void)size, (void)site;
}
void __sooth_write_range(const void* address, const void* bytes, uint64_t size, uint32_t site) {
  (void)address, (void)bytes, (void)size, (void)site;
}
void __sooth_copy(const void* to, const void* from, uint64_t size, uint32_t site) {
  (void)to, (void)from, (void)size, (void)site;
}
void __sooth_called(void) {}
void __sooth_loop(const void* address, uint64_t size, uint32_t element, uint32_t site, uint32_t what) {
  (void)address, (void)size, (void)element, (void)site, (void)what;
}
void __sooth_fill(const void* to, uint32_t byte, uint64_t size, uint32_t site) {
  (void)to, (void)byte, (void)size, (void)site;
}
void __sooth_fence(uint32_t order, uint32_t site) { (void)order, (void)site; } // the instruction itself stays

// Every operation is made sequentially consistent, which no program can object to.
__extension__ typedef unsigned __int128 uint128;
__extension__ typedef __int128 int128;
typedef int8_t int_1;
typedef int16_t int_2;
typedef int32_t int_4;
typedef int64_t int_8;
typedef int128 int_16;

static uint128 compare_exchange16(void* p, uint128 expected, uint128 desired) {
  uint64_t low = (uint64_t)expected;
  uint64_t high = (uint64_t)(expected >> 64);
  __asm__ volatile("lock cmpxchg16b %2"
                   : "+a"(low), "+d"(high), "+m"(*(volatile uint128*)p)
                   : "b"((uint64_t)desired), "c"((uint64_t)(desired >> 64))
                   : "cc", "memory");
  return (uint128)high << 64 | low;
}
#define COMPARE_EXCHANGE(N, type)                                                                                      \
  static type compare_exchange##N(void* p, type expected, type desired) {                                              \
    __atomic_compare_exchange_n((type*)p, &expected, desired, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);                  \
    return expected;                                                                                                   \
  }
COMPARE_EXCHANGE(1, uint8_t)
COMPARE_EXCHANGE(2, uint16_t)
COMPARE_EXCHANGE(4, uint32_t)
COMPARE_EXCHANGE(8, uint64_t)

#define ATOMICS(N, type)                                                                                               \
  type __sooth_atomic_load##N(const void* p, uint32_t order, uint32_t site) {                                          \
    (void)order, (void)site;                                                                                           \
    return compare_exchange##N((void*)(uintptr_t)p, 0, 0);                                                             \
  }                                                                                                                    \
  type __sooth_atomic_cas##N(void* p, type expected, type desired, uint32_t order, uint32_t failure, uint32_t site) {  \
    (void)order, (void)failure, (void)site;                                                                            \
    return compare_exchange##N(p, expected, desired);                                                                  \
  }                                                                                                                    \
  static type result##N(type old, type operand, uint32_t operation) {                                                  \
    switch (operation) {                                                                                               \
    case kRmwAdd: return (type)(old + operand);                                                                        \
    case kRmwSub: return (type)(old - operand);                                                                        \
    case kRmwAnd: return old & operand;                                                                                \
    case kRmwNand: return (type) ~(old & operand);                                                                     \
    case kRmwOr: return old | operand;                                                                                 \
    case kRmwXor: return old ^ operand;                                                                                \
    case kRmwMax: return (int_##N)old > (int_##N)operand ? old : operand;                                              \
    case kRmwMin: return (int_##N)old < (int_##N)operand ? old : operand;                                              \
    case kRmwUMax: return old > operand ? old : operand;                                                               \
    case kRmwUMin: return old < operand ? old : operand;                                                               \
    default: return operand; /* kRmwXchg */                                                                            \
    }                                                                                                                  \
  }                                                                                                                    \
  type __sooth_atomic_rmw##N(void* p, type operand, uint32_t operation, uint32_t order, uint32_t site) {               \
    (void)order, (void)site;                                                                                           \
    type old = 0;                                                                                                      \
    for (;;) {                                                                                                         \
      const type seen = compare_exchange##N(p, old, result##N(old, operand, operation));                               \
      if (seen == old) return old;                                                                                     \
      old = seen;                                                                                                      \
    }                                                                                                                  \
  }                                                                                                                    \
  void __sooth_atomic_store##N(void* p, type value, uint32_t order, uint32_t site) {                                   \
    (void)__sooth_atomic_rmw##N(p, value, kRmwXchg, order, site);                                                      \
  }
ATOMICS(1, uint8_t)
ATOMICS(2, uint16_t)
ATOMICS(4, uint32_t)
ATOMICS(8, uint64_t)
ATOMICS(16, uint128)
