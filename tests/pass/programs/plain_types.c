// Every kind of plain access: the value at the hook, its size and its name.
// LOG: write1 0x1 'flag' at plain_types.c
// LOG: write1 0xfe 'tiny'@@signed
// LOG: write2 0xbeef 'half'
// LOG: write4 0xffffffff 'word'@@signed
// LOG: write8 0x123456789abcdef 'wide'
// LOG: write4 0x3fc00000 'real'@@float
// LOG: write8 0xbff8000000000000 'precise'@@float
// LOG: write-range 10 00000000000000a00040 'extended'
// LOG: write8 0x5 'huge'
// LOG: write8 0x7 'huge'
// LOG: 'pointer'@@pointer
// LOG: 'function'@@pointer
// LOG: read1 0x1 'flag'
// LOG: read1 0xfe 'tiny'
// LOG: read2 0xbeef 'half'
// LOG: read4 0xffffffff 'word'
// LOG: read8 0x123456789abcdef 'wide'
// LOG: read4 0x3fc00000 'real'
// LOG: read8 0xbff8000000000000 'precise'
// LOG: read-range 10 00000000000000a00040 'extended'
// LOG: read8 0x5 'huge'
// LOG: write4 0x2a 'steady'@@volatile
// LOG: read4 0x2a 'steady'@@volatile
// LOG: write8 0x3ff0000000000000 'plane
// LOG: write8 0x4000000000000000 'plane
// LOG: write4 0x2 'mood'
// LOG: global plain_types.c:mood : enum mood size 4
// LOG: global wide : unsigned long size 8
// LOG: global pointer : int* size 8
#include <complex.h>
#include <stdbool.h>
#include <stdio.h>

bool flag;
signed char tiny;
unsigned short half;
int word;
unsigned long wide;
float real;
double precise;
long double extended;
__int128 huge;
int* pointer;
int (*function)(const char*);
volatile int steady;
double complex plane;
enum mood { calm, tense, wild };
static enum mood mood;

__attribute__((noinline)) void set(int one) {
  flag = one;
  tiny = (signed char)(-2 * one);
  half = (unsigned short)(0xbeef * one);
  word = -one;
  wide = 0x0123456789abcdef * (unsigned long)one;
  real = 1.5f * (float)one;
  precise = -1.5 * one;
  extended = 2.5L * one;
  huge = ((__int128)(7 * one) << 64) + 5 * one;
  pointer = &word;
  function = puts;
  steady = 42;
  plane = (1 + 2 * I) * one;
  mood = (enum mood)(2 * one);
}

__attribute__((noinline)) int get(void) {
  printf("%d %d %d %d %lx %g %g %Lg %lld %lld\n", flag, tiny, half, word, wide, (double)real, precise, extended,
         (long long)huge, (long long)(huge >> 64));
  printf("%g %g %d\n", creal(plane), cimag(plane), (int)mood);
  function("called through a pointer");
  return *pointer + steady;
}

int main(int argc, char** argv) {
  (void)argv;
  set(argc);
  return get();
}
