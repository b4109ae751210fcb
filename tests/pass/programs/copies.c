// Copies between shared and private memory: the shared side alone is recorded, with the bytes.
// LOG: write-range 12 010000000200000003000000 'shared'
// LOG: read-range 12 010000000200000003000000 'shared'
// LOG: write8 0x200000001 'pair'
// LOG: fill 12 0xff 'shared'
// LOG: copy 12 ffffffffffffffffffffffff '@@copy_of'
// LEVELS: -O0
#include <stdio.h>
#include <string.h>

struct three {
  int a, b, c;
} shared, copy_of;
struct two {
  int a, b;
} pair;

int main(void) {
  struct three x = {1, 2, 3};
  shared = x;
  struct three y = shared;
  struct two z = {1, 2};
  pair = z;
  memset(&shared, 0xff, sizeof shared);
  memmove(&copy_of, &shared, sizeof shared);
  printf("%d %d %d %d\n", y.a, y.c, pair.b, copy_of.a);
  return 0;
}
