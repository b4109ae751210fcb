// Calls that need a file descriptor to be open, and those that close one, each before the call. The
// standard streams do not count.
// EXPECT: fd-use * x6
// EXPECT: fd-close * x6
// EXPECT-OUTPUT: ok
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

int main(void) {
  char byte = 0;
  int pair[2];
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0) return 1;
  if (write(pair[0], "a", 1) != 1 || read(pair[1], &byte, 1) != 1) return 1;      // two uses
  if (send(pair[1], "b", 1, 0) != 1 || recv(pair[0], &byte, 1, 0) != 1) return 1; // two uses
  const int file = open("/dev/null", O_WRONLY);
  if (dup2(file, pair[1]) != pair[1]) return 1; // closes what was there
  if (write(pair[1], "c", 1) != 1) return 1;    // a use
  close(pair[0]);
  close(pair[1]);
  close(file);
  FILE* stream = fopen("/dev/zero", "r");
  if (stream == NULL || read(fileno(stream), &byte, 1) != 1) return 1; // a use
  fclose(stream);                                                      // closes
  DIR* folder = opendir("/");
  if (folder == NULL) return 1;
  closedir(folder); // closes
  if (write(STDOUT_FILENO, "ok\n", 3) != 3) return 1;
  return 0;
}
