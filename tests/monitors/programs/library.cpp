// A shared library with a variable of its own (built with -DLIBRARY), and a program that uses it from two threads.
// `with_library raced`: one of them forgets the lock.
#include <mutex>

extern std::mutex shared_lock;
extern int shared_level;
void raise_level();

#ifdef LIBRARY

std::mutex shared_lock;
int shared_level = 3;
void raise_level() { shared_level = shared_level + 1; }

#else

#include <cstdio>
#include <cstring>
#include <thread>

#include "turns.h"

int main(int argc, char** argv) {
  const bool raced = argc > 1 && std::strcmp(argv[1], "raced") == 0;
  const auto locked = [] {
    const std::scoped_lock hold(shared_lock);
    raise_level();
  };
  std::thread first([&] {
    locked();
    done();
  });
  turn(1); // nothing that Sooth knows of
  if (raced) raise_level();
  else locked();
  first.join();
  std::printf("%d\n", shared_level);
}

#endif
