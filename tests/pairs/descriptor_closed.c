// One thread closes a file, another one may still write to it: by then the number may be another
// file's.
// EXPECT: race * @write @close
// SUPPRESSED-BY: race:report
#include <fcntl.h>
#include <unistd.h>

#include "pair.h"

static int log_file;

static void* report(void* unused) {
  if (write(log_file, "done\n", 5) != 5) return NULL; // @write
  at(0);
  return unused;
}

int main(void) {
  pthread_t thread;
  log_file = open("/dev/null", O_WRONLY);
  pthread_create(&thread, NULL, report, NULL);
  at(1);
  if (!BAD) pthread_join(thread, NULL);
  close(log_file); // @close
  if (BAD) pthread_join(thread, NULL);
  return 0;
}
