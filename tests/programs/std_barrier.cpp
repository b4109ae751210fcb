// std::barrier with a completion function: three threads, three phases.
// EXPECT: fork * x3
// EXPECT: join * x3
// EXPECT: atomic-rmw * >=3
// EXPECT-OUTPUT: 3 phases
// FLAGS: -std=c++20
#include <barrier>
#include <cstdio>
#include <thread>

static int phases;

int main() {
  std::barrier meeting(3, []() noexcept { ++phases; });
  std::thread threads[3];
  for (std::thread& thread : threads)
    thread = std::thread([&meeting] {
      for (int i = 0; i < 3; ++i) meeting.arrive_and_wait();
    });
  for (std::thread& thread : threads) thread.join();
  std::printf("%d phases\n", phases);
}
