// Thirty threads that come and go, and one that raises the flag that the others should have waited for.
// Argument `ordered`: the flag is raised before they are created.
#include <cstdio>
#include <cstring>
#include <mutex>
#include <thread>
#include <vector>

int ready = 0, served = 0;
std::mutex guard;

void serve() {
  const std::lock_guard<std::mutex> held(guard);
  served = served + 1;
}

int main(int argc, char** argv) {
  const bool ordered = argc > 1 && std::strcmp(argv[1], "ordered") == 0;
  if (ordered) ready = 1;
  std::vector<std::thread> threads;
  if (!ordered) {
    threads.emplace_back([] { ready = 1; });
    threads.back().detach();
    threads.pop_back();
  }
  // Created in turns, so that threads end while others begin.
  for (int round = 0; round < 6; ++round) {
    for (int i = 0; i < 5; ++i) threads.emplace_back(serve);
    for (std::thread& thread : threads) thread.join();
    threads.clear();
  }
  std::printf("%d\n", served);
}
