// Accesses that the program's authors want nobody to look at, as ThreadSanitizer understands it: the same lines outside of the annotated
// stretch are reported as ever, also where they only repeat what was done inside it.
// EXPECT: race * @write @read
#include "pair.h"

void AnnotateIgnoreReadsBegin(const char* file, int line);
void AnnotateIgnoreReadsEnd(const char* file, int line);
void AnnotateIgnoreWritesBegin(const char* file, int line);
void AnnotateIgnoreWritesEnd(const char* file, int line);

int read_first, written_first, seen;

static void set(int* p) {
  *p = 1; // @write
}
static int get(const int* p) {
  return *p; // @read
}

void* writer(void* unused) {
  set(&read_first);
  AnnotateIgnoreWritesBegin(__FILE__, __LINE__);
  set(&written_first);
  AnnotateIgnoreWritesEnd(__FILE__, __LINE__);
  at(0);
  return unused;
}
void* reader(void* unused) {
  at(1);
  AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
  seen = get(&read_first);
  AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
  AnnotateIgnoreReadsEnd(__FILE__, __LINE__);
  seen += get(&read_first);
  AnnotateIgnoreReadsEnd(__FILE__, __LINE__);
  if (BAD) seen += get(&read_first);
  seen += get(&written_first);
  return unused;
}

int main(void) {
  run_both(writer, reader);
  return 0;
}
