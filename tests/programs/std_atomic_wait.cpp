// std::atomic::wait and notify.
// EXPECT: fork * x1
// EXPECT: join * x1
// EXPECT: atomic-write * >=1
// EXPECT: atomic-read * >=1
// EXPECT-OUTPUT: 42
// FLAGS: -std=c++20
#include <atomic>
#include <cstdio>
#include <thread>

static std::atomic<int> state{0};
static int data;

int main() {
  std::thread producer([] {
    data = 42;
    state.store(1);
    state.notify_one();
  });
  state.wait(0);
  std::printf("%d\n", data);
  producer.join();
}
