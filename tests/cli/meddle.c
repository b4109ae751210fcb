/* Preloaded into `sooth` by faults_test.cc: does something at an exact moment, so that no test has to hit it by luck.
 *
 *   MEDDLE_AT   read:PATH:N  before the Nth read of that file
 *               thread:N     when the Nth thread is created
 *   MEDDLE_DO   interrupt    SIGINT to this process
 *               twice        two of them
 *               parent       SIGINT to the parent, and never go on
 *               cut:BYTES    the file is that long from now on
 *               grow         the file has a page more
 *               scribble     the middle of the file is overwritten
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

static int reads, threads;

static void meddle(const char* path) {
  const char* what = getenv("MEDDLE_DO");
  if (what == NULL) return;
  if (strcmp(what, "interrupt") == 0 || strcmp(what, "twice") == 0) raise(SIGINT);
  if (strcmp(what, "twice") == 0) raise(SIGINT);
  if (strcmp(what, "parent") == 0) {
    kill(getppid(), SIGINT);
    for (;;) pause();
  }
  if (path == NULL) return;
  if (strncmp(what, "cut:", 4) == 0 && truncate(path, atol(what + 4)) != 0) abort();
  const int grow = strcmp(what, "grow") == 0, scribble = strcmp(what, "scribble") == 0;
  if (!grow && !scribble) return;
  struct stat status;
  FILE* file = fopen(path, "r+b");
  if (file == NULL || stat(path, &status) != 0) abort();
  fseek(file, grow ? status.st_size : status.st_size / 2, SEEK_SET);
  for (int i = 0; i < 4096; ++i) fputc(0xa5, file);
  fclose(file);
}

static void reading(int descriptor) {
  const char* at = getenv("MEDDLE_AT");
  if (at == NULL || strncmp(at, "read:", 5) != 0) return;
  char link[64], name[4096], wanted[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  const ssize_t size = readlink(link, name, sizeof name - 1);
  if (size < 0) return;
  name[size] = '\0';
  snprintf(wanted, sizeof wanted, "%s", at + 5);
  char* colon = strrchr(wanted, ':');
  if (colon == NULL) return;
  *colon = '\0';
  if (strcmp(name, wanted) == 0 && ++reads == atoi(colon + 1)) meddle(name);
}

ssize_t pread(int descriptor, void* to, size_t size, off_t offset) {
  static ssize_t (*next)(int, void*, size_t, off_t);
  if (next == NULL) next = (ssize_t(*)(int, void*, size_t, off_t))dlsym(RTLD_NEXT, "pread");
  reading(descriptor);
  return next(descriptor, to, size, offset);
}
ssize_t pread64(int descriptor, void* to, size_t size, off64_t offset) { return pread(descriptor, to, size, offset); }

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*body)(void*), void* argument) {
  static int (*next)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  if (next == NULL)
    next = (int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*))dlsym(RTLD_NEXT, "pthread_create");
  const char* at = getenv("MEDDLE_AT");
  if (at != NULL && strncmp(at, "thread:", 7) == 0 && ++threads == atoi(at + 7)) meddle(NULL);
  return next(thread, attributes, body, argument);
}
