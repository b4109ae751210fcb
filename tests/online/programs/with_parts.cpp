// Linked to the library of parts.cpp.
#include <cstdio>
#include <thread>

#include "turn.h"

namespace parts {
extern int state;
int set(int value);
} // namespace parts

int own = 0;

int main() {
  std::thread first([] {
    parts::set(1);
    end_turn();
  });
  std::thread second([] {
    wait_for_turn();
    own = 1;
  });
  first.join();
  second.join();
  std::printf("%d %d\n", parts::state, own);
}
