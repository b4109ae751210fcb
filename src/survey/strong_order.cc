#include "survey/strong_order.h"

#include <algorithm>
#include <array>

namespace sooth::survey {

StrongOrder::Life& StrongOrder::life(std::uint32_t thread) {
  if (thread >= lives_.size()) lives_.resize(thread + 1);
  return lives_[thread];
}

bool StrongOrder::see(const trace::Event& e) {
  constexpr std::uint64_t kMostThreads = 1u << 20; // the reader's bound
  const bool thread = object_of(e.kind) == trace::ObjectKind::Thread;
  const bool fork = thread && does(e.kind, trace::act::kGives), join = thread && does(e.kind, trace::act::kTakes);
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

bool StrongOrder::is_tree() const {
  return std::ranges::all_of(lives_, [&](const Life& life) {
    if (life.created_twice || (life.joined.thread != kNobody && life.joined.thread != life.created.thread))
      return false;
    unsigned depth = 0;
    for (const Life* at = &life; at->created.thread != kNobody; at = &lives_[at->created.thread])
      if (++depth == kMaxSteps) return false;
    return true;
  });
}

bool StrongOrder::before(Moment a, Moment b) const {
  std::array<Moment, kMaxSteps> above; // moments that come before b, nearest first
  unsigned count = 0;
  for (Moment at = b; count < kMaxSteps;) {
    above[count++] = at;
    if (at.thread >= lives_.size()) break;
    const Life& life = lives_[at.thread];
    if (life.created.thread == kNobody || life.created_twice) break;
    at = life.created;
  }
  // a is over by the moment `at`: the end of its own epoch, or the beginning of the epoch of a
  // thread that joined it. b has not begun before each moment in `above`: the beginning of its own
  // epoch, or the end of a creator's epoch. If both moments are of one thread and `at` has the
  // earlier or the same epoch, a comes before b in each of these cases.
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
