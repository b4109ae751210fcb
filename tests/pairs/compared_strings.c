// A comparison of strings ends where they differ: what lies behind it, and is another thread's, is not read. With optimisation, a compiler
// likes to compare the whole array. The error: the strings do not differ before the other thread's part.
// EXPECT: race * @write @read
// EXPECT: race * @write_start @read_start
#include <string.h>

#include "pair.h"

char name[8] = {'h', BAD ? 'e' : 'i', BAD ? 'l' : 0, 'l', 'o'};
char start[8] = {'h', BAD ? 'e' : 'i', BAD ? 'l' : 0, 'l', 'o'};
int found;

void* reader(void* unused) {
  found = strcmp(name, "hello") == 0;         // @read
  found += strncmp(start, "hello!!", 7) == 0; // @read_start
  at(0);
  return unused;
}
void* writer(void* unused) {
  at(1);
  for (int i = 5; i < 8; ++i) name[i] = 0;  // @write
  for (int i = 5; i < 8; ++i) start[i] = 0; // @write_start
  return unused;
}

int main(void) {
  run_both(reader, writer);
  return 0;
}
