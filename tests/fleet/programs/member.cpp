// A member of a fleet: the flight controller of tests/online/programs/landing.cpp, beside a thread
// that counts `steps` up to the first argument, in ten pieces with a pause between them, so that it
// lives long enough to be disturbed.
//
//     member 400                  the landing is unsafe in another order
//     member 400 ordered          it is not: the weather thread starts when the plane has landed
//     member 400 unordered 100    pauses of 100 ms instead of 50
#include <sooth/sooth.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <thread>

int landing = 0, approved = 0, radio = 1;
volatile long steps = 0;

// Orders the two threads in a way that Sooth does not see: the radio fails after the landing in
// every run.
SOOTH_NO_RECORD static long plain_syscall(long number, long a, long b, long c) {
  long result;
  __asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(a), "S"(b), "d"(c) : "rcx", "r11", "memory");
  return result;
}

int main(int argc, char** argv) {
  const long count = argc > 1 ? std::atol(argv[1]) : 100;
  const bool ordered = argc > 2 && argv[2][0] == 'o';
  const long pause = argc > 3 ? std::atol(argv[3]) : 50;
  int ends[2];
  if (pipe(ends) != 0) return 1;
  std::thread counter([&] {
    for (long i = 1; i <= count; ++i) {
      steps = i;
      if (i % (count / 10 + 1) == 0) {
        const timespec time = {0, pause * 1000000};
        nanosleep(&time, nullptr);
      }
    }
  });
  std::thread plane([&] {
    if (radio != 0) approved = 1;
    if (approved == 1) landing = 1;
    char byte = 1;
    plain_syscall(SYS_write, ends[1], reinterpret_cast<long>(&byte), 1);
  });
  if (ordered) plane.join();
  std::thread weather([&] {
    char byte = 0;
    plain_syscall(SYS_read, ends[0], reinterpret_cast<long>(&byte), 1);
    radio = 0;
  });
  if (!ordered) plane.join();
  weather.join();
  counter.join();
  std::printf("%ld %d %d %d\n", static_cast<long>(steps), landing, approved, radio);
  return 7;
}
