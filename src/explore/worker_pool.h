// Threads that stand ready to share one piece of work after another.
//
// A level of the lattice takes from a few to a few thousand microseconds, and waking a sleeping
// thread takes as long as a narrow level. So a waiting thread looks again for a short while before
// it sleeps, and the data that waiting threads look at lies apart from data that others write. No
// thread waits for a worker that comes too late: on a busy machine that could be milliseconds, and
// the others have done its work.
//
// Besides, one errand may be under way: something long that one worker does alone, while the others
// go on with the pieces that they share.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

namespace sooth::explore {

// A little while, in which the core's other thread may have the core for itself.
inline void pause_shortly() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

class WorkerPool {
public:
  // The caller is one of the workers; with one there are no threads.
  explicit WorkerPool(unsigned workers) {
    for (unsigned w = 1; w < workers; ++w) threads_.emplace_back([this, w] { serve(w); });
  }
  ~WorkerPool() {
    if (errand_under_way()) finish_errand();
    call_ = nullptr;
    begin_round();
    for (std::thread& thread : threads_) thread.join();
  }
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  unsigned size() const { return static_cast<unsigned>(threads_.size()) + 1; }

  // Calls work(worker) on the caller, and on those other workers that come before the caller is
  // done with it; on these perhaps twice. Returns when all calls are over. So work must be
  // something that is taken from a common store.
  template <typename Work>
  void run(Work& work) {
    if (threads_.empty()) return work(0);
    work_ = &work;
    call_ = [](void* what, unsigned worker) { (*static_cast<Work*>(what))(worker); };
    begin_round();
    work(0);
    for (std::uint32_t left = gate_ -= kOpen; left != 0; left = gate_.load()) wait_for_change(gate_, left);
  }

  // Sends one of the other workers on an errand, if there are any; the caller does not wait. There
  // is no other errand until it is finished.
  void send(void (*errand)(void*), void* what) {
    errand_ = {errand, what};
    if (threads_.empty()) return errand(what);
    errand_state_ = kSent;
    ++round_; // a round without a gate: a worker that sees it looks for the errand
    round_.notify_all();
  }
  bool errand_under_way() const { return errand_state_.load() != kNone; }
  // Returns when the errand is done; does it if no worker has begun.
  void finish_errand() {
    run_errand();
    while (errand_state_.load() != kNone) wait_for_change(errand_state_, kBegun);
  }

private:
  static constexpr unsigned kLooks = 4000; // some hundred microseconds
  static constexpr std::uint32_t kOpen = 0x80000000;
  enum : std::uint32_t { kNone, kSent, kBegun };

  static void wait_for_change(const std::atomic<std::uint32_t>& number, std::uint32_t from) {
    for (unsigned look = 0; look < kLooks; ++look) {
      if (number.load() != from) return;
      pause_shortly();
    }
    number.wait(from);
  }

  void begin_round() {
    gate_ = kOpen; // after all that the workers are to see
    ++round_;
    round_.notify_all();
  }
  bool enter() {
    std::uint32_t now = gate_.load();
    while ((now & kOpen) != 0)
      if (gate_.compare_exchange_weak(now, now + 1)) return true;
    return false;
  }
  void run_errand() {
    std::uint32_t sent = kSent;
    if (errand_state_.load() != kSent || !errand_state_.compare_exchange_strong(sent, kBegun)) return;
    errand_.call(errand_.what);
    errand_state_ = kNone;
    errand_state_.notify_all();
  }

  void serve(unsigned worker) {
    for (std::uint32_t seen = 0;;) { // the number may wrap around, and is compared for equality only
      while (round_.load() == seen) wait_for_change(round_, seen);
      seen = round_.load();
      run_errand();
      if (!enter()) continue;
      const bool over = call_ == nullptr;
      if (!over) call_(work_, worker);
      if (--gate_ == 0) gate_.notify_one();
      if (over) return;
    }
  }

  std::vector<std::thread> threads_;
  // Changed only while the gate is shut and no worker is inside. No call: it is over.
  void (*call_)(void* work, unsigned worker) = nullptr;
  void* work_ = nullptr;
  struct Errand {
    void (*call)(void* what) = nullptr;
    void* what = nullptr;
  } errand_; // changed only while the state is kNone
  alignas(128) std::atomic<std::uint32_t> round_ = 0;
  alignas(128) std::atomic<std::uint32_t> gate_ = 0; // kOpen, and how many workers are inside
  alignas(128) std::atomic<std::uint32_t> errand_state_ = kNone;
};

} // namespace sooth::explore
