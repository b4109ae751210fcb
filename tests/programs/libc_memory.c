// mem* through pointers that the compiler does not know, so that the calls stay calls.
// EXPECT: write * >=5
// EXPECT: read * >=5
// EXPECT-OUTPUT: abcabc aabcbc zzz 0 1 found 4
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>

static void* (*volatile copy)(void*, const void*, size_t) = memcpy;
static void* (*volatile move)(void*, const void*, size_t) = memmove;
static void* (*volatile fill)(void*, int, size_t) = memset;
static int (*volatile compare)(const void*, const void*, size_t) = memcmp;
static void* (*volatile find)(const void*, int, size_t) = memchr;
static void* (*volatile copy_on)(void*, const void*, size_t) = mempcpy;

static char a[16] = "abc", b[16], c[16] = "abcbc", d[16];

int main(void) {
  char* end = copy_on(copy_on(b, a, 3), a, 3);
  *end = 0;
  move(c + 1, c, 3);
  copy(c + 4, "bc", 3);
  fill(d, 'z', 3);
  const int equal = compare(a, b, 3);
  const int less = compare(a, d, 3) < 0;
  printf("%s %s %s %d %d %s %d\n", b, c, d, equal, less, find(a, 'c', 16) == a + 2 ? "found" : "?", (int)(end - b) - 2);
  return 0;
}
