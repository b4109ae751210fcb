// FLAGS: -mcx16
// LIBRARIES: -latomic
// 16-byte atomics, where the machine has them inline.
// LOG: atomic-store16 0x5 order 6 'huge'
// LOG: atomic-rmw16 0x5 to 0x6 operation 1 order 6 'huge'
// LOG: atomic-cas16 0x6 to 0x7 done order 6 failure 6 'huge'
// LOG: atomic-load16 0x7 order 6 'huge'
#include <stdio.h>

__attribute__((aligned(16))) unsigned __int128 huge;

int main(void) {
  const unsigned __int128 high = (unsigned __int128)3 << 64;
  __atomic_store_n(&huge, high | 5, __ATOMIC_SEQ_CST);
  unsigned __int128 old = __atomic_fetch_add(&huge, 1, __ATOMIC_SEQ_CST);
  unsigned __int128 expected = high | 6;
  const int done = __atomic_compare_exchange_n(&huge, &expected, high | 7, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
  const unsigned __int128 now = __atomic_load_n(&huge, __ATOMIC_SEQ_CST);
  printf("%d %d %d %d\n", (int)old, done, (int)now, (int)(now >> 64));
  return 0;
}
