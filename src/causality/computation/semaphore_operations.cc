#include "causality/computation/semaphore_operations.h"

#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <deque>
#include <map>

namespace sooth::causality {
namespace {

using trace::Event;
using trace::EventKind;
using trace::kFailed;

// By address, for waits that were recorded before an initialisation: what they took before there
// were posts.
absl::flat_hash_map<std::uint64_t, std::uint64_t> least_counts(const trace::Trace& trace) {
  struct Balance {
    std::int64_t now = 0, lowest = 0;
    bool known = false;
  };
  absl::flat_hash_map<std::uint64_t, Balance> balances;
  for (const Event& e : trace.events) {
    if (e.kind == EventKind::SemInit) balances[e.address].known = true;
    if (e.has(kFailed) || (e.kind != EventKind::SemPost && e.kind != EventKind::SemWait)) continue;
    Balance& balance = balances[e.address];
    if (balance.known) continue;
    balance.now += e.kind == EventKind::SemPost ? 1 : -1;
    balance.lowest = std::min(balance.lowest, balance.now);
  }
  absl::flat_hash_map<std::uint64_t, std::uint64_t> out;
  for (const auto& [address, balance] : balances) out[address] = static_cast<std::uint64_t>(-balance.lowest);
  return out;
}

class SemaphoreOperations {
public:
  SemaphoreOperations(const trace::Trace& trace, Effects& effects)
      : trace_(trace), effects_(effects), least_(least_counts(trace)) {}

  void run() {
    for (std::uint32_t i = 0; i < trace_.events.size(); ++i) {
      const Event& e = trace_.events[i];
      if (e.kind == EventKind::SemInit) begin(e.address, e.value);
      else if (e.has(kFailed)) continue;
      else if (e.kind == EventKind::SemPost) post(e, i);
      else if (e.kind == EventKind::SemWait) take(e, i);
    }
    for (const Uses& uses : uses_) add_certain_orders(uses);
  }

private:
  struct Semaphore {
    std::uint32_t number = kNoEvent; // kNoEvent: other processes use it, too
    std::uint64_t free = 0;          // what is left of the first count
    std::deque<std::uint32_t> posts; // not taken yet
    std::uint32_t last_use = kNoEvent;
  };
  struct Uses {
    std::uint64_t first_count = 0;
    std::map<std::uint32_t, std::vector<std::uint32_t>> posts, takes; // by thread
  };

  Semaphore& begin(std::uint64_t address, std::uint64_t count) {
    Semaphore& semaphore = semaphores_[address] = {};
    if (count >> 32 != 0) return semaphore;
    semaphore.number = static_cast<std::uint32_t>(effects_.semaphores.size());
    semaphore.free = count;
    effects_.semaphores.push_back({address, count});
    uses_.push_back({count, {}, {}});
    return semaphore;
  }
  Semaphore& at(std::uint64_t address) {
    const auto it = semaphores_.find(address);
    return it != semaphores_.end() ? it->second : begin(address, least_[address]);
  }
  bool keeps_order(Semaphore& semaphore, std::uint32_t event) {
    if (semaphore.number != kNoEvent) return false;
    if (semaphore.last_use != kNoEvent) effects_.order(semaphore.last_use, event, true);
    semaphore.last_use = event;
    return true;
  }

  void post(const Event& e, std::uint32_t i) {
    Semaphore& semaphore = at(e.address);
    if (keeps_order(semaphore, i)) return;
    effects_.operations.push_back({i, {OperationKind::Post, semaphore.number, 0}});
    uses_[semaphore.number].posts[e.thread].push_back(i);
    semaphore.posts.push_back(i);
  }
  void take(const Event& e, std::uint32_t i) {
    Semaphore& semaphore = at(e.address);
    if (keeps_order(semaphore, i)) return;
    std::uint32_t taken = kNoEvent;
    if (semaphore.free > 0) {
      --semaphore.free;
    } else if (!semaphore.posts.empty()) {
      taken = semaphore.posts.front();
      semaphore.posts.pop_front();
      effects_.recorded(taken, i);
    }
    effects_.operations.push_back({i, {OperationKind::Take, semaphore.number, taken}});
    uses_[semaphore.number].takes[e.thread].push_back(i);
  }

  // A thread's n-th wait needs n posts, less the first count.
  void add_certain_orders(const Uses& uses) {
    if (uses.posts.size() != 1) return;
    const auto& [poster, posts] = *uses.posts.begin();
    for (const auto& [thread, takes] : uses.takes)
      for (std::size_t n = uses.first_count;
           thread != poster && n < takes.size() && n - uses.first_count < posts.size(); ++n)
        effects_.order(posts[n - uses.first_count], takes[n]);
  }

  const trace::Trace& trace_;
  Effects& effects_;
  absl::flat_hash_map<std::uint64_t, std::uint64_t> least_;
  absl::flat_hash_map<std::uint64_t, Semaphore> semaphores_; // by address: the present one
  std::vector<Uses> uses_;                                   // by number
};

} // namespace

void add_semaphore_operations(const trace::Trace& trace, Effects& effects) {
  SemaphoreOperations(trace, effects).run();
}

} // namespace sooth::causality
