// Mappings: anonymous, of a file, moved, refused.
// EXPECT: map * x3
// EXPECT: unmap * x3
// EXPECT-OUTPUT: zero kept refused #
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

int main(void) {
  char* fresh = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (fresh == MAP_FAILED) return 1;
  const char* first = fresh[5000] == 0 ? "zero" : "?";
  fresh[100] = 'k';
  char* moved = mremap(fresh, 8192, 1 << 20, MREMAP_MAYMOVE);
  if (moved == MAP_FAILED) return 1;
  const char* second = moved[100] == 'k' ? "kept" : "?";
  const char* third = munmap(moved + 1, 100) != 0 ? "refused" : "?";
  munmap(moved, 1 << 20);
  char line[] = "#";
  const int file = open("/proc/self/exe", O_RDONLY);
  char* mapped = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, file, 0);
  if (mapped == MAP_FAILED) return 1;
  if (mapped[1] != 'E') line[0] = '?';
  munmap(mapped, 4096);
  close(file);
  printf("%s %s %s %s\n", first, second, third, line);
  return 0;
}
