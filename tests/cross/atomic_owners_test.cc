// Stripes of atomic operations that one thread has to itself (src/capture/runtime/atomics.cc): in
// every interleaving, on a machine whose stores wait in a buffer (x86-TSO), operations on a stripe
// exclude each other, and each is numbered after the one before.
//
// The protocol here is the plain definition, one memory access a step. Lies leave out one line of
// its argument each; the search has to find what goes wrong.
#include <array>
#include <compare>
#include <cstdint>
#include <set>
#include <vector>

#include <gtest/gtest.h>

namespace {

enum class Lie {
  None,
  NoBarrier,       // the thread that ends the bias does not make the owner's stores visible
  NoWait,          // ... does not wait for the operation that is under way
  OneLook,         // the owner says that it is inside, and does not look at the bias again
  BiasBeforeState, // a thread that finds the stripe free looked at the bias first, and at the state later
  NobodyEndsIt,    // the bias is taken for ended without saying so to others
};

// kInside + thread: one for each.
enum Place : std::uint8_t { kState, kBias, kClock, kInside };
constexpr std::uint8_t kNobody = 0, kEnds = 9; // of kBias; else thread + 1
constexpr unsigned kThreads = 3;

struct Store {
  std::uint8_t place, value;
  friend auto operator<=>(const Store&, const Store&) = default;
};

enum class At : std::uint8_t {
  Begin,
  SayInside,
  LookAgain,
  HoldAsOwner,
  NotInside,
  FindState,
  FindBias,
  Exchange,
  EndBias,
  Barrier,
  Wait,
  Ended,
  Look,
  Number,
  Grant,
  Release,
  Outside,
  Over
};

struct Thread {
  At at = At::Begin;
  std::uint8_t left = 0;            // operations
  std::uint8_t state = 0, bias = 0; // as they were found
  std::uint8_t seen = 0;            // of the clock
  bool as_owner = false;
  std::vector<Store> buffer;
  friend auto operator<=>(const Thread&, const Thread&) = default;
};

struct Machine {
  std::array<std::uint8_t, kInside + kThreads> memory = {};
  std::array<Thread, kThreads> threads;
  friend auto operator<=>(const Machine&, const Machine&) = default;
};

class Search {
public:
  Search(Lie lie, std::array<std::uint8_t, kThreads> operations) : lie_(lie) {
    Machine first;
    for (unsigned t = 0; t < kThreads; ++t) {
      first.threads[t].left = operations[t];
      total_ = static_cast<std::uint8_t>(total_ + operations[t]);
    }
    visit(first);
    while (!open_.empty() && !wrong_) {
      const Machine now = open_.back();
      open_.pop_back();
      expand(now);
    }
  }
  bool wrong() const { return wrong_; }
  std::size_t states() const { return known_.size(); }

private:
  static std::uint8_t load(const Machine& m, unsigned t, std::uint8_t place) {
    const std::vector<Store>& buffer = m.threads[t].buffer;
    for (std::size_t i = buffer.size(); i-- > 0;)
      if (buffer[i].place == place) return buffer[i].value;
    return m.memory[place];
  }
  static void store(Machine& m, unsigned t, std::uint8_t place, std::uint8_t value) {
    m.threads[t].buffer.push_back({place, value});
  }
  static void drain(Machine& m, unsigned t) {
    for (const Store& s : m.threads[t].buffer) m.memory[s.place] = s.value;
    m.threads[t].buffer.clear();
  }
  static bool is_held(std::uint8_t state) { return state % 2 != 0; }

  void visit(const Machine& m) {
    if (known_.insert(m).second) open_.push_back(m);
  }

  void expand(const Machine& now) {
    unsigned inside = 0, over = 0;
    for (const Thread& thread : now.threads) {
      inside += thread.at == At::Number || thread.at == At::Grant || thread.at == At::Release;
      over += thread.at == At::Over && thread.buffer.empty();
    }
    if (inside > 1 || (over == kThreads && now.memory[kClock] != total_)) wrong_ = true;
    bool moved = over == kThreads;
    for (unsigned t = 0; t < kThreads; ++t) {
      if (!now.threads[t].buffer.empty()) { // the oldest store reaches memory
        Machine next = now;
        const Store oldest = next.threads[t].buffer.front();
        next.threads[t].buffer.erase(next.threads[t].buffer.begin());
        next.memory[oldest.place] = oldest.value;
        visit(next);
        moved = true;
      }
      Machine next = now;
      step(next, t);
      if (next != now) visit(next), moved = true;
    }
    if (!moved) wrong_ = true; // nobody can go on
  }

  // The thread's next access, if it can make it; waiting leaves the machine as it is.
  void step(Machine& m, unsigned t) {
    Thread& me = m.threads[t];
    const auto own = static_cast<std::uint8_t>(t + 1);
    const auto my_inside = static_cast<std::uint8_t>(kInside + t);
    switch (me.at) {
    case At::Begin:
      if (me.left == 0) me.at = At::Over;
      else me.at = load(m, t, kBias) == own ? At::SayInside : At::FindState;
      return;
    case At::SayInside: // hold_as_owner
      store(m, t, my_inside, 1);
      me.at = lie_ == Lie::OneLook ? At::HoldAsOwner : At::LookAgain;
      return;
    case At::LookAgain: me.at = load(m, t, kBias) == own ? At::HoldAsOwner : At::NotInside; return;
    case At::HoldAsOwner:
      me.state = static_cast<std::uint8_t>(load(m, t, kState) + 1);
      store(m, t, kState, me.state);
      me.as_owner = true;
      me.at = At::Look;
      return;
    case At::NotInside:
      store(m, t, my_inside, 0);
      me.at = At::FindState;
      return;
    case At::FindState: // hold
      if (lie_ == Lie::BiasBeforeState) me.bias = load(m, t, kBias);
      else me.state = load(m, t, kState);
      me.at = At::FindBias;
      return;
    case At::FindBias:
      if (lie_ == Lie::BiasBeforeState) me.state = load(m, t, kState);
      else me.bias = load(m, t, kBias);
      if (me.bias != kNobody) me.at = At::EndBias;
      else me.at = is_held(me.state) ? At::FindState : At::Exchange;
      return;
    case At::Exchange: // a locked instruction
      drain(m, t);
      me.at = At::FindState;
      if (m.memory[kState] != me.state) return;
      me.state = static_cast<std::uint8_t>(me.state + 1);
      m.memory[kState] = me.state;
      me.at = At::Look;
      return;
    case At::EndBias:
      drain(m, t);
      if (me.bias == kEnds || m.memory[kBias] != me.bias) {
        if (m.memory[kBias] != kEnds) me.at = At::FindState;
        return;
      }
      if (lie_ != Lie::NobodyEndsIt) m.memory[kBias] = kEnds;
      me.at = At::Barrier;
      return;
    case At::Barrier:
      if (lie_ != Lie::NoBarrier)
        for (unsigned other = 0; other < kThreads; ++other) drain(m, other);
      me.at = lie_ == Lie::NoWait ? At::Ended : At::Wait;
      return;
    case At::Wait:
      if (load(m, t, static_cast<std::uint8_t>(kInside + me.bias - 1)) == 0) me.at = At::Ended;
      return;
    case At::Ended:
      store(m, t, kBias, kNobody);
      me.at = At::FindState;
      return;
    case At::Look:
      me.seen = load(m, t, kClock);
      me.at = At::Number;
      return;
    case At::Number:
      store(m, t, kClock, static_cast<std::uint8_t>(me.seen + 1));
      me.at = me.as_owner ? At::Release : At::Grant;
      return;
    case At::Grant: // count_streak: here each holder gets the stripe to itself
      store(m, t, kBias, own);
      me.at = At::Release;
      return;
    case At::Release:
      store(m, t, kState, static_cast<std::uint8_t>(me.state + 1));
      me.at = At::Outside;
      return;
    case At::Outside:
      if (me.as_owner) store(m, t, my_inside, 0);
      me.as_owner = false;
      --me.left;
      me.at = At::Begin;
      return;
    case At::Over: return;
    }
  }

  Lie lie_;
  std::uint8_t total_ = 0;
  bool wrong_ = false;
  std::set<Machine> known_;
  std::vector<Machine> open_;
};

TEST(AtomicOwners, OperationsExcludeEachOther) {
  const Search two(Lie::None, {3, 2, 0});
  EXPECT_FALSE(two.wrong());
  EXPECT_GT(two.states(), 1000u);
  EXPECT_FALSE(Search(Lie::None, {2, 1, 1}).wrong()) << "two threads that want what a third has";
}

TEST(AtomicOwners, EveryLieIsFound) {
  for (const Lie lie : {Lie::NoBarrier, Lie::NoWait, Lie::OneLook, Lie::BiasBeforeState})
    EXPECT_TRUE(Search(lie, {3, 2, 0}).wrong()) << static_cast<int>(lie);
  EXPECT_TRUE(Search(Lie::NobodyEndsIt, {3, 2, 0}).wrong());
}

} // namespace
