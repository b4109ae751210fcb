// sprintf and sscanf in their forms.
// EXPECT: write * >=8
// EXPECT-OUTPUT: 12-ab 12-a 12-ab-3
// EXPECT-OUTPUT: 6 5 -6 7 2.5 word x
// EXPECT-OUTPUT: 1 whole 2
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>

static char full[32], cut[5];
static int number;
static short small;
static long large;
static double fraction;
static char word[16], letter;

int main(void) {
  char* made = NULL;
  sprintf(full, "%d-%s", 12, "ab");
  snprintf(cut, sizeof cut, "%d-%s", 12, "ab");
  if (asprintf(&made, "%d-%s-%d", 12, "ab", 3) < 0) return 1;
  printf("%s %s %s\n", full, cut, made);
  free(made);
  const int found =
      sscanf("5 -6 7 2.5 word:x", "%d %hd %ld %lf %15[a-z]:%c", &number, &small, &large, &fraction, word, &letter);
  printf("%d %d %d %ld %.1f %s %c\n", found, number, small, large, fraction, word, letter);
  int skipped_to = 0;
  char* allocated = NULL;
  const int second = sscanf("9 whole", "%*d %ms%n", &allocated, &skipped_to);
  printf("%d %s %d\n", second, allocated, skipped_to - 5);
  free(allocated);
  return 0;
}
