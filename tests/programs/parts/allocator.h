// A hundred objects of malloc and a hundred of operator new, by two threads one after the other: the second gets what the first gave back.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <thread>

inline void keep(void* p) { __asm__ volatile("" : : "r"(p) : "memory"); } // or the compiler drops the pair

inline int use_memory() {
  int sum = 0;
  const auto work = [&sum] {
    for (int i = 0; i < 50; ++i) {
      auto* plain = static_cast<int*>(std::malloc(sizeof(int)));
      auto* object = new int(i);
      keep(plain);
      keep(object);
      *plain = i;
      sum += *plain + *object;
      std::free(plain);
      delete object;
    }
  };
  for (int i = 0; i < 2; ++i) std::thread(work).join();
  return sum;
}
