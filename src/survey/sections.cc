#include "survey/sections.h"

#include <system_error>
#include <utility>

#include "trace/effects.h"
#include "trace/kind_groups.h"

namespace sooth::survey {

using trace::Event;

Sections::~Sections() {
  if (!worker_.joinable()) return;
  {
    const std::scoped_lock hold(mutex_);
    unwanted_ = true;
  }
  changed_.notify_all();
  worker_.join();
}

void Sections::hand_over() {
  if (!start()) {
    look_at(batch_);
    return batch_.clear();
  }
  std::unique_lock hold(mutex_);
  changed_.wait(hold, [&] { return ready_.size() < kAhead; });
  ready_.push_back(std::exchange(batch_, {}));
  if (!spare_.empty()) { // with its memory
    batch_ = std::move(spare_.back());
    spare_.pop_back();
  }
  hold.unlock();
  changed_.notify_all();
}

bool Sections::start() {
  if (worker_.joinable()) return true;
  if (refused_ || std::thread::hardware_concurrency() < 2) return false;
  try {
    worker_ = std::thread([this] { work(); });
  } catch (const std::system_error&) { // no more threads: it is done here
    refused_ = true;
  }
  return worker_.joinable();
}

void Sections::work() {
  for (;;) {
    std::unique_lock hold(mutex_);
    changed_.wait(hold, [&] { return unwanted_ || over_ || !ready_.empty(); });
    if (unwanted_ || ready_.empty()) return;
    std::vector<Event> batch = std::move(ready_.front());
    ready_.pop_front();
    hold.unlock();
    changed_.notify_all();
    look_at(batch);
    batch.clear();
    hold.lock();
    spare_.push_back(std::move(batch));
  }
}

void Sections::finish() {
  if (worker_.joinable()) {
    {
      const std::scoped_lock hold(mutex_);
      over_ = true;
    }
    changed_.notify_all();
    worker_.join(); // it takes what is ready
  }
  look_at(batch_);
  batch_ = {};
}

void Sections::look_at(const std::vector<Event>& batch) {
  constexpr std::size_t kAheadOf = 8; // events: what a lookup in memory takes
  for (std::size_t i = 0; i < batch.size(); ++i) {
    if (i + kAheadOf < batch.size() && is_access(batch[i + kAheadOf].kind))
      updates_.expect(batch[i + kAheadOf].address);
    look_at(batch[i]);
  }
}

void Sections::look_at(const Event& e) {
  if (e.thread != requests_.thread()) {
    requests_.begin_thread(e.thread);
    updates_.begin_thread();
    views_.begin_thread(e.thread);
    calls_ = {};
  }
  if (is_access(e.kind)) return access(e);
  if (const std::uint64_t lock = requests_.see(e, locks_); lock != 0) views_.begin_section(lock);
  calls_.see(e);
  order_.see(e);
}

void Sections::access(const Event& e) {
  if (e.size <= kLargest) updates_.see_access(e, {e.thread, order_.epoch(e.thread)}, requests_, locks_, calls_);
  const bool writes = writes_memory(e.kind), reads = trace::reads_memory(e.kind);
  const trace::ActivationStack::Nearest calls = calls_.nearest();
  requests_.each_held([&](std::uint64_t held) { views_.see_access(e, writes, reads, held, calls); });
}

} // namespace sooth::survey
