// Annotations are events, and stand where they are written.
#include <pthread.h>

#include <sooth/monitor.h>
#include <sooth/sooth.h>

int x;

void phase(int k) {
  x = k;
  sooth_internal("ph", k); // line 11
  x = k + 1;
}

void* work(void* argument) {
  x = 5;
  phase(1);
  sooth_event("told", 1); // line 18
  {
    SOOTH_ATOMIC("block"); // line 20
    x = 6;
  }
  return argument;
}

int main() {
  pthread_t thread;
  pthread_create(&thread, nullptr, work, nullptr);
  pthread_join(thread, nullptr);
}
