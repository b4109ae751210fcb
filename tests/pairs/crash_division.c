// A division by zero.
// END: crash
// EXPECT: crash *
// NOTE: signal 8 (Floating point exception)
#include "pair.h"

volatile int divisor = BAD ? 0 : 1;

__attribute__((noinline)) int divide(int by) { return 7 / by; }

int main(void) { return divide(divisor) - 7; }
