// Compiled with -fno-sooth-own: it does not say that it stores.
#include <stddef.h>

void fill(long* words, size_t count, long value) {
  for (size_t i = 0; i < count; ++i) words[(i * 5) % count] = value;
}
