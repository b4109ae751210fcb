// One thread leaves data and then sets a flag; the other waits for the flag and then writes the data. FLAG says what the flag is:
//   1  a plain variable: C++ lets one assume that the loop ends, so what follows does not depend on it; and the flag is raced for
//   2  an atomic variable: the loop may not end, and what follows depends on it
//   3  an atomic variable, and the source says that the loop ends
#include <thread>

#include <sooth/sooth.h>

#include "../../pairs/pair.h"

int data, rounds, flag; // atomic by its accesses: the functions of std::atomic are not inlined without optimisation
#if FLAG == 1
#define IS_SET() (flag != 0)
#define SET() flag = 1
#else
#define IS_SET() (__atomic_load_n(&flag, __ATOMIC_ACQUIRE) != 0)
#define SET() __atomic_store_n(&flag, 1, __ATOMIC_RELEASE)
#endif

void one() {
  data = 1;
  SET();
  at(0);
}

void two() {
  at(1);
  while (!IS_SET()) {
#if FLAG == 3
    SOOTH_TERMINATES();
#endif
    ++rounds;
  }
  data = 2;
}

int main() {
  std::thread first(one), second(two);
  first.join();
  second.join();
}
