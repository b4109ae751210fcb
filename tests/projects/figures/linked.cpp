// jPredictor, Fig. 1, with the updates in a shared library: linked, or loaded while the program runs (LOADED=1).
#include <cstdlib>
#include <dlfcn.h>
#include <thread>

#include "../../pairs/pair.h"

int y;

#if LOADED
void (*update_x)();
void load() {
  void* library = dlopen("./libupdates.so", RTLD_NOW);
  if (library == nullptr) std::abort();
  update_x = reinterpret_cast<void (*)()>(dlsym(library, "update_x"));
}
#else
extern "C" void update_x();
void load() {}
#endif

void one() {
  y = 1;
  update_x();
  at(0);
}

void two() {
  at(1);
  update_x();
  y = 2;
}

int main() {
  load();
  std::thread first(one), second(two);
  first.join();
  second.join();
}
