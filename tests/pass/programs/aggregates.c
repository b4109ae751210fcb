// Structures, arrays, bit-fields, packed and unaligned members, unions.
// LOG: write4 0x7 'acct->id'@@signed
// LOG: write8 0x64 'acct->balance'@@signed
// LOG: read8 0x64 'copy_of.balance'
// LOG: write4 0x3 'accts[...].id'
// LOG: write4 0x9 'accts[2].id'
// LOG: write1 0x41 'acct->name[1]'
// LOG: write4 0x11223344 'packed.value'
// LOG: read4 0x11223344 'packed.value'
// LOG: write2 0x1f 'tight[1].wide'
// LOG: 'bits.{low,high,rest}'@@ bit-field
// LOG: write4 0x3f800000 'either'@@float
// LOG: write4 0x5 'cfg.limits.high'
// LOG: write4 0x6 'grid[...][...]'
// LOG: copy 32 07000000000000006400000000000000@@'*to' at
// LOG: fill 32 0x00 '*acct'
// LOG: 'queue[...]'
// LOG: write4 0x1 'slots[3]'
// LOG: global aggregates.c:queue : int [8] size 32
// LOG: global accts : struct account [4] size 128
#include <stdio.h>
#include <string.h>

struct account {
  int id;
  long balance;
  char name[16];
};
struct account accts[4], copy_of;
struct __attribute__((packed)) {
  char tag;
  int value;
} packed;
struct __attribute__((packed)) pair {
  char tag;
  short wide;
} tight[2];
struct {
  unsigned low : 3, high : 7;
  int rest : 20;
} bits;
union {
  float real;
  unsigned raw;
} either;
struct {
  int ready;
  struct {
    int low, high;
  } limits;
} cfg;
int grid[3][5];
static int queue[8];
int slots[4];

__attribute__((noinline)) void deposit(struct account* acct, int amount) {
  acct->id = 7;
  acct->balance += amount;
  acct->name[1] = 'A';
}
__attribute__((noinline)) void assign(struct account* to, const struct account* from) { *to = *from; }
__attribute__((noinline)) void clear(struct account* acct) { memset(acct, 0, sizeof *acct); }
__attribute__((noinline)) void at(int i, int j) {
  accts[i].id = 3;
  accts[2].id = 9;
  grid[i][j] = 6;
  for (int k = 0; k < i + 4; ++k) queue[(k * 3) % 8] = k;
  slots[3] = 1;
}
__attribute__((noinline)) void odd(int one) {
  packed.value = 0x11223344 * one;
  tight[1].wide = (short)(0x1f * one);
  bits.high = (unsigned)(0x55 * one);
  bits.rest = -3 * one;
  either.real = (float)one;
  cfg.limits.high = 5 * one;
}

int main(int argc, char** argv) {
  (void)argv;
  deposit(&accts[0], 100 * argc);
  assign(&copy_of, &accts[0]);
  clear(&accts[0]);
  at(argc, argc + 1);
  odd(argc);
  int sum = 0;
  for (int k = 0; k < 8; ++k) sum += queue[k];
  printf("%d %ld %d %d %d %d %x %d %d\n", copy_of.id, copy_of.balance, accts[1].id, grid[1][2], packed.value,
         tight[1].wide, either.raw, bits.high, bits.rest);
  printf("%ld %d %d %d\n", accts[0].balance, sum, slots[3], cfg.limits.high);
  return 0;
}
