// std::latch: main waits for three threads.
// EXPECT: fork * x3
// EXPECT: join * x3
// EXPECT: atomic-rmw * >=3
// EXPECT-OUTPUT: 6
// FLAGS: -std=c++20
#include <cstdio>
#include <latch>
#include <thread>

static int cells[3];

int main() {
  std::latch done(3);
  std::thread threads[3];
  for (int i = 0; i < 3; ++i)
    threads[i] = std::thread([i, &done] {
      cells[i] = i + 1;
      done.count_down();
    });
  done.wait();
  std::printf("%d\n", cells[0] + cells[1] + cells[2]);
  for (std::thread& thread : threads) thread.join();
}
