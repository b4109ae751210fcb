// Functions that properties call (`when violated: call`). Two threads, one after the other, by a
// pipe that Sooth does not see: landing comes before the radio fails, in another order after it.
#include <sooth/monitor.h>
#include <sooth/sooth.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <thread>

int landing = 0, radio = 1;
volatile int steps = 0, noise = 0; // each write is made

SOOTH_NO_RECORD static long plain_syscall(long number, long a, long b, long c) {
  long result;
  __asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(a), "S"(b), "d"(c) : "rcx", "r11", "memory");
  return result;
}

static void bound(const sooth_violation* violation, void*) {
  const char* file = std::strrchr(violation->file, '/');
  std::printf("bound %s %llu %s %d\n", violation->monitor, violation->nth, file != nullptr ? file + 1 : violation->file,
              steps);
}
static void lost(const sooth_violation* violation, void* context) {
  std::printf("lost %s %u %d\n", violation->monitor, violation->thread, *static_cast<int*>(context));
}

int main() {
  int context = 0, ends[2];
  sooth_on_violation("bound", bound, nullptr);
  sooth_on_violation("lost", lost, &context);
  if (pipe(ends) != 0) return 1;
  for (int i = 1; i < 10; ++i) steps = i;
  std::thread plane([&] {
    landing = 1;
    for (int i = 1; i <= 1000; ++i) noise = i;
    char byte = 1;
    plain_syscall(SYS_write, ends[1], reinterpret_cast<long>(&byte), 1);
  });
  std::thread weather([&] {
    char byte = 0;
    plain_syscall(SYS_read, ends[0], reinterpret_cast<long>(&byte), 1);
    radio = 0;
  });
  plane.join();
  weather.join();
  std::printf("end %d %d\n", steps, noise);
}
