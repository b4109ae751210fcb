// Streams: fread, fwrite, fgets, fputs, getline.
// EXPECT: write * >=4
// EXPECT: read * >=2
// EXPECT-OUTPUT: first second third 5
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char raw[8], line[16];

int main(void) {
  FILE* file = tmpfile();
  char* whole = NULL;
  size_t room = 0;
  if (file == NULL) return 1;
  if (fwrite("first", 1, 5, file) != 5) return 1;
  fputs("second\nthird\n", file);
  rewind(file);
  if (fread(raw, 1, 5, file) != 5 || fgets(line, sizeof line, file) == NULL) return 1;
  line[strcspn(line, "\n")] = 0;
  const ssize_t length = getline(&whole, &room, file);
  whole[strcspn(whole, "\n")] = 0;
  printf("%s %s %s %d\n", raw, line, whole, (int)length - 1);
  free(whole);
  fclose(file);
  return 0;
}
