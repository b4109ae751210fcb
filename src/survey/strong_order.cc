#include "survey/strong_order.h"

#include <algorithm>
#include <array>

namespace sooth::survey {

using trace::EventKind;

StrongOrder::Life& StrongOrder::life(std::uint32_t thread) {
  if (thread >= lives_.size()) lives_.resize(thread + 1);
  return lives_[thread];
}

bool StrongOrder::see(const trace::Event& e) {
  constexpr std::uint64_t kMostThreads = 1u << 20; // as the reader has it
  const bool fork = e.kind == EventKind::Fork, join = e.kind == EventKind::Join;
  if ((!fork && !join) || e.has(trace::kFailed) || e.value >= kMostThreads) return false;
  const auto child = static_cast<std::uint32_t>(e.value);
  life(std::max(child, e.thread));
  Life& own = lives_[e.thread];
  Life& other = lives_[child];
  if (fork) {
    other.created_twice = other.created.thread != kNobody;
    other.created = {e.thread, own.epoch++};
  } else {
    ++own.epoch;
    if (other.joined.thread == kNobody) other.joined = {e.thread, own.epoch};
  }
  return true;
}

bool StrongOrder::before(Moment a, Moment b) const {
  std::array<Moment, kMaxSteps> above; // where b is known to come after, nearest first
  unsigned count = 0;
  for (Moment at = b; count < kMaxSteps;) {
    above[count++] = at;
    if (at.thread >= lives_.size()) break;
    const Life& life = lives_[at.thread];
    if (life.created.thread == kNobody || life.created_twice) break;
    at = life.created;
  }
  // What is over: up to the end of an epoch of a's own, or, for a thread that joined it, when an epoch begins. What is
  // still to come: from the beginning of an epoch of b's own, or, for a creator, when an epoch ends. Where both speak of
  // one thread, the earlier or the same epoch is before the other in each of these cases.
  Moment at = a;
  for (unsigned step = 0; step < kMaxSteps; ++step) {
    for (unsigned i = 0; i < count; ++i)
      if (above[i].thread == at.thread) return at.epoch <= above[i].epoch;
    if (at.thread >= lives_.size()) return false;
    const Life& life = lives_[at.thread];
    if (life.joined.thread == kNobody) return false;
    at = life.joined;
  }
  return false;
}

} // namespace sooth::survey
