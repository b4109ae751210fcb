// Three threads do what the first argument says, in its order, four letters a step: the thread, what it does, to what, a number.
// They take turns by means that Sooth does not see: nothing tells it in which order the accesses came.
#include <atomic>
#include <mutex>
#include <sched.h>
#include <semaphore.h>
#include <string.h>
#include <thread>

#include <sooth/monitor.h>
#include <sooth/sooth.h>

struct Pair {
  short low, high;
};

int a, b;
Pair c;
std::atomic<int> g;
std::mutex first, second;
sem_t tokens;

static const char* script;
static int turn;

#define UNSEEN SOOTH_NO_RECORD __attribute__((noinline)) static

UNSEEN char letter(int step, int k) { return script[step * 4 + k]; }
UNSEEN int steps() { return static_cast<int>(strlen(script)) / 4; }
UNSEEN void use(int value) { asm volatile("" : : "r"(value)); }
UNSEEN void wait_for(int step) {
  while (__atomic_load_n(&turn, __ATOMIC_ACQUIRE) != step) sched_yield();
}
UNSEEN void done() { __atomic_fetch_add(&turn, 1, __ATOMIC_RELEASE); }

static void put(char what, int value) {
  if (what == 'a') a = value;
  else if (what == 'b') b = value;
  else if (what == 'c') c.low = static_cast<short>(value);
  else if (what == 'p') c = Pair{static_cast<short>(value), 1};
  else memset(&b, value, sizeof b);
}

static void look(char what) {
  if (what == 'a') use(a);
  else if (what == 'b') use(b);
  else if (what == 'c') use(c.low);
  else {
    Pair copy = c;
    use(copy.low + copy.high);
  }
}

static void act(char verb, char what, int value) {
  switch (verb) {
  case 'w': put(what, value); break;
  case 'r': look(what); break;
  case 'i':
    if (what == 'p') sooth_internal("p", value);
    else sooth_internal("q", value);
    break;
  case 'L': (what == '1' ? first : second).lock(); break;
  case 'U': (what == '1' ? first : second).unlock(); break;
  case 'S': g.store(value); break;
  case 'l': use(g.load()); break;
  case 'F': g.fetch_add(value); break;
  case 'P': sem_post(&tokens); break;
  case 'W': sem_wait(&tokens); break;
  default: break;
  }
}

static void body(int self, const char* name) {
  sooth_thread_name(name);
  const int end = steps();
  for (int step = 0; step < end; ++step) {
    if (letter(step, 0) - '0' != self) continue;
    wait_for(step);
    act(letter(step, 1), letter(step, 2), letter(step, 3) - '0');
    done();
  }
}

int main(int, char** arguments) {
  script = arguments[1];
  sem_init(&tokens, 0, 0);
  std::thread one(body, 1, "T1"), two(body, 2, "T2"), three(body, 3, "T3");
  one.join();
  two.join();
  three.join();
}
