// C11 atomics of every size, operation and order.
// LOG: atomic-store1 0x1 order 6 'flag'
// LOG: atomic-load1 0x1 order 3 'flag'
// LOG: atomic-store2 0x2 order 4 'half'
// LOG: atomic-load2 0x2 order 1 'half'
// LOG: atomic-rmw4 0x0 to 0x5 operation 1 order 6 'word'@@signed
// LOG: atomic-rmw4 0x5 to 0x3 operation 2 order 1 'word'
// LOG: atomic-rmw4 0x3 to 0x2 operation 3 order 3 'word'
// LOG: atomic-rmw4 0x2 to 0xa operation 5 order 4 'word'
// LOG: atomic-rmw4 0xa to 0xb operation 6 order 5 'word'
// LOG: atomic-rmw8 0x0 to 0x9 operation 0 order 6 'wide'
// LOG: atomic-cas8 0x9 to 0xa done order 6 failure 6 'wide'
// LOG: atomic-cas8 0xa to 0xc failed order 5 failure 3 'wide'
// LOG: atomic-cas4 0xb to 0xc done order 4 failure 1 'word'
// LOG: atomic-rmw4 0xc to 0xfffffff0 operation 8 order 6 'word'
// LOG: atomic-rmw4 0xfffffff0 to 0x7 operation 7 order 6 'word'
// LOG: atomic-rmw4 0x7 to 0xfffffff8 operation 4 order 6 'word'
// LOG: 'pointer'@@pointer
// LOG: fence order 6
// LOG: fence order 3
// LOG: fence order 4
// LOG: fence order 5
// LOG: atomic-rmw1 0x0 to 0x1 operation 0 order 3 'spin
// LOG: atomic-store1 0x0 order 4 'spin
#include <stdatomic.h>
#include <stdio.h>

_Atomic _Bool flag;
atomic_ushort half;
atomic_int word;
_Atomic long wide;
_Atomic(int*) pointer;
_Atomic float real;
int plain;
atomic_flag spin = ATOMIC_FLAG_INIT;

int main(void) {
  flag = 1;
  int sum = atomic_load_explicit(&flag, memory_order_acquire);
  atomic_store_explicit(&half, 2, memory_order_release);
  sum += atomic_load_explicit(&half, memory_order_relaxed);
  sum += atomic_fetch_add(&word, 5);
  sum += atomic_fetch_sub_explicit(&word, 2, memory_order_relaxed);
  sum += atomic_fetch_and_explicit(&word, 2, memory_order_acquire);
  sum += atomic_fetch_or_explicit(&word, 8, memory_order_release);
  sum += atomic_fetch_xor_explicit(&word, 1, memory_order_acq_rel);
  sum += (int)atomic_exchange(&wide, 9);
  long expected = 9;
  sum += 100 * atomic_compare_exchange_strong(&wide, &expected, 10);
  expected = 11;
  sum += 1000 * atomic_compare_exchange_weak_explicit(&wide, &expected, 12, memory_order_acq_rel, memory_order_acquire);
  int other = 11;
  sum += atomic_compare_exchange_strong_explicit(&word, &other, 12, memory_order_release, memory_order_relaxed);
  sum += __atomic_fetch_min((int*)&word, -16, __ATOMIC_SEQ_CST);
  sum += __atomic_fetch_max((int*)&word, 7, __ATOMIC_SEQ_CST);
  sum += __atomic_fetch_nand((int*)&word, 7, __ATOMIC_SEQ_CST);
  pointer = &plain;
  sum += *atomic_load(&pointer);
  pointer = &plain + 1;
  sum += (int)(atomic_load(&pointer) - &plain);
  real = 1.5f;
  real += 2.0f;
  atomic_thread_fence(memory_order_seq_cst);
  sum += atomic_load_explicit(&word, memory_order_relaxed);
  atomic_thread_fence(memory_order_acquire);
  sum += atomic_load_explicit(&word, memory_order_relaxed);
  atomic_thread_fence(memory_order_release);
  sum += atomic_load_explicit(&word, memory_order_relaxed);
  atomic_thread_fence(memory_order_acq_rel);
  atomic_signal_fence(memory_order_seq_cst);
  sum += atomic_flag_test_and_set_explicit(&spin, memory_order_acquire);
  atomic_flag_clear_explicit(&spin, memory_order_release);
  printf("%d %d %ld %ld %g\n", sum, word, wide, expected, (double)real);
  return 0;
}
