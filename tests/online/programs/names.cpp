// Threads that are named after they have started: one by itself, one by its creator.
#include <cstdio>
#include <thread>

#include <pthread.h>

#include "turn.h"

int ready = 0;

int main() {
  std::thread radio([] { pthread_setname_np(pthread_self(), "radio"); });
  radio.join();
  std::thread pilot([] {
    wait_for_turn(); // so that it still runs when it gets its name
    ready = 1;
  });
  pthread_setname_np(pilot.native_handle(), "pilot");
  end_turn();
  pilot.join();
  std::puts("done");
}
