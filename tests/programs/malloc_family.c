// malloc and its relatives. Others allocate too (stdio), so counts are lower bounds.
// EXPECT: alloc * >=12
// EXPECT: free * >=11
// EXPECT-OUTPUT: 7 grown zero text te
#define _GNU_SOURCE
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
  int* number = malloc(sizeof *number);
  *number = 7;
  char* zeros = calloc(10, 3);
  char* grows = malloc(8);
  strcpy(grows, "grown");
  grows = realloc(grows, 100000);
  grows = reallocarray(grows, 2, 8);
  void* aligned = NULL;
  if (posix_memalign(&aligned, 64, 100) != 0) return 1;
  void* second = aligned_alloc(64, 128);
  void* third = memalign(32, 10);
  void* page = valloc(10);
  void* pages = pvalloc(10);
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
