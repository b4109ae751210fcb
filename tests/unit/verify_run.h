// Random legal executions: threads that take turns at random, each step one that the primitives allow at that moment.
// A model of what is legal that is written the other way round: it makes, where the verifier judges.
#pragma once

#include <cstdint>
#include <map>
#include <random>
#include <set>
#include <vector>

#include "verify_builder.h"

namespace sooth::trace::testing {

class RandomRun {
public:
  static constexpr std::uint64_t kMemory = 0x10000, kMemoryBytes = 64;
  static constexpr std::uint64_t kMutexes = 0x20000, kRecursive = 0x20100, kReadWrite = 0x20200, kCondition = 0x20300,
                                 kBarrier = 0x20400, kSemaphore = 0x20500, kOnce = 0x20600, kHeap = 0x30000;
  static constexpr std::uint32_t kThreads = 4;

  explicit RandomRun(std::uint64_t seed) : random_(seed), builder_(kThreads), threads_(kThreads) {}

  Trace make(std::size_t steps) {
    builder_.add(0, EventKind::Map, kMemory, kMemoryBytes, kFill); // so that every byte is known from the start
    builder_.add(0, EventKind::SemInit, kSemaphore, 1);
    builder_.add(0, EventKind::BarrierInit, kBarrier, 2);
    threads_[0].alive = true;
    for (std::size_t i = 0; i < steps; ++i) step(pick(kThreads));
    return builder_.trace;
  }

private:
  struct State {
    bool alive = false, forked = false, ended = false, joined = false;
    bool waiting = false; // on the condition; gave up mutex 0
    bool signalled = false;
    bool at_barrier = false;
    std::uint64_t barrier_group = 0;
    std::uint64_t atomic_blocks = 0, calls = 0, handlers = 0;
    std::uint64_t recursion = 0;
  };

  std::uint64_t pick(std::uint64_t below) { return random_() % below; }
  Event& add(std::uint32_t t, EventKind kind, std::uint64_t address = 0, std::uint64_t value = 0,
             std::uint8_t flags = 0) {
    return builder_.add(t, kind, address, value, flags);
  }

  void step(std::uint64_t number) {
    const auto t = static_cast<std::uint32_t>(number);
    State& self = threads_[t];
    if (!self.alive) return;
    if (self.waiting) return try_wake(t, self);
    if (self.at_barrier) return try_leave(t, self);
    switch (pick(20)) {
    case 0:
    case 1: return write(t);
    case 2:
    case 3: return read(t);
    case 4: return atomic(t);
    case 5:
    case 6: return mutex(t);
    case 7: return recursive(t, self);
    case 8: return read_write(t);
    case 9: return condition(t, self);
    case 10: return arrive(t, self);
    case 11: return semaphore(t);
    case 12: return once(t);
    case 13: return threads(t);
    case 14: return finish(t, self);
    case 15: return heap(t);
    case 16: return atomic_block(t, self);
    case 17: return call(t, self);
    case 18: return handler(t, self);
    default: return others(t);
    }
  }

  std::uint64_t content(std::uint64_t address, std::uint32_t size) const {
    std::uint64_t value = 0;
    for (std::uint32_t i = 0; i < size; ++i) value |= std::uint64_t{memory_[address - kMemory + i]} << (8 * i);
    return value;
  }
  void store(std::uint64_t address, std::uint32_t size, std::uint64_t value) {
    for (std::uint32_t i = 0; i < size; ++i)
      memory_[address - kMemory + i] = static_cast<std::uint8_t>(value >> (8 * i));
  }
  // A random access within memory; a random value of its size.
  void choose(std::uint64_t& address, std::uint32_t& size, std::uint64_t& value) {
    size = 1u << pick(4);
    address = kMemory + pick(kMemoryBytes - size + 1);
    value = random_() >> (64 - 8 * size);
  }

  void write(std::uint32_t t) {
    std::uint64_t address, value;
    std::uint32_t size;
    choose(address, size, value);
    builder_.access(t, pick(10) == 0 ? EventKind::ExternalWrite : EventKind::Write, address, size, value);
    store(address, size, value);
  }
  void read(std::uint32_t t) {
    std::uint64_t address, value;
    std::uint32_t size;
    choose(address, size, value);
    builder_.read(t, address, size, content(address, size));
  }
  void atomic(std::uint32_t t) {
    std::uint64_t address, value;
    std::uint32_t size;
    choose(address, size, value);
    const std::uint64_t seen = content(address, size);
    if (pick(2) == 0) {
      builder_.access(t, EventKind::AtomicRead, address, size, seen);
      return;
    }
    builder_.rmw(t, address, size, seen, value);
    store(address, size, value);
  }

  void mutex(std::uint32_t t) {
    const std::uint64_t m = pick(2);
    if (owner_[m] == t) {
      add(t, EventKind::Release, kMutexes + 8 * m);
      owner_[m] = kNobody;
    } else if (owner_[m] == kNobody) {
      add(t, EventKind::Acquire, kMutexes + 8 * m);
      owner_[m] = t;
    } else {
      add(t, EventKind::Acquire, kMutexes + 8 * m, kLockTry, kFailed);
    }
  }
  void recursive(std::uint32_t t, State& self) {
    if (recursive_owner_ != kNobody && recursive_owner_ != t) return;
    if (self.recursion > 0 && pick(2) == 0) {
      add(t, EventKind::Release, kRecursive, kLockRecursive);
      if (--self.recursion == 0) recursive_owner_ = kNobody;
    } else {
      add(t, EventKind::Acquire, kRecursive, kLockRecursive);
      ++self.recursion;
      recursive_owner_ = t;
    }
  }
  void read_write(std::uint32_t t) {
    if (writer_ == t) {
      add(t, EventKind::Release, kReadWrite, kLockReadWrite);
      writer_ = kNobody;
    } else if (readers_.count(t) != 0) {
      add(t, EventKind::ReleaseShared, kReadWrite, kLockReadWrite);
      readers_.erase(t);
    } else if (writer_ == kNobody && pick(2) == 0) {
      add(t, EventKind::AcquireShared, kReadWrite, kLockReadWrite);
      readers_.insert(t);
    } else if (writer_ == kNobody && readers_.empty()) {
      add(t, EventKind::Acquire, kReadWrite, kLockReadWrite);
      writer_ = t;
    }
  }

  void condition(std::uint32_t t, State& self) {
    if (owner_[0] == t && pick(2) == 0) {
      add(t, EventKind::Wait, kCondition, kMutexes);
      owner_[0] = kNobody;
      self.waiting = true;
      self.signalled = false;
      return;
    }
    const bool all = pick(2) == 0;
    add(t, all ? EventKind::Broadcast : EventKind::Signal, kCondition);
    for (State& other : threads_) {
      if (!other.waiting || other.signalled) continue;
      other.signalled = true;
      if (!all) break;
    }
  }
  void try_wake(std::uint32_t t, State& self) {
    if (owner_[0] != kNobody) return;
    const bool time_is_up = !self.signalled && pick(4) == 0;
    if (!self.signalled && !time_is_up) return;
    add(t, EventKind::Wake, kCondition, kMutexes, time_is_up ? kFailed : 0);
    owner_[0] = t;
    self.waiting = false;
  }

  void arrive(std::uint32_t t, State& self) {
    std::size_t alive = 0;
    for (const State& state : threads_) alive += state.alive ? 1 : 0;
    if (alive < 2) return; // it would wait for ever
    add(t, EventKind::BarrierArrive, kBarrier);
    self.at_barrier = true;
    self.barrier_group = arrivals_++ / 2;
  }
  void try_leave(std::uint32_t t, State& self) {
    if (arrivals_ / 2 <= self.barrier_group) return;
    add(t, EventKind::BarrierLeave, kBarrier);
    self.at_barrier = false;
  }
  void semaphore(std::uint32_t t) {
    if (pick(2) == 0) {
      add(t, EventKind::SemPost, kSemaphore);
      ++count_;
    } else {
      add(t, EventKind::SemWait, kSemaphore, 0, count_ == 0 ? kFailed : 0);
      if (count_ > 0) --count_;
    }
  }
  void once(std::uint32_t t) {
    if (once_done_) {
      add(t, EventKind::OnceWait, kOnce);
    } else if (once_runner_ == t) {
      once_done_ = pick(2) == 0;
      add(t, EventKind::OnceEnd, kOnce, 0, once_done_ ? 0 : kFailed);
      once_runner_ = kNobody;
    } else if (once_runner_ == kNobody) {
      add(t, EventKind::OnceBegin, kOnce);
      once_runner_ = t;
    }
  }

  void threads(std::uint32_t t) {
    const auto other = static_cast<std::uint32_t>(1 + pick(kThreads - 1));
    State& child = threads_[other];
    if (!child.forked) {
      add(t, EventKind::Fork, 0, other);
      add(other, EventKind::ThreadStart, 0, t);
      child.forked = child.alive = true;
    } else if (child.ended && !child.joined) {
      add(t, EventKind::Join, 0, other);
      child.joined = true;
    }
  }
  void finish(std::uint32_t t, State& self) {
    if (t == 0 || pick(3) != 0) return;
    add(t, EventKind::ThreadEnd);
    self.alive = false;
    self.ended = true;
  }

  void heap(std::uint32_t t) {
    const std::uint64_t slot = kHeap + 64 * pick(4);
    if (blocks_.erase(slot) != 0) {
      add(t, EventKind::Free, slot, 64);
    } else {
      add(t, EventKind::Alloc, slot, 64);
      blocks_.insert(slot);
    }
  }
  void atomic_block(std::uint32_t t, State& self) {
    if (self.atomic_blocks > 0 && pick(2) == 0) add(t, EventKind::AtomicEnd, --self.atomic_blocks);
    else add(t, EventKind::AtomicBegin, self.atomic_blocks++);
  }
  void call(std::uint32_t t, State& self) {
    if (self.calls > 0 && pick(2) == 0) add(t, EventKind::Exit, 0, self.calls = pick(self.calls));
    else add(t, EventKind::Enter), ++self.calls;
  }
  void handler(std::uint32_t t, State& self) {
    if (self.handlers > 0 && pick(2) == 0) add(t, EventKind::SignalExit, 0x400, --self.handlers);
    else add(t, EventKind::SignalEnter, 0x400, self.handlers++);
  }
  void others(std::uint32_t t) {
    static constexpr EventKind kinds[] = {
        EventKind::Fence,  EventKind::Branch, EventKind::HbRelease, EventKind::HbAcquire, EventKind::User,
        EventKind::Detach, EventKind::Cancel, EventKind::FutexWait, EventKind::FutexWake, EventKind::ThreadName};
    Event& e = add(t, kinds[pick(std::size(kinds))], 0, t);
    if (e.kind == EventKind::Fence) e.order = MemoryOrder::SeqCst;
  }

  static constexpr std::uint32_t kNobody = ~std::uint32_t{0};
  std::mt19937_64 random_;
  TraceBuilder builder_;
  std::vector<State> threads_;
  std::uint8_t memory_[kMemoryBytes] = {};
  std::uint32_t owner_[2] = {kNobody, kNobody};
  std::uint32_t recursive_owner_ = kNobody, writer_ = kNobody, once_runner_ = kNobody;
  std::set<std::uint32_t> readers_;
  std::set<std::uint64_t> blocks_;
  std::uint64_t arrivals_ = 0, count_ = 1;
  bool once_done_ = false;
};

} // namespace sooth::trace::testing
