// Children of fork go on being monitored, with what the forking thread knew; the threads that did not come along are gone.
// `forks N`: N children, made while another thread is busy with monitored variables and locks.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <thread>

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <sooth/monitor.h>

static int level;
static std::mutex lock, at_fork;
static std::atomic<bool> stop, started;

static void busy() {
  sooth_internal("alone", 0);
  started = true;
  while (!stop) {
    const std::scoped_lock hold(lock);
    level = level + 1;
  }
}

// In the child: it is alone, can make threads, and a violation is one of its own.
static int child(int number) {
  sooth_internal("alone", 1);
  sooth_internal("alone", 0);
  std::thread more([] {
    const std::scoped_lock hold(at_fork);
    level = 7;
  });
  more.join();
  sooth_internal("alone", 2 + number % 2);
  return level == 7 ? 0 : 1;
}

int main(int, char** argv) {
  const int children = std::atoi(argv[1]);
  // As libraries do that want to be whole in the child: monitored locks are used in the middle of the fork.
  pthread_atfork([] { at_fork.lock(); }, [] { at_fork.unlock(); }, [] { at_fork.unlock(); });
  std::thread other(busy);
  while (!started) std::this_thread::yield();
  int failed = 0;
  for (int i = 0; i < children; ++i) {
    const pid_t made = fork();
    if (made == 0) {
      const int result = child(i);
      std::exit(result);
    }
    int status = 0;
    if (waitpid(made, &status, 0) != made || status != 0) ++failed;
  }
  stop = true;
  other.join();
  std::printf("%d children, %d failed\n", children, failed);
}
