// Children: the program starts itself once more. The race is in the one that it has started.
// FOUND: race
#include <pthread.h>
#include <spawn.h>
#include <sys/wait.h>
extern char** environ;
int value;
void* work(void* unused) {
  value = 1;
  return unused;
}
int main(int count, char** words) {
  if (count > 1) {
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    value = 2;
    pthread_join(thread, NULL);
    return 0;
  }
  char* again[] = {words[0], "again", NULL};
  pid_t child;
  if (posix_spawn(&child, words[0], NULL, NULL, again, environ) == 0) waitpid(child, NULL, 0);
}
