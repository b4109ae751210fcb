// The flight controller of examples/landing, with its order forced: the radio fails after the landing, by a pipe that
// Sooth does not see as synchronisation of the two threads (raw system calls, in a function that is left out).
#include <sooth/sooth.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>
#include <thread>

int landing = 0, approved = 0, radio = 1;

SOOTH_NO_RECORD static long plain_syscall(long number, long a, long b, long c) {
  long result;
  __asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(a), "S"(b), "d"(c) : "rcx", "r11", "memory");
  return result;
}

int main() {
  int ends[2];
  if (pipe(ends) != 0) return 1;
  std::thread plane([&] {
    if (radio != 0) approved = 1;
    if (approved == 1) landing = 1;
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
  std::printf("approved = %d, landing = %d, radio = %d\n", approved, landing, radio);
}
