#include "traces.h"

#include <algorithm>
#include <random>
#include <set>
#include <vector>

#include "causality/computation/wait_queue.h"
#include "unit/verify_builder.h"

namespace sooth::cross {

using trace::Event;
using trace::EventKind;
using trace::testing::TraceBuilder;

namespace {

constexpr std::uint64_t kMemory = 0x1000, kLocks = 0x2000, kReadWriteLocks = 0x3000;
constexpr std::uint32_t kNobody = 0xffffffff;

// --- all small traces ------------------------------------------------------------------------------------------

class SmallTraces {
public:
  SmallTraces(const SmallShape& shape, const std::function<bool(const trace::Trace&)>& visit)
      : shape_(shape), visit_(visit), builder_(shape.threads), owner_(shape.locks, kNobody),
        value_(shape.variables, -1) {}

  std::uint64_t run() {
    extend(0, 0, 0);
    return count_;
  }

private:
  // Names are given in the order of their first use, so that of all renamings only one is made.
  void extend(std::uint32_t threads, std::uint32_t variables, std::uint32_t locks) {
    auto& events = builder_.trace.events;
    if (stopped_) return;
    if (events.size() == shape_.events) {
      if (threads < shape_.threads) return;
      ++count_;
      stopped_ = !visit_(builder_.trace);
      return;
    }
    if (shape_.threads - threads > shape_.events - events.size()) return; // not all of them would get a turn
    for (std::uint32_t t = 0; t <= threads && t < shape_.threads; ++t) {
      const std::uint32_t threads_now = std::max(threads, t + 1);
      for (std::uint32_t x = 0; x <= variables && x < shape_.variables; ++x) {
        const std::uint32_t variables_now = std::max(variables, x + 1);
        const int before = value_[x];
        if (before == -1) value_[x] = 0;
        builder_.read(t, kMemory + x, 1, static_cast<std::uint64_t>(value_[x]));
        extend(threads_now, variables_now, locks);
        events.pop_back();
        for (int value = 0; value < (before == -1 ? 1 : 2); ++value) {
          value_[x] = value;
          builder_.write(t, kMemory + x, 1, static_cast<std::uint64_t>(value));
          extend(threads_now, variables_now, locks);
          events.pop_back();
        }
        value_[x] = before;
      }
      for (std::uint32_t l = 0; l <= locks && l < shape_.locks; ++l) {
        if (owner_[l] != kNobody && owner_[l] != t) continue;
        const std::uint32_t before = owner_[l];
        builder_.add(t, before == t ? EventKind::Release : EventKind::Acquire, kLocks + l);
        owner_[l] = before == t ? kNobody : t;
        extend(threads_now, variables, std::max(locks, l + 1));
        owner_[l] = before;
        events.pop_back();
      }
    }
  }

  const SmallShape shape_;
  const std::function<bool(const trace::Trace&)>& visit_;
  TraceBuilder builder_;
  std::vector<std::uint32_t> owner_;
  std::vector<int> value_; // -1: not used yet
  std::uint64_t count_ = 0;
  bool stopped_ = false;
};

// --- random traces ---------------------------------------------------------------------------------------------

class RandomTrace {
public:
  RandomTrace(std::uint64_t seed, const RandomShape& shape)
      : random_(seed), shape_(shape), builder_(shape.threads), threads_(shape.threads),
        mutex_owner_(shape.mutexes, kNobody), writer_(shape.read_write, kNobody), readers_(shape.read_write) {}

  trace::Trace make() {
    for (std::uint32_t t = 0; t < shape_.threads; ++t) threads_[t].alive = t == 0 || !shape_.forks;
    for (int tries = 0; tries < 400 && builder_.trace.events.size() < shape_.events; ++tries)
      step(pick(shape_.threads));
    return builder_.trace;
  }

private:
  struct Thread {
    bool alive = false, forked = false, ended = false, joined = false, block = false;
  };

  std::uint32_t pick(std::uint32_t below) { return static_cast<std::uint32_t>(random_() % below); }

  void step(std::uint32_t t) {
    if (!threads_[t].alive) return;
    if (pick(10) < shape_.accesses) return access(t);
    switch (pick(5)) {
    case 0:
    case 1: return mutex(t);
    case 2: return shape_.read_write != 0 ? read_write(t) : mutex(t);
    case 3: return shape_.forks ? threads(t) : mutex(t);
    default: return shape_.blocks ? block(t) : mutex(t);
    }
  }

  std::uint64_t content(std::uint64_t at, std::uint32_t size) const {
    std::uint64_t word = 0;
    for (std::uint32_t i = 0; i < size; ++i) word |= std::uint64_t{memory_[at + i]} << (8 * i);
    return word;
  }
  void access(std::uint32_t t) {
    std::uint32_t size = 1u << pick(3);
    while (size > shape_.bytes) size /= 2;
    if (pick(2) == 0) size = 1;
    const std::uint64_t at = pick(shape_.bytes - size + 1), address = kMemory + at;
    std::uint64_t value = 0;
    for (std::uint32_t i = 0; i < size; ++i) value |= std::uint64_t{pick(2)} << (8 * i);
    const bool atomic = shape_.atomics && pick(3) == 0;
    const std::uint64_t seen = content(at, size);
    if (pick(2) == 0) {
      builder_.access(t, atomic ? EventKind::AtomicRead : EventKind::Read, address, size, seen);
      return;
    }
    if (atomic && pick(2) == 0) builder_.rmw(t, address, size, seen, value);
    else builder_.access(t, atomic ? EventKind::AtomicWrite : EventKind::Write, address, size, value);
    for (std::uint32_t i = 0; i < size; ++i) memory_[at + i] = static_cast<std::uint8_t>(value >> (8 * i));
  }

  void mutex(std::uint32_t t) {
    if (shape_.mutexes == 0) return access(t);
    const std::uint32_t l = pick(shape_.mutexes);
    const bool tries = shape_.tries && pick(3) == 0;
    if (mutex_owner_[l] == t) {
      builder_.add(t, EventKind::Release, kLocks + 8 * l);
      mutex_owner_[l] = kNobody;
    } else if (mutex_owner_[l] == kNobody) {
      builder_.add(t, EventKind::Acquire, kLocks + 8 * l, tries ? std::uint64_t{trace::kLockTry} : 0);
      mutex_owner_[l] = t;
    } else if (tries) {
      builder_.add(t, EventKind::Acquire, kLocks + 8 * l, trace::kLockTry, trace::kFailed);
    }
  }
  void read_write(std::uint32_t t) {
    const std::uint32_t l = pick(shape_.read_write);
    const std::uint64_t address = kReadWriteLocks + 8 * l;
    if (writer_[l] == t) {
      builder_.add(t, EventKind::Release, address, trace::kLockReadWrite);
      writer_[l] = kNobody;
    } else if (readers_[l].erase(t) != 0) {
      builder_.add(t, EventKind::ReleaseShared, address, trace::kLockReadWrite);
    } else if (writer_[l] == kNobody && pick(2) == 0) {
      builder_.add(t, EventKind::AcquireShared, address, trace::kLockReadWrite);
      readers_[l].insert(t);
    } else if (writer_[l] == kNobody && readers_[l].empty()) {
      builder_.add(t, EventKind::Acquire, address, trace::kLockReadWrite);
      writer_[l] = t;
    } else if (shape_.tries) {
      const bool shared = writer_[l] != kNobody && pick(2) == 0;
      builder_.add(t, shared ? EventKind::AcquireShared : EventKind::Acquire, address,
                   trace::kLockReadWrite | trace::kLockTry, trace::kFailed);
    }
  }

  void threads(std::uint32_t t) {
    if (t != 0) {
      if (pick(3) != 0) return;
      threads_[t].alive = false;
      threads_[t].ended = true;
      if (shape_.starts) builder_.add(t, EventKind::ThreadEnd);
      return;
    }
    const std::uint32_t child = 1 + pick(shape_.threads - 1);
    if (!threads_[child].forked) {
      builder_.add(0, EventKind::Fork, 0, child);
      threads_[child].forked = threads_[child].alive = true;
      if (shape_.starts) builder_.add(child, EventKind::ThreadStart, 0, 0);
    } else if (threads_[child].ended && !threads_[child].joined) {
      builder_.add(0, EventKind::Join, 0, child);
      threads_[child].joined = true;
    }
  }
  void block(std::uint32_t t) {
    bool& open = threads_[t].block;
    builder_.add(t, open ? EventKind::AtomicEnd : EventKind::AtomicBegin, 1);
    open = !open;
  }

  std::mt19937_64 random_;
  const RandomShape shape_;
  TraceBuilder builder_;
  std::vector<Thread> threads_;
  std::vector<std::uint32_t> mutex_owner_, writer_;
  std::vector<std::set<std::uint32_t>> readers_;
  std::uint8_t memory_[64] = {};
};

} // namespace

std::uint64_t small_traces(const SmallShape& shape, const std::function<bool(const trace::Trace&)>& visit) {
  return SmallTraces(shape, visit).run();
}

trace::Trace random_trace(std::uint64_t seed, const RandomShape& shape) { return RandomTrace(seed, shape).make(); }

RandomShape random_shape(std::uint64_t seed, bool blocks) {
  RandomShape shape;
  shape.threads = 2 + seed % 3;
  shape.events = 8 + seed / 3 % 6;
  shape.bytes = 1 + seed / 5 % 4;
  shape.mutexes = seed / 7 % 4;
  shape.read_write = seed / 11 % 2;
  shape.atomics = seed / 13 % 2 == 0;
  shape.tries = seed / 2 % 2 == 0;
  shape.forks = seed / 4 % 3 == 0;
  shape.starts = seed % 5 != 0;
  shape.blocks = blocks;
  return shape;
}

trace::Trace random_block_trace(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto pick = [&](std::uint64_t below) { return static_cast<std::uint32_t>(random() % below); };
  const std::uint32_t threads = 2 + pick(2), bytes = 1 + pick(2), values = 2 + pick(2);
  const bool locks = pick(3) == 0;
  enum class Do : std::uint8_t { Begin, End, Read, Write, Modify, Lock, Unlock };
  std::vector<std::vector<Do>> plans(threads);
  for (std::vector<Do>& plan : plans) {
    const auto accesses = [&](std::uint32_t count) {
      for (std::uint32_t i = 0; i < count; ++i) {
        const bool locked = locks && pick(2) == 0;
        if (locked) plan.push_back(Do::Lock);
        plan.push_back(pick(8) == 0 ? Do::Modify : pick(2) == 0 ? Do::Read : Do::Write);
        if (locked) plan.push_back(Do::Unlock);
      }
    };
    if (pick(4) == 0) accesses(1);
    if (pick(5) != 0) {
      plan.push_back(Do::Begin);
      accesses(2 + pick(threads == 2 ? 2 : 1));
      plan.push_back(Do::End);
    }
    if (pick(3) == 0) accesses(1);
  }
  TraceBuilder builder(threads);
  std::vector<std::size_t> done(threads, 0);
  std::uint8_t memory[2] = {};
  std::uint32_t owner = kNobody;
  for (int tries = 0; tries < 400; ++tries) {
    const std::uint32_t t = pick(threads);
    if (done[t] == plans[t].size()) continue;
    const Do what = plans[t][done[t]];
    if (what == Do::Lock && owner != kNobody) continue;
    ++done[t];
    const std::uint64_t at = pick(bytes);
    const std::uint64_t value = pick(values), seen = memory[at];
    switch (what) {
    case Do::Begin: builder.add(t, EventKind::AtomicBegin, 1); break;
    case Do::End: builder.add(t, EventKind::AtomicEnd, 1); break;
    case Do::Read: builder.access(t, EventKind::Read, kMemory + at, 1, seen); break;
    case Do::Write: builder.access(t, EventKind::Write, kMemory + at, 1, value); break;
    case Do::Modify: builder.rmw(t, kMemory + at, 1, seen, value); break;
    case Do::Lock: builder.add(t, EventKind::Acquire, kLocks); break;
    case Do::Unlock: builder.add(t, EventKind::Release, kLocks); break;
    }
    if (what == Do::Write || what == Do::Modify) memory[at] = static_cast<std::uint8_t>(value);
    if (what == Do::Lock) owner = t;
    if (what == Do::Unlock) owner = kNobody;
  }
  return builder.trace;
}

trace::Trace random_waiting_trace(std::uint64_t seed) {
  constexpr std::uint64_t kSemaphores = 0x4000;
  std::mt19937_64 random(seed);
  const auto pick = [&](std::uint64_t below) { return static_cast<std::uint32_t>(random() % below); };
  const std::uint32_t children = 2 + pick(2), mutexes = pick(3), semaphores = 1 + pick(2);
  TraceBuilder builder(1 + children);
  std::vector<std::uint64_t> counts;
  for (std::uint32_t s = 0; s < semaphores; ++s) {
    counts.push_back(pick(3));
    builder.add(0, EventKind::SemInit, kSemaphores + 64 * s, counts.back());
  }
  for (std::uint32_t child = 1; child <= children; ++child) {
    builder.add(0, EventKind::Fork, 0, child);
    builder.add(child, EventKind::ThreadStart, 0, 0);
  }
  std::vector<std::uint32_t> owner(mutexes, kNobody);
  const std::uint32_t steps = 5 + pick(children == 2 ? 6 : 5);
  for (std::uint32_t i = 0; i < steps; ++i) {
    const std::uint32_t t = 1 + pick(children), s = pick(semaphores);
    if (mutexes != 0 && pick(2) == 0) {
      const std::uint32_t l = pick(mutexes);
      if (owner[l] != kNobody && owner[l] != t) continue;
      builder.add(t, owner[l] == t ? EventKind::Release : EventKind::Acquire, kLocks + 64 * l);
      owner[l] = owner[l] == t ? kNobody : t;
    } else if (counts[s] > 0 && pick(2) == 0) {
      builder.add(t, EventKind::SemWait, kSemaphores + 64 * s);
      --counts[s];
    } else {
      builder.add(t, EventKind::SemPost, kSemaphores + 64 * s);
      ++counts[s];
    }
  }
  for (std::uint32_t l = 0; l < mutexes; ++l)
    if (owner[l] != kNobody) builder.add(owner[l], EventKind::Release, kLocks + 64 * l);
  for (std::uint32_t child = 1; child <= children; ++child) builder.add(child, EventKind::ThreadEnd);
  for (std::uint32_t child = 1; child <= children; ++child) builder.add(0, EventKind::Join, 0, child);
  return builder.trace;
}

trace::Trace random_flag_trace(std::uint64_t seed) {
  constexpr std::uint64_t kFlag = 0x7000;
  enum class Mess : std::uint8_t { None, Foreign, Stores, Late, Count };
  const auto mess = static_cast<Mess>(seed % static_cast<std::uint64_t>(Mess::Count));
  std::mt19937_64 random(seed);
  const auto pick = [&](std::uint64_t below) { return static_cast<std::uint32_t>(random() % below); };
  const std::uint32_t threads = 2 + pick(2);
  TraceBuilder builder(threads);
  std::uint32_t holder = kNobody;
  std::uint8_t flag = static_cast<std::uint8_t>(pick(2) * 3), memory = 0; // 0 or 3 is free
  const std::uint8_t free = flag;
  const auto store = [&](std::uint32_t t, std::uint8_t value) {
    builder.access(t, EventKind::AtomicWrite, kFlag, 1, value);
    flag = value;
  };
  const auto update = [&](std::uint32_t t, std::uint8_t value) {
    builder.rmw(t, kFlag, 1, flag, value);
    flag = value;
  };
  if (pick(2) == 0) builder.access(0, EventKind::Write, kFlag, 1, flag);
  for (std::uint32_t child = 1; child < threads; ++child) builder.add(0, EventKind::Fork, 0, child);
  const std::size_t events = builder.trace.events.size() + 8 + pick(threads == 2 ? 5 : 3);
  for (int tries = 0; tries < 200 && builder.trace.events.size() < events; ++tries) {
    const std::uint32_t t = pick(threads);
    const bool holds = holder == t;
    const auto other = static_cast<std::uint8_t>(1 + pick(2)); // never what is free
    if (pick(3) == 0 && (holds || pick(3) == 0)) {
      if (pick(2) == 0) builder.access(t, EventKind::Read, kMemory, 1, memory);
      else builder.access(t, EventKind::Write, kMemory, 1, memory = static_cast<std::uint8_t>(pick(2)));
    } else if (holds) {
      if (pick(4) == 0) store(t, other);
      else if (holder = kNobody; pick(2) == 0) update(t, free);
      else store(t, free);
    } else if (flag == free) {
      if (mess == Mess::Stores && pick(2) == 0) store(t, other); // blocks everybody, holds nothing
      else update(t, other), holder = flag == free ? kNobody : t;
    } else if (mess == Mess::Foreign && pick(3) == 0) {
      store(t, free); // gives back what is another one's
      holder = kNobody;
    } else {
      pick(2) == 0 ? update(t, other) : static_cast<void>(builder.access(t, EventKind::AtomicRead, kFlag, 1, flag));
    }
  }
  if (mess == Mess::Late && holder == kNobody) store(pick(threads), free);
  return builder.trace;
}

trace::Trace random_counted_trace(std::uint64_t seed, bool larger) {
  constexpr std::uint64_t kSemaphore = 0x4000, kCondition = 0x5000, kBarrier = 0x6000;
  std::mt19937_64 random(seed);
  const auto pick = [&](std::uint64_t below) { return static_cast<std::uint32_t>(random() % below); };
  const std::uint32_t threads = 2 + pick(2), bytes = 1 + pick(2);
  const std::uint32_t uses = pick(4); // 0: semaphores, 1: conditions, 2: a barrier, 3: all of them
  const bool mutex = pick(2) == 0;
  const std::uint32_t round = larger && threads > 2 ? 2 : threads;
  const std::uint64_t held = mutex ? kLocks : 0;
  enum class At : std::uint8_t { Nowhere, Condition, Barrier };
  struct Thread {
    At at = At::Nowhere;
    std::uint32_t round = 0;
  };
  TraceBuilder builder(threads);
  std::vector<Thread> all(threads);
  std::uint32_t owner = kNobody, count = pick(2), arrived = 0;
  if (pick(4) != 0) builder.add(0, EventKind::SemInit, kSemaphore, count);
  builder.add(0, EventKind::BarrierInit, kBarrier, round);
  causality::WaitQueue waiting;
  std::uint8_t memory[2] = {};
  const std::size_t events = 9 + pick(threads == 2 ? 6 : 4);
  for (int tries = 0; tries < 200 && builder.trace.events.size() < events; ++tries) {
    const std::uint32_t t = pick(threads);
    if (all[t].at == At::Barrier) {
      if (arrived < (all[t].round + 1) * round) continue;
      builder.add(t, EventKind::BarrierLeave, kBarrier);
      all[t].at = At::Nowhere;
      continue;
    }
    if (all[t].at == At::Condition) {
      const bool late = pick(8) == 0;
      if ((!late && !waiting.may_wake(t)) || (mutex && owner != kNobody)) continue;
      builder.add(t, EventKind::Wake, kCondition, held, late ? trace::kFailed : 0);
      waiting.wake(t, !late);
      if (mutex) owner = t;
      all[t].at = At::Nowhere;
      continue;
    }
    if (pick(5) < 2) {
      const std::uint64_t at = pick(bytes), value = pick(2);
      if (pick(2) == 0) {
        builder.access(t, EventKind::Read, kMemory + at, 1, memory[at]);
      } else {
        builder.access(t, EventKind::Write, kMemory + at, 1, value);
        memory[at] = static_cast<std::uint8_t>(value);
      }
      continue;
    }
    switch (uses == 3 ? pick(3) : uses) {
    case 0:
      if (count > 0 && pick(2) == 0) {
        builder.add(t, EventKind::SemWait, kSemaphore);
        --count;
      } else {
        builder.add(t, EventKind::SemPost, kSemaphore);
        ++count;
      }
      break;
    case 1:
      if (pick(3) == 0) {
        const bool everybody = pick(3) == 0;
        builder.add(t, everybody ? EventKind::Broadcast : EventKind::Signal, kCondition);
        if (everybody) waiting.broadcast();
        else waiting.signal();
      } else if (mutex && owner != t) {
        if (owner == kNobody) builder.add(t, EventKind::Acquire, kLocks);
        if (owner == kNobody) owner = t;
      } else if (mutex && pick(3) == 0) {
        builder.add(t, EventKind::Release, kLocks);
        owner = kNobody;
      } else {
        builder.add(t, EventKind::Wait, kCondition, held);
        waiting.wait(t);
        if (mutex) owner = kNobody;
        all[t].at = At::Condition;
      }
      break;
    default:
      builder.add(t, EventKind::BarrierArrive, kBarrier);
      all[t] = {At::Barrier, arrived++ / round};
      break;
    }
  }
  return builder.trace;
}

std::string text(const trace::Trace& trace) {
  std::string out;
  for (std::size_t i = 0; i < trace.events.size(); ++i) {
    const Event& e = trace.events[i];
    out += std::to_string(i) + ": thread " + std::to_string(e.thread) + " " + std::string(trace::kind_name(e.kind)) +
           " address " + std::to_string(e.address) + " size " + std::to_string(e.size) + " value " +
           std::to_string(e.value);
    if (e.kind == EventKind::AtomicRmw) out += " seen " + std::to_string(e.extra);
    if (e.has(trace::kFailed)) out += " failed";
    out += "\n";
  }
  return out;
}

} // namespace sooth::cross
