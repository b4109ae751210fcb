// Thousands of threads over time, joined and detached, each with some primitives of its own: memory stays as it is.
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <semaphore>
#include <thread>

#include <sooth/monitor.h>

int shared_number;
std::mutex lock;
std::counting_semaphore<8> room(8);

long resident_kib() {
  long total = 0, resident = 0;
  std::FILE* file = std::fopen("/proc/self/statm", "r");
  if (file == nullptr || std::fscanf(file, "%ld %ld", &total, &resident) != 2) std::abort();
  std::fclose(file);
  return resident * 4;
}

void one_life() {
  const auto own = std::make_unique<std::mutex>(); // a lock at an address that others had before
  sooth_internal("busy", 1);
  {
    const std::scoped_lock hold(lock, *own);
    ++shared_number;
  }
  sooth_internal("busy", 0);
}

int main(int, char** argv) {
  const int lives = std::atoi(argv[1]);
  long early = 0;
  for (int i = 0; i < lives; ++i) {
    if (i == lives / 4) early = resident_kib();
    room.acquire();
    if (i % 2 == 0) {
      std::thread(one_life).join();
      room.release();
    } else {
      std::thread([] {
        one_life();
        room.release();
      }).detach();
    }
  }
  for (int i = 0; i < 8; ++i) room.acquire();
  const long grown = resident_kib() - early;
  std::printf("%d lives, %s\n", shared_number, grown < 1024 ? "flat" : "grown");
  if (grown >= 1024) std::fprintf(stderr, "grown by %ld KiB\n", grown);
}
