// malloc and its relatives. Others allocate too (stdio), so counts are lower bounds.
// EXPECT: alloc * >=12
// EXPECT: free * >=11
// EXPECT-OUTPUT: 7 grown zero text te
#define _GNU_SOURCE
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// An object that nobody looks at, the compiler leaves out.
static void* keep(void* p) {
  __asm__ volatile("" : "+r"(p) : : "memory");
  return p;
}

int main(void) {
  int* number = keep(malloc(sizeof *number));
  *number = 7;
  char* zeros = keep(calloc(10, 3));
  char* grows = keep(malloc(8));
  strcpy(grows, "grown");
  grows = keep(realloc(grows, 100000));
  grows = reallocarray(grows, 2, 8);
  void* aligned = NULL;
  if (posix_memalign(&aligned, 64, 100) != 0) return 1;
  void* second = keep(aligned_alloc(64, 128));
  void* third = keep(memalign(32, 10));
  void* page = keep(valloc(10));
  void* pages = keep(pvalloc(10));
  char* text = strdup("text");
  char* part = strndup("text", 2);
  printf("%d %s %s %s %s\n", *number, grows, zeros[29] == 0 ? "zero" : "?", text, part);
  free(number);
  free(zeros);
  free(grows);
  free(aligned);
  free(second);
  free(third);
  free(page);
  free(pages);
  free(text);
  free(part);
  free(NULL);
  return 0;
}
