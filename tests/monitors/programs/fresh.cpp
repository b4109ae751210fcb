// A writer that must stay ahead of what its reader has told. `fresh stale`: it falls back once; `fresh ahead`: never.
#include <cstdio>
#include <cstring>
#include <mutex>
#include <thread>

#include <sooth/monitor.h>
#include <sooth/sooth.h>

#include "turns.h"

std::mutex lock;
int x = 10, y;

void reader() {
  sooth_thread_name("reader");
  turn(0);
  {
    const std::scoped_lock hold(lock);
    y = 5;
  }
  done();
  turn(2);
  long long known = -1;
  const int knows = sooth_known("x", &known);
  std::printf("reader: %d %lld\n", knows, known); // x was written, but nothing has told this thread
}

void writer(bool stale) {
  sooth_thread_name("writer");
  turn(1);
  long long before = -1, after = -1;
  const int knew = sooth_known("@reader(y)", &before);
  {
    const std::scoped_lock hold(lock);
    x = stale ? 3 : 20;
    const int knows = sooth_known("@reader(y)", &after);
    std::printf("writer: %d, %d %lld\n", knew, knows, after);
  }
  done();
}

int main(int, char** argv) {
  std::thread first(reader), second(writer, std::strcmp(argv[1], "stale") == 0);
  first.join();
  second.join();
  std::printf("monitored %d\n", sooth_monitored());
}
