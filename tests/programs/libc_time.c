// Calls that fill in structures; what they say depends on the machine, that they say something does not.
// EXPECT: write * >=4
// EXPECT-OUTPUT: 1970-01-02 regular now 1
#define _GNU_SOURCE
#include <poll.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

int main(void) {
  const time_t day = 86400;
  struct tm fields;
  struct stat information;
  struct timeval now;
  struct timespec precise;
  char text[32];
  int ends[2];
  strftime(text, sizeof text, "%Y-%m-%d", gmtime_r(&day, &fields));
  stat("/proc/self/exe", &information);
  gettimeofday(&now, NULL);
  clock_gettime(CLOCK_REALTIME, &precise);
  if (pipe(ends) != 0 || write(ends[1], "x", 1) != 1) return 1;
  struct pollfd wanted = {ends[0], POLLIN, 0};
  const int ready = poll(&wanted, 1, -1);
  printf("%s %s %s %d\n", text, S_ISREG(information.st_mode) ? "regular" : "?",
         precise.tv_sec - now.tv_sec < 100 ? "now" : "?", ready);
  return 0;
}
