// One thread that writes `steps` as often as the first argument says; then it waits for the standard input to end if
// there is a second one.
#include <cstdio>
#include <cstdlib>
#include <thread>

volatile long steps = 0;

int main(int argc, char** argv) {
  const long count = argc > 1 ? std::atol(argv[1]) : 1000;
  std::thread([count] {
    for (long i = 1; i <= count; ++i) steps = i;
  }).join();
  std::printf("%ld\n", static_cast<long>(steps));
  std::fflush(stdout);
  if (argc > 2)
    while (std::getchar() != EOF) {
    }
  return 7;
}
