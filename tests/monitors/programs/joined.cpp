// Two threads tell their phases and are joined; then nobody is left to range over. A third one is known only by its name.
#include <thread>

#include <sooth/monitor.h>
#include <sooth/sooth.h>

int y;

int main() {
  std::thread([] { sooth_internal("phase", 1); }).join();
  std::thread([] {
    sooth_thread_name("reader");
    y = 2;
  }).join();
  sooth_internal("seen", 2);
}
