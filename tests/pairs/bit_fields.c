// Neighbouring bit-fields are one memory location, unless one of width zero stands between them.
// EXPECT: race * @first @second
#include "pair.h"

struct {
  unsigned a : 4;
#if !BAD
  unsigned : 0;
#endif
  unsigned b : 4;
} flags;

void* first(void* unused) {
  flags.a = 1; // @first
  return unused;
}
void* second(void* unused) {
  flags.b = 2; // @second
  return unused;
}

int main(void) {
  run_both(first, second);
  return 0;
}
