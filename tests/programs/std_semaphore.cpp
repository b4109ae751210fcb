// std::counting_semaphore and std::binary_semaphore, which sit on atomics and futexes.
// EXPECT: fork * x1
// EXPECT: join * x1
// EXPECT: atomic-rmw * >=20
// EXPECT: sem-post * x0
// EXPECT-OUTPUT: 10
// FLAGS: -std=c++20
#include <cstdio>
#include <semaphore>
#include <thread>

static std::counting_semaphore<10> items(0);
static std::binary_semaphore room(1);
static int slot, sum;

int main() {
  std::thread consumer([] {
    for (int i = 0; i < 5; ++i) {
      items.acquire();
      sum += slot;
      room.release();
    }
  });
  for (int i = 0; i < 5; ++i) {
    room.acquire();
    slot = i;
    items.release();
  }
  consumer.join();
  std::printf("%d\n", sum);
}
