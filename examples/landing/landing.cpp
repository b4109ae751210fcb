// The flight controller of Sen, Rosu and Agha, "Runtime Safety Analysis of Multithreaded Programs" (ESEC/FSE 2003),
// section 1, with its mistake: nothing stops the radio from failing between the approval and the landing.
//
// The property (safe_landing.prop): if the plane has started landing, then landing has been approved, and since the
// approval the radio signal has never been down.
//
// In the run that is observed the radio fails after the landing has started, so the property holds. No synchronisation
// orders the two threads: another run of the same program has `radio = 0` between `approved = 1` and `landing = 1`.
#include <cstdio>
#include <thread>

int landing = 0, approved = 0, radio = 1;

void ask_landing_approval() {
  if (radio == 0) approved = 0;
  else approved = 1;
}

void fly() {
  ask_landing_approval();
  if (approved == 1) {
    std::puts("Landing approved");
    landing = 1;
    std::puts("Landing started");
  } else {
    std::puts("Landing not approved");
  }
}

// Listens to one stretch of noise and says whether a signal was in it. The noise is the same in every run, and the
// signal is lost in the third stretch. Listening takes tens of milliseconds, in which it touches nothing shared; that
// is why the plane has long landed by then, although nothing makes the two threads wait for each other.
bool signal_heard(unsigned stretch) {
  unsigned noise = stretch + 1, strength = 0;
  for (unsigned sample = 0; sample < 60'000'000; ++sample) {
    noise = noise * 1664525u + 1013904223u;
    if (noise >> 31 != 0) ++strength;
  }
  const unsigned damping = stretch < 2 ? 0 : 45'000'000;
  return strength > damping;
}

void check_radio(unsigned stretch) {
  std::this_thread::yield(); // also keeps the compiler from seeing that the loop below can only end one way
  if (!signal_heard(stretch)) radio = 0;
}

void watch_radio() {
  for (unsigned stretch = 0; radio != 0; ++stretch) check_radio(stretch);
}

int main() {
  std::thread first(fly);
  std::thread second(watch_radio);
  first.join();
  second.join();
  std::printf("approved = %d, landing = %d, radio = %d\n", approved, landing, radio);
}
