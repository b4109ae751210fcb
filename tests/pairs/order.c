// The schedule of a pair's program, forced by what Sooth does not see: this file is compiled without it.
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "pair.h"

static volatile int reached;

// In a replay another schedule is forced: these functions then do nothing.
static int is_free(void) { return getenv("PAIR_IS_FREE") != NULL; }

void at(int turn) {
  if (is_free()) return;
  while (__atomic_load_n(&reached, __ATOMIC_ACQUIRE) != turn) sched_yield();
  __atomic_store_n(&reached, turn + 1, __ATOMIC_RELEASE);
}

static volatile int sleeper;

void will_sleep(void) { sleeper = (int)syscall(SYS_gettid); }

// By system calls alone, which are not recorded.
void until_asleep(void) {
  if (is_free()) return;
  char path[] = "/proc/self/task/0000000000/syscall";
  int number = sleeper;
  for (char* digit = path + 26; digit > path + 16; number /= 10) *--digit = (char)('0' + number % 10);
  char* from = path + 16;
  while (*from == '0') ++from; // no name begins with a zero
  char* to = path + 16;
  while ((*to++ = *from++) != 0) {
  }
  for (char call[5] = {0}; call[0] != '2' || call[1] != '0' || call[2] != '2' || call[3] != ' ';) { // SYS_futex
    const long file = syscall(SYS_openat, AT_FDCWD, path, O_RDONLY);
    syscall(SYS_read, file, call, 4L);
    syscall(SYS_close, file);
    sched_yield();
  }
}

// The process has one thread left, its main thread: the others have ended. A call of stat would be
// recorded as input.
void until_alone(void) {
  if (is_free()) return;
  for (long links = 0; links != 3;) { // ., .. and one thread
    struct stat folder;
    if (syscall(SYS_newfstatat, AT_FDCWD, "/proc/self/task", &folder, 0) == 0) links = (long)folder.st_nlink;
    sched_yield();
  }
}
