// Threads that stand ready to share one piece of work after another.
//
// A level of the lattice takes from a few to a few thousand microseconds, and waking a thread that sleeps takes as long as a
// narrow level. So whoever waits looks again for a short while before it sleeps, and what the waiting look at lies apart
// from what others write.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
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
    call_ = nullptr;
    begin_round();
    for (std::thread& thread : threads_) thread.join();
  }
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  unsigned size() const { return static_cast<unsigned>(threads_.size()) + 1; }

  // Calls work(worker) once on each worker and returns when all are done.
  template <typename Work>
  void run(Work& work) {
    if (threads_.empty()) return work(0);
    work_ = &work;
    call_ = [](void* what, unsigned worker) { (*static_cast<Work*>(what))(worker); };
    begin_round();
    work(0);
    for (std::uint32_t left = busy_.load(); left != 0; left = busy_.load()) wait_for_change(busy_, left);
  }

private:
  static constexpr unsigned kLooks = 4000; // some hundred microseconds

  static void wait_for_change(const std::atomic<std::uint32_t>& number, std::uint32_t from) {
    for (unsigned look = 0; look < kLooks; ++look) {
      if (number.load() != from) return;
#if defined(__x86_64__)
      __builtin_ia32_pause();
#endif
    }
    number.wait(from);
  }

  void begin_round() {
    busy_ = static_cast<std::uint32_t>(threads_.size());
    ++round_; // after all that the workers are to see
    round_.notify_all();
  }

  void serve(unsigned worker) {
    for (std::uint32_t seen = 0;; ++seen) { // the number may wrap around, and is compared for equality only
      while (round_.load() == seen) wait_for_change(round_, seen);
      if (call_ == nullptr) return;
      call_(work_, worker);
      if (--busy_ == 0) busy_.notify_one();
    }
  }

  std::vector<std::thread> threads_;
  // Changed only between rounds. No call: it is over.
  void (*call_)(void* work, unsigned worker) = nullptr;
  void* work_ = nullptr;
  alignas(128) std::atomic<std::uint32_t> round_ = 0;
  alignas(128) std::atomic<std::uint32_t> busy_ = 0; // workers that have not finished this round
};

} // namespace sooth::explore
