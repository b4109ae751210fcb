// read, write, vectors and sockets.
// EXPECT: write * >=4
// EXPECT: read * >=4
// EXPECT-OUTPUT: pipe vec tor sock
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

static char a[8], b[8], c[8], d[8];

int main(void) {
  int ends[2], sockets[2];
  if (pipe(ends) != 0 || socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) != 0) return 1;
  if (write(ends[1], "pipe", 4) != 4 || read(ends[0], a, sizeof a) != 4) return 1;
  struct iovec out[2] = {{"vec", 3}, {"tor", 3}};
  struct iovec in[2] = {{b, 3}, {c, 5}};
  if (writev(ends[1], out, 2) != 6 || readv(ends[0], in, 2) != 6) return 1;
  if (send(sockets[0], "sock", 4, 0) != 4 || recv(sockets[1], d, sizeof d, 0) != 4) return 1;
  printf("%s %s %s %s\n", a, b, c, d);
  return 0;
}
