// Runs a script: threads that read and write variables, use locks and atomics, create and join each
// other. The script says which thread makes which step, so that every run is the same. Taking turns
// is not recorded.
//
//     script 0f101A012w22     steps of four characters: thread, operation, which one, value
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <thread>

#include <sched.h>

#include <sooth/sooth.h>

// The property's variables, of several sizes, side by side.
volatile int a;
volatile short b;
volatile signed char c;
volatile signed char d;
// Others. On pages without the property's variables, so that a thread may own them.
alignas(4096) volatile int plain[1024];
alignas(4096) volatile signed char small[4096];
std::atomic<int> shared[2];
std::mutex locks[2];

struct Step {
  int thread;
  char what;
  int which;
  int value;
};
static Step steps[4096];
static int count;
static int turn;
static std::thread threads[8];
static volatile int* heap[4];

SOOTH_NO_RECORD __attribute__((noinline)) static void wait_for(int step) {
  while (__atomic_load_n(&turn, __ATOMIC_ACQUIRE) != step) sched_yield();
}
SOOTH_NO_RECORD __attribute__((noinline)) static void done(int step) {
  __atomic_store_n(&turn, step + 1, __ATOMIC_RELEASE);
}
SOOTH_NO_RECORD __attribute__((noinline)) static int step_count() { return count; }
SOOTH_NO_RECORD __attribute__((noinline)) static int thread_of(int i) { return steps[i].thread; }
SOOTH_NO_RECORD __attribute__((noinline)) static int what_of(int i) { return steps[i].what; }
SOOTH_NO_RECORD __attribute__((noinline)) static int which_of(int i) { return steps[i].which; }
SOOTH_NO_RECORD __attribute__((noinline)) static int value_of(int i) { return steps[i].value; }

static void run(int self);

static void make(int what, int which, int value) {
  switch (what) {
  case 'A': a = value; break;
  case 'B': b = static_cast<short>(value); break;
  case 'C': c = static_cast<signed char>(value); break;
  case 'D': d = static_cast<signed char>(value); break;
  case 'w': plain[which] = value; break;
  case 'r': (void)plain[which]; break;
  case 'W': small[which] = static_cast<signed char>(value); break;
  case 'R': (void)small[which]; break;
  case 'q': (void)(which == 0 ? a : which == 1 ? b : which == 2 ? c : d); break;
  case 's': shared[which].store(value); break;
  case 'o': (void)shared[which].load(); break;
  case 'x': shared[which].fetch_add(1); break;
  case 'l': locks[which].lock(); break;
  case 'u': locks[which].unlock(); break;
  case 'n':
    heap[which] = static_cast<volatile int*>(std::malloc(16));
    *heap[which] = value;
    break;
  case 'h': *heap[which] = value; break;
  case 'H': (void)*heap[which]; break;
  case 'e': std::free(const_cast<int*>(heap[which])); break;
  case 'f': threads[which] = std::thread(run, which); break;
  case 'j': threads[which].join(); break;
  default: std::abort();
  }
}

static void run(int self) {
  for (int i = 0; i < step_count(); ++i) {
    if (thread_of(i) != self) continue;
    wait_for(i);
    // The thread that a join waits for has no step after it, but it has to be let go.
    const int what = what_of(i);
    if (what == 'j') done(i);
    make(what, which_of(i), value_of(i));
    if (what != 'j') done(i);
  }
}

SOOTH_NO_RECORD __attribute__((noinline)) static void read_script(const char* text) {
  for (; *text != 0 && count < 4096; ++count) { // no libc: it is followed
    steps[count] = {text[0] - '0', text[1], text[2] - '0', text[3] - '0'};
    text += 4;
  }
}

int main(int, char** arguments) {
  read_script(arguments[1]);
  run(0);
  std::puts("done");
}
