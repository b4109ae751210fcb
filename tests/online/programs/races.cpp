// Races on plain variables, all the time: the observed order must stay one that could have happened, so `turn` is never
// seen to go back, although a reader polls it while a writer counts.
#include <cstdio>
#include <thread>

volatile int turn = 0;
volatile int seen = 0;

int main() {
  std::thread reader([] {
    while (turn < 2000) seen = turn;
    seen = 2000;
  });
  std::thread writer([] {
    for (int i = 1; i <= 2000; ++i) turn = i;
  });
  reader.join();
  writer.join();
  std::printf("%d %d\n", static_cast<int>(turn), static_cast<int>(seen));
}
