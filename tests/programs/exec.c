// exec: a failed one leaves the trace going; then the program becomes itself again, with a trace of its own.
// EXPECT: acquire * x3
// EXPECT-TRACES: 2
// EXPECT-OUTPUT: not found
// EXPECT-OUTPUT: second
// EXPECT-EXIT: 4
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void touch(void) {
  pthread_mutex_lock(&lock);
  pthread_mutex_unlock(&lock);
}

int main(int count, char** arguments) {
  touch();
  if (count > 1) {
    puts("second");
    return 4;
  }
  if (execlp("sooth-no-such-program", "x", (char*)NULL) != 0) puts("not found");
  touch();
  fflush(stdout);
  execl("/proc/self/exe", arguments[0], "again", (char*)NULL);
  return 1;
}
