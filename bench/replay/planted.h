// A race for the middle of a program: both threads store to `planted`, in the recorded run one
// after the other, in order of a lock. With the lock taken the other way round they race.
#pragma once

#include <mutex>

extern "C" void at(int turn); // tests/pairs/order.c: orders the recorded run, unseen by Sooth

inline int planted;
inline std::mutex planted_gate;

// In the recorded run, both threads are here before the first one goes on: so what the second one
// did before depends on nothing that the first one does behind.
inline void plant(bool first) {
  if (first) {
    at(1);
    planted = 1; // the race
    {
      const std::scoped_lock hold(planted_gate);
    }
    at(2);
  } else {
    at(0);
    at(3);
    {
      const std::scoped_lock hold(planted_gate);
    }
    planted = 2; // the race
  }
}
