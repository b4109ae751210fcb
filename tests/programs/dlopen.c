// A library that is loaded, used by two threads, unloaded and loaded again.
// LIBRARY: parts/dlopen_library.c
// EXPECT: acquire * x4
// EXPECT: release * x4
// EXPECT-OUTPUT: 2
// EXPECT-OUTPUT: 2
// FLAGS: -ldl
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

static void* call(void* function) {
  ((void (*)(void))function)();
  return NULL;
}

int main(void) {
  for (int round = 0; round < 2; ++round) {
    void* library = dlopen("./library.so", RTLD_NOW);
    if (library == NULL) {
      puts(dlerror());
      return 1;
    }
    pthread_t a, b;
    pthread_create(&a, NULL, call, dlsym(library, "count"));
    pthread_create(&b, NULL, call, dlsym(library, "count"));
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("%d\n", *(int*)dlsym(library, "counter"));
    dlclose(library);
  }
  return 0;
}
