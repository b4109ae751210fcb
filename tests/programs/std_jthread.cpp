// std::jthread: joins itself; a stop request ends the loop.
// EXPECT: fork * x2
// EXPECT: join * x2
// EXPECT-OUTPUT: stopped
// FLAGS: -std=c++20
#include <cstdio>
#include <thread>

int main() {
  {
    std::jthread plain([] {});
    std::jthread loop([](std::stop_token stop) {
      while (!stop.stop_requested()) std::this_thread::yield();
    });
  }
  std::puts("stopped");
}
