// What threads do in their critical sections, looked at beside the rest of the first pass.
//
//     caller    who uses which memory (histories.h)     batch 3 | batch 4 ...
//     worker    what is split over two sections         batch 1 | batch 2 ...
//
// Question: those of split_updates.h and split_views.h.
// Both need only the events of each thread, in its order: synchronisation, calls, and accesses
// under locks. So a second thread can look at them, with its own view of the locks that are held.
// What it finds out does not depend on when it does so.
// Cost: 48 bytes copied for each of these events, and kAhead batches that wait. Short traces, and
// machines that give no further thread, are looked at in the caller's thread.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

#include "survey/lock_sets.h"
#include "survey/requests.h"
#include "survey/split_updates.h"
#include "survey/split_views.h"
#include "survey/strong_order.h"
#include "trace/stack.h"

namespace sooth::survey {

class Sections {
public:
  // The worker begins with the first batch of so many events.
  explicit Sections(std::size_t batch = kBatch) : most_(batch) {}
  ~Sections();
  Sections(const Sections&) = delete;
  Sections& operator=(const Sections&) = delete;

  void begin(const trace::Trace& trace) { updates_.begin(trace); } // it has its sites
  // Every event that is no access, and every plain access of a thread that holds a lock; thread by
  // thread.
  void see(const trace::Event& e) {
    batch_.push_back(e);
    if (batch_.size() >= most_) hand_over();
  }
  void finish(); // all events were taken

  // Only behind finish().
  SplitUpdates& updates() { return updates_; }
  SplitViews& views() { return views_; }

private:
  static constexpr std::size_t kBatch = 1 << 12, kAhead = 8;
  static constexpr std::uint64_t kLargest = 1 << 16; // bytes of an access; larger ones are not looked at in granules

  void hand_over();
  bool start();
  void work();
  void look_at(const std::vector<trace::Event>& batch);
  void look_at(const trace::Event& e);
  void access(const trace::Event& e);

  const std::size_t most_;
  std::vector<trace::Event> batch_; // the caller's

  // Of the worker, if there is one.
  LockSets locks_;
  Requests requests_;
  StrongOrder order_; // for the epochs
  trace::ActivationStack calls_;
  SplitUpdates updates_;
  SplitViews views_;

  std::mutex mutex_; // for all below
  std::condition_variable changed_;
  std::deque<std::vector<trace::Event>> ready_;
  std::vector<std::vector<trace::Event>> spare_;
  bool over_ = false;     // there will be no more
  bool unwanted_ = false; // nobody wants to know any more
  bool refused_ = false;  // the machine gives no thread
  std::thread worker_;
};

} // namespace sooth::survey
