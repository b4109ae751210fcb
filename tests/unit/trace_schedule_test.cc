// Random small programs, run under random sequentially consistent schedules; the streams that a runtime would have
// recorded are restored. With exact counters the order must come back as it was; with counters as far off as a real
// program's, whatever comes out must be legal.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cstring>
#include <random>

#include "trace/reader.h"
#include "unit/raw_file.h"

using namespace sooth::trace;
using namespace sooth::test;

namespace {

// None: every event has a counter of its own. Hooks: as real hooks do it, reads look at the counter after the load,
// writes before the store, and read-modify-writes take their ticket before they act; other threads run in between.
// Wild: readings are off either way.
enum class Noise { None, Hooks, Wild };

struct Recording {
  std::vector<Slots> streams;
  std::vector<std::uint32_t> schedule; // the thread of each event
};

class Machine {
public:
  Machine(std::uint32_t seed, unsigned threads, Noise noise) : random_(seed), noise_(noise), threads_(threads) {
    out_.streams.resize(threads);
  }

  // Runs a random program; each step is half of an access.
  Recording run(unsigned steps) {
    for (unsigned i = 0; i < steps; ++i) {
      const std::uint32_t thread = below(static_cast<unsigned>(threads_.size()));
      step(thread);
      if (noise_ != Noise::Hooks && threads_[thread].busy) step(thread);
    }
    for (std::uint32_t thread = 0; thread < threads_.size(); ++thread) {
      if (threads_[thread].busy) step(thread);
      settle(thread);
    }
    return std::move(out_);
  }

private:
  struct State {
    bool busy = false;
    EventKind kind = EventKind::None;
    unsigned offset = 0;
    std::uint8_t size = 0;
    std::uint64_t value = 0; // to be written, or seen
    std::uint64_t counter = 0;
    std::vector<std::size_t> heads; // of its events in its stream
  };

  unsigned below(unsigned n) { return static_cast<unsigned>(random_() % n); }

  void step(std::uint32_t thread) {
    State& t = threads_[thread];
    if (!t.busy) begin(t);
    else end(thread, t);
  }

  void begin(State& t) {
    static constexpr EventKind kKinds[] = {EventKind::Read,       EventKind::Read,  EventKind::Read,
                                           EventKind::AtomicRead, EventKind::Write, EventKind::Write,
                                           EventKind::AtomicRmw,  EventKind::Signal};
    t.kind = kKinds[below(8)];
    if (t.kind == EventKind::AtomicRmw && locked_) return; // these exclude each other
    t.busy = true;
    t.size = static_cast<std::uint8_t>(1u << below(4));
    t.offset = below(sizeof memory_ - t.size) & (below(4) == 0 ? ~0u : ~3u);
    t.value = below(5) * 0x0101010101010101ull & (t.size == 8 ? ~0ull : (1ull << (8 * t.size)) - 1);
    if (t.kind == EventKind::Read || t.kind == EventKind::AtomicRead) {
      t.value = 0;
      std::memcpy(&t.value, memory_ + t.offset, t.size);
    } else if (t.kind == EventKind::Write) {
      t.counter = look();
    } else {
      t.counter = ++counter_;
      locked_ |= t.kind == EventKind::AtomicRmw;
    }
  }

  void end(std::uint32_t thread, State& t) {
    t.busy = false;
    const std::uint64_t address = 0x1000 + t.offset;
    if (t.kind == EventKind::Read || t.kind == EventKind::AtomicRead) {
      put(thread, {plain(t.kind, address, t.value, look(), t.size)});
      return;
    }
    if (t.kind == EventKind::Signal) {
      put(thread, {ticketed(t.kind, 0x9000, 0, t.counter)});
      return;
    }
    const std::uint8_t* old = memory_ + t.offset;
    const auto* fresh = reinterpret_cast<const std::uint8_t*>(&t.value);
    if (t.kind == EventKind::Write) {
      put(thread, {write(address, t.value, t.counter, t.size)});
    } else {
      put(thread, rmw(address, {old, old + t.size}, {fresh, fresh + t.size}, t.counter));
      locked_ = false;
    }
    std::memcpy(memory_ + t.offset, fresh, t.size);
  }

  std::uint64_t look() {
    if (noise_ == Noise::Hooks) return counter_;
    if (noise_ == Noise::None) return ++counter_;
    const std::uint64_t off = below(4);
    return below(2) == 0 ? counter_ + off : counter_ - std::min(counter_, off);
  }

  void put(std::uint32_t thread, const Slots& slots) {
    threads_[thread].heads.push_back(out_.streams[thread].size());
    out_.streams[thread].insert(out_.streams[thread].end(), slots.begin(), slots.end());
    out_.schedule.push_back(thread);
  }

  // A reading never goes back within a thread, nor beyond the thread's next ticket.
  void settle(std::uint32_t thread) {
    std::uint64_t last = 0;
    for (const std::size_t head : threads_[thread].heads) {
      RawEvent& e = out_.streams[thread][head];
      last = e.counter = e.flags & kTicket ? e.counter : std::max(last, e.counter);
    }
    std::uint64_t next = UINT64_MAX;
    for (auto head = threads_[thread].heads.rbegin(); head != threads_[thread].heads.rend(); ++head) {
      RawEvent& e = out_.streams[thread][*head];
      e.counter = std::min(e.counter, next);
      next = e.flags & kTicket ? e.counter - 1 : e.counter;
    }
  }

  std::mt19937 random_;
  Noise noise_;
  std::vector<State> threads_;
  Recording out_;
  std::uint8_t memory_[32] = {};
  std::uint64_t counter_ = 0;
  bool locked_ = false;
};

Recording interpret(std::uint32_t seed, unsigned threads, unsigned steps, Noise noise) {
  return Machine(seed, threads, noise).run(steps);
}

} // namespace

TEST(Schedule, ExactCountersGiveTheOrderBack) {
  EXPECT_TRUE(rc::check([](std::uint32_t seed) {
    const unsigned threads = *rc::gen::inRange(1u, 5u);
    const Recording run = interpret(seed, threads, *rc::gen::inRange(1u, 60u), Noise::None);
    const Trace trace = restored(run.streams);
    RC_ASSERT(trace.defect(Defect::ExternalWrites) == 0u);
    RC_ASSERT(first_illegal(trace) == -1);
    std::vector<std::uint32_t> order;
    for (const Event& e : trace.events) order.push_back(e.thread);
    RC_ASSERT(order == run.schedule);
  }));
}

TEST(Schedule, NoisyCountersGiveALegalOrder) {
  EXPECT_TRUE(rc::check([](std::uint32_t seed) {
    const unsigned threads = *rc::gen::inRange(2u, 6u);
    const Noise noise = *rc::gen::element(Noise::Hooks, Noise::Wild);
    const Recording run = interpret(seed, threads, *rc::gen::inRange(1u, 200u), noise);
    const Trace trace = restored(run.streams);
    RC_ASSERT(first_illegal(trace) == -1);
    RC_ASSERT(keeps_threads(trace, run.streams));
  }));
}

// Legality alone would be satisfied by an external write before every read; this says that they stay rare.
TEST(Schedule, NoiseOfRealHooksRarelyNeedsAnExternalWrite) {
  std::uint64_t external = 0;
  std::uint64_t events = 0;
  for (std::uint32_t seed = 0; seed < 300; ++seed) {
    const Recording run = interpret(seed, 3, 200, Noise::Hooks);
    const Trace trace = restored(run.streams);
    ASSERT_EQ(first_illegal(trace), -1) << "seed " << seed;
    external += trace.defect(Defect::ExternalWrites);
    events += trace.events.size();
  }
  EXPECT_LT(external * 100, events * 4) << external << " external writes in " << events << " events";
  RecordProperty("external_writes_in_30000_events", static_cast<int>(external));
}
