// Operations that the runtime has no hook for become loops of compare-exchange.
// LOG: atomic-cas4 0x3fc00000 to 0x40600000 done order 6 failure 6 'real'@@float
// LOG: atomic-cas8 0x4000000000000000 to 0x3ff0000000000000 done order 1 failure 1 'precise'@@float
#include <stdio.h>

float real = 1.5f;
double precise = 2.0;

int main(void) {
  const float old = __atomic_fetch_add(&real, 2.0f, __ATOMIC_SEQ_CST);
  const double before = __atomic_fetch_sub(&precise, 1.0, __ATOMIC_RELAXED);
  printf("%g %g %g %g\n", (double)old, (double)real, before, precise);
  return 0;
}
