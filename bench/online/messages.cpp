// Nothing but relevant events: one thread writes `steps` as often as the argument says.
#include <cstdio>
#include <cstdlib>
#include <thread>

volatile long steps = 0;

int main(int argc, char** argv) {
  const long count = argc > 1 ? std::atol(argv[1]) : 1'000'000;
  std::thread([count] {
    for (long i = 1; i <= count; ++i) steps = i;
  }).join();
  std::printf("%ld\n", static_cast<long>(steps));
}
