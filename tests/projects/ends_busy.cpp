// Threads that contend for everything, and never deadlock: wherever the program is killed, no deadlock is found.
#include <atomic>
#include <condition_variable>
#include <latch>
#include <mutex>
#include <pthread.h>
#include <semaphore.h>
#include <semaphore>
#include <shared_mutex>
#include <thread>
#include <vector>
std::mutex a, b, q;
std::shared_mutex s;
std::recursive_mutex r;
std::condition_variable cv;
int items;
sem_t sem;
std::counting_semaphore<4> cs(2);
pthread_barrier_t bar;
std::atomic<int> turn;
pthread_spinlock_t sp;
void work(int id) {
  for (int i = 0; i < 100000; ++i) {
    {
      std::scoped_lock l(a);
      std::scoped_lock m(b);
    }
    {
      std::scoped_lock l(r);
      std::scoped_lock m(r);
    }
    if (i % 3 == 0) {
      std::unique_lock l(s);
    } else {
      std::shared_lock l(s);
    }
    sem_wait(&sem);
    sem_post(&sem);
    cs.acquire();
    cs.release();
    pthread_spin_lock(&sp);
    pthread_spin_unlock(&sp);
    if (id % 2) {
      std::unique_lock l(q);
      ++items;
      cv.notify_one();
    } else {
      std::unique_lock l(q);
      cv.wait(l, [] { return items > 0; });
      --items;
    }
    pthread_barrier_wait(&bar);
    std::latch la(1);
    std::thread t([&] { la.count_down(); });
    la.wait();
    t.join();
  }
}
int main() {
  sem_init(&sem, 0, 2);
  pthread_barrier_init(&bar, nullptr, 4);
  pthread_spin_init(&sp, 0);
  std::vector<std::thread> v;
  for (int i = 0; i < 4; ++i) v.emplace_back(work, i);
  for (auto& t : v) t.join();
}
