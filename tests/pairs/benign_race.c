// A race that the program's authors know of and say so, as ThreadSanitizer understands it: nothing is reported of that memory, and
// what is not annotated is reported as ever, even by the same lines.
// EXPECT: race * @write @read
#include <stddef.h>

#include "pair.h"

void AnnotateBenignRaceSized(const char* file, int line, const volatile void* p, size_t bytes, const char* why);

int hits[2], shared[2], seen;

static void set(int* p) {
  *p = 1; // @write
}
static int get(const int* p) {
  return *p; // @read
}

void* writer(void* unused) {
  set(&hits[1]);
  if (BAD) set(&shared[1]);
  at(0);
  return unused;
}
void* reader(void* unused) {
  at(1);
  seen = get(&hits[1]);
  if (BAD) seen += get(&shared[1]);
  return unused;
}

int main(void) {
  AnnotateBenignRaceSized(__FILE__, __LINE__, hits, sizeof hits, "a count that may be a little off");
  run_both(writer, reader);
  return 0;
}
