// Shutting down: the worker is told to stop, and what it works on is deleted. In the recorded run
// it sleeps by then; but the notification waits for nobody, and the worker may come late. The good
// one joins it first.
// EXPECT: use-after-free * @use
// MAY: race
#include <condition_variable>
#include <mutex>
#include <thread>

#include "pair.h"

struct State {
  int work = 0;
};
std::mutex lock;
std::condition_variable stopped;
bool stop = false;
State* state = new State;

int main() {
  std::thread worker([] {
    ++state->work; // @use
    std::unique_lock<std::mutex> guard(lock);
    will_sleep();
    at(0);
    while (!stop) stopped.wait(guard);
  });
  at(1);
  until_asleep();
  {
    const std::lock_guard<std::mutex> guard(lock);
    stop = true;
  }
  stopped.notify_one();
  if (BAD) delete state;
  worker.join();
  if (!BAD) delete state;
}
