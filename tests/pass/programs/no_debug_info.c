// FLAGS: -g0
// Without debug information a site has its function, and what the symbols say.
// LOG: write4 0x1 'shared' at :0 in main
#include <stdio.h>
int shared;
int main(int argc, char** argv) {
  (void)argv;
  shared = argc;
  printf("%d\n", shared);
  return 0;
}
