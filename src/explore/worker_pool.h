// Threads that stand ready to share one piece of work after another.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace sooth::explore {

class WorkerPool {
public:
  // The caller is one of the workers; with one there are no threads.
  explicit WorkerPool(unsigned workers) {
    for (unsigned w = 1; w < workers; ++w) threads_.emplace_back([this, w] { serve(w); });
  }
  ~WorkerPool() {
    {
      const std::scoped_lock lock(mutex_);
      stop_ = true;
    }
    begin_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  unsigned size() const { return static_cast<unsigned>(threads_.size()) + 1; }

  // Calls work(worker) once on each worker and returns when all are done.
  void run(const std::function<void(unsigned)>& work) {
    if (threads_.empty()) return work(0);
    {
      const std::scoped_lock lock(mutex_);
      work_ = &work;
      busy_ = threads_.size();
      ++round_;
    }
    begin_.notify_all();
    work(0);
    std::unique_lock lock(mutex_);
    done_.wait(lock, [this] { return busy_ == 0; });
  }

private:
  void serve(unsigned worker) {
    std::size_t seen = 0;
    for (;;) {
      const std::function<void(unsigned)>* work = nullptr;
      {
        std::unique_lock lock(mutex_);
        begin_.wait(lock, [&] { return stop_ || round_ != seen; });
        if (stop_) return;
        seen = round_;
        work = work_;
      }
      (*work)(worker);
      const std::scoped_lock lock(mutex_);
      if (--busy_ == 0) done_.notify_one();
    }
  }

  std::vector<std::thread> threads_;
  std::mutex mutex_; // everything below
  std::condition_variable begin_, done_;
  const std::function<void(unsigned)>* work_ = nullptr;
  std::size_t round_ = 0;
  std::size_t busy_ = 0;
  bool stop_ = false;
};

} // namespace sooth::explore
