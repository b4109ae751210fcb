// Asynchronous cancellation while a thread is in recorded code. What is on the frames below is
// destroyed, as in the plain build.
#include <cstdio>
#include <pthread.h>

namespace {

unsigned long words[64];
int destroyed, ended;

struct Guard {
  ~Guard() { ++destroyed; }
};

__attribute__((noinline)) void spin(unsigned long seed) {
  int before;
  pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &before);
  for (;;) {
    seed = seed * 6364136223846793005UL + 1442695040888963407UL;
    words[seed >> 58] += seed;
    __atomic_fetch_add(&words[0], words[seed >> 59], __ATOMIC_RELAXED);
  }
}

__attribute__((noinline)) void hold(unsigned long seed) {
  const Guard outer;
  spin(seed);
}

void* run(void* begun) {
  const Guard first;
  __atomic_store_n(static_cast<int*>(begun), 1, __ATOMIC_RELEASE);
  hold(7);
  return nullptr;
}

} // namespace

int main() {
  for (int i = 0; i < 20; ++i) {
    int begun = 0;
    pthread_t thread;
    pthread_create(&thread, nullptr, run, &begun);
    while (!__atomic_load_n(&begun, __ATOMIC_ACQUIRE)) {
    }
    for (int wait = 0; wait < i * 300; ++wait) __atomic_load_n(&begun, __ATOMIC_ACQUIRE);
    pthread_cancel(thread);
    void* result = nullptr;
    pthread_join(thread, &result);
    ended += result == PTHREAD_CANCELED;
  }
  std::printf("%d %d\n", ended, destroyed);
}
