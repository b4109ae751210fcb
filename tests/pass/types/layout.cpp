// Prints where its variables are: `NAME ADDRESS BYTES` as a property would name them. types_test.cc compares.
#include <sooth/sooth.h>

#include <atomic>
#include <cstdio>
#include <mutex>
#include <thread>

namespace net {
enum class Phase : unsigned char { idle, busy = 7 };
Phase phase = Phase::idle;
int state = 3;
struct Pool {
  static long live;
};
long Pool::live = 1;
} // namespace net

enum Mode { kModeOff, kModeOn = -2 };
Mode mode;
static int counter;

struct Base {
  short kind;
};
struct Empty {};
struct Config : Empty, Base {
  bool ready;
  unsigned low : 3;
  int sign : 5;
  double ratio;
  struct {
    float level;
    int grid[3][2];
  } part[2];
  union {
    int whole;
    unsigned char bytes[4];
  };
  Config* next;
};
Config cfg;
std::atomic<int> hits;
std::atomic<bool> done;
_Atomic(unsigned long) plain_atomic;
volatile unsigned short small;
long double precise;
std::mutex lock;
double slots[4];

#define PLACE(name) std::printf("%s %p %zu\n", #name, (void*)&name, sizeof(name))

__attribute__((noinline)) void step() {
  static int calls;
  ++calls;
  const std::lock_guard<std::mutex> guard(lock);
  ++counter;
  cfg.ready = true;
  cfg.low = 5;
  cfg.sign = -3;
  slots[3] = calls;
  std::printf("step::calls %p %zu\n", (void*)&calls, sizeof calls);
}
static int quick(int n) { return n * counter; }

int main(int argc, char**) {
  int* heap = new int(argc);
  float* level = new float(0.5f);
  SOOTH_WATCH("heap", *heap);
  SOOTH_WATCH("level", *level);
  SOOTH_WATCH("next", cfg.next);
  sooth_event("begin", quick(argc));
  std::thread(step).join();
  PLACE(net::phase);
  PLACE(net::state);
  PLACE(net::Pool::live);
  PLACE(mode);
  PLACE(counter);
  PLACE(cfg.kind);
  PLACE(cfg.ready);
  PLACE(cfg.ratio);
  PLACE(cfg.part[1].level);
  PLACE(cfg.part[1].grid[2][1]);
  PLACE(cfg.whole);
  PLACE(cfg.bytes[3]);
  PLACE(cfg.next);
  PLACE(hits);
  PLACE(done);
  PLACE(plain_atomic);
  PLACE(small);
  PLACE(slots[3]);
  *heap = -1;
  hits = 2;
  precise += 1;
  delete heap;
  delete level;
}
