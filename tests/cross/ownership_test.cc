// What one thread has to itself is not recorded (docs/trace_format.md, "Owned blocks"). Nothing
// more is found in such a trace than in the whole one; and if nothing is counted as lost, nothing
// less.
//
// The recorder here is the plain definition: it walks over a whole trace in its order, with the
// states of each block, and leaves out what is owned. Its rows go through the reader like those of
// the runtime. Mutants are recorders or readers that break one line of the proof each; the
// comparison has to notice every one of them. Atomic operations have none: an owner's hand-over
// orders more than they would.
#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "lives.h"
#include "survey/sharing.h"
#include "trace/kind_groups.h"
#include "trace/reader.h"
#include "trace/restore/hand_over.h"
#include "traces.h"
#include "unit/raw_file.h"

namespace sooth::cross {
namespace {

enum class Lie {
  None,
  NoRows,           // an ownership ends, and the file does not say so
  OneNewcomer,      // only the thread that came first waits for the owner
  AlwaysStrong,     // each newcomer is taken for one that creation or joining puts behind the owner
  EarlyRow,         // the owner's part is put before an event that it came after
  FreedIsOwned,     // what ends in an owned block leaves it owned
  AnyFreeIsEnough,  // an object that ends in a part of the block ends the ownership without a row
  ForeignIsTouched, // a block that another thread has touched is owned all the same
  NothingCounted,   // hand-overs in no order are taken for harmless
  NoContents,       // a thread that was alone does not write out what its blocks hold
  OldContents,      // or what they held when it began to own them
};

// The order by creation and joining alone: what each thread comes after.
class Strong {
public:
  std::uint32_t epoch(std::uint32_t t) const { return epochs_[t]; }
  bool before(std::uint32_t thread, std::uint32_t epoch, std::uint32_t now) const {
    return known_[now][thread] >= epoch;
  }
  void see(const Event& e) {
    const auto other = static_cast<std::uint32_t>(e.value);
    if (e.kind == EventKind::Fork) {
      known_[other] = known_[e.thread];
      known_[other][e.thread] = epochs_[e.thread]++;
    } else if (e.kind == EventKind::Join) {
      ++epochs_[e.thread];
      for (std::size_t u = 0; u < kThreads; ++u) known_[e.thread][u] = std::max(known_[e.thread][u], known_[other][u]);
      known_[e.thread][other] = epochs_[other];
    }
  }

private:
  static constexpr std::size_t kThreads = 4;
  std::array<std::uint32_t, kThreads> epochs_{1, 1, 1, 1};
  std::array<std::array<std::uint32_t, kThreads>, kThreads> known_{};
};

class Recorder {
public:
  Recorder(const Trace& trace, std::uint64_t seed, Lie lie) : trace_(trace), random_(seed), lie_(lie) {}

  struct Contents {
    std::size_t before; // an event
    std::uint64_t block;
    std::vector<std::uint8_t> bytes;
  };
  std::vector<trace::MoveRow> rows;
  std::vector<Contents> contents; // of a lone thread's blocks, before it creates another one
  std::vector<bool> left_out;     // by event

  void run() {
    for (now_ = 0; now_ < trace_.events.size(); ++now_) {
      const Event& e = trace_.events[now_];
      left_out.push_back(false);
      if (e.kind == EventKind::Fork && others_++ == 0) end_alone(e.thread);
      if (e.kind == EventKind::Join) --others_;
      if (begins_or_ends_object(e.kind)) region(e);
      else if (e.size != 0) left_out.back() = access(e);
      if (writes_memory(e.kind)) write(e);
      strong_.see(e);
    }
  }

private:
  enum class State { Fresh, Touched, Owned, Shared };
  struct Block {
    State state = State::Fresh;
    std::uint32_t thread = 0, epoch = 0;
    bool barred = false;
    bool whole = false; // all of it belongs to one object
    bool alone = false; // owned by a thread that was alone, by one of its writes
    std::vector<std::uint8_t> old;
  };

  static std::uint64_t block_of(std::uint64_t address) { return address / trace::kOwnedBytes * trace::kOwnedBytes; }
  bool sometimes() { return random_() % 3 != 0; }
  bool is_before(const Block& b, std::uint32_t t) const {
    return lie_ == Lie::AlwaysStrong || strong_.before(b.thread, b.epoch, t);
  }

  void row(std::uint64_t block, const Block& b, std::uint32_t epoch) {
    std::uint64_t number = 10 * now_ + 5; // between the numbers of the last event and of this one
    if (lie_ == Lie::EarlyRow) number = number > 40 ? number - 40 : 1;
    if (lie_ != Lie::NoRows) rows.push_back({block, number, b.thread, epoch, 10 * now_ + 6});
  }
  void become(Block& b, State state, std::uint32_t t) {
    b = {state, t, strong_.epoch(t), b.barred, b.whole, false, {}};
  }

  void write(const Event& e) {
    const auto* written = e.has(trace::kPayload) ? trace_.bytes.data() + e.extra : nullptr;
    if (e.kind == EventKind::AtomicRmw) written += e.size; // behind the old value
    for (std::uint64_t i = 0; i < e.size; ++i)
      memory_[e.address + i] = written != nullptr ? written[i] : static_cast<std::uint8_t>(e.value >> 8 * i);
  }
  std::vector<std::uint8_t> held_in(std::uint64_t block) const {
    std::vector<std::uint8_t> bytes(trace::kOwnedBytes);
    for (auto at = memory_.lower_bound(block); at != memory_.end() && at->first < block + bytes.size(); ++at)
      bytes[at->first - block] = at->second;
    return bytes;
  }
  void end_alone(std::uint32_t t) {
    for (auto& [address, b] : blocks_) {
      if (b.state != State::Owned || !b.alone || b.thread != t) continue;
      if (lie_ != Lie::NoContents)
        contents.push_back({now_, address, lie_ == Lie::OldContents ? b.old : held_in(address)});
      b.state = State::Touched;
    }
  }

  // The thread comes to a block that is not its own in this epoch, or gives up its own one.
  void come(std::uint64_t address, Block& b, std::uint32_t t, bool share) {
    const bool own = b.thread == t && b.epoch == strong_.epoch(t);
    const bool ordered = b.state == State::Fresh || b.thread == t || is_before(b, t) ||
                         (lie_ == Lie::ForeignIsTouched && b.state == State::Touched);
    if (b.state == State::Owned) row(address, b, ordered && !own ? b.epoch : 0);
    if (b.state == State::Shared) return;
    become(b, share || !ordered ? State::Shared : State::Touched, t);
  }

  bool access(const Event& e) {
    const std::uint64_t first = block_of(e.address), last = block_of(e.address + e.size - 1);
    if (first != last || is_atomic(e.kind)) { // in two blocks, or never omitted: nobody owns them any more
      for (std::uint64_t at = first; at <= last; at += trace::kOwnedBytes) come(at, blocks_[at], e.thread, true);
      return false;
    }
    Block& b = blocks_[first];
    const bool own = b.thread == e.thread && b.epoch == strong_.epoch(e.thread);
    if (b.state == State::Owned && own) return true;
    if (b.state == State::Owned && b.thread == e.thread && sometimes()) { // of an earlier epoch: it goes on
      b.epoch = strong_.epoch(e.thread);
      return true;
    }
    if (b.state == State::Touched && own && !b.barred && sometimes()) {
      b.state = State::Owned;
      b.alone = others_ == 0 && b.whole && e.kind == EventKind::Write;
      b.old = held_in(first);
      return true;
    }
    if (b.state != State::Touched || !own) come(first, b, e.thread, false);
    return false;
  }

  void region(const Event& e) {
    for (std::uint64_t at = block_of(e.address); at < e.address + e.value; at += trace::kOwnedBytes) {
      Block& b = blocks_[at];
      const bool own = b.thread == e.thread && b.epoch == strong_.epoch(e.thread) && b.state == State::Owned;
      const bool covered = e.address <= at && e.address + e.value - at >= trace::kOwnedBytes;
      const bool ends = ends_object(e.kind);
      if (ends || covered) b.barred = ends && lie_ != Lie::FreedIsOwned;
      b.whole = covered && !ends;
      if (covered) memory_.erase(memory_.lower_bound(at), memory_.lower_bound(at + trace::kOwnedBytes));
      if (ends && own && (covered || lie_ == Lie::AnyFreeIsEnough)) b.state = State::Touched; // no row
      else if (!own || (ends && lie_ != Lie::FreedIsOwned)) come(at, b, e.thread, false);
    }
  }

  const Trace& trace_;
  std::mt19937_64 random_;
  const Lie lie_;
  std::size_t now_ = 0;
  Strong strong_;
  std::map<std::uint64_t, Block> blocks_;
  std::map<std::uint64_t, std::uint8_t> memory_;
  unsigned others_ = 0; // threads that were created and not joined yet
};

// A life whose variables lie in one block or two, at a border that the seed chooses, and each
// object in a block of its own or with others.
Trace life(std::uint64_t seed) {
  const std::uint64_t alone = seed % 4 == 0 ? 8 : 0;
  Trace trace = Life(seed).make(10 + seed % 16 + alone, alone);
  const std::uint64_t shift = seed % 4 * 8;
  for (Event& e : trace.events) {
    if (e.address >> 16 == 1) e.address += trace::kOwnedBytes - shift;
    if (e.address >> 16 != 2 || seed % 2 != 0) continue;
    e.address = (e.address & ~std::uint64_t{0xfff}) + (e.address & 64) * 64 + (e.address & 63);
    if (begins_or_ends_object(e.kind)) e.value = trace::kOwnedBytes;
  }
  return trace;
}

// Threads that wait for each other in every way; each byte of their memory in a block of its own.
Trace waiting(std::uint64_t seed) {
  Trace trace = seed % 2 == 0 ? random_counted_trace(seed) : random_waiting_trace(seed);
  trace.sites.resize(1);
  for (std::uint32_t i = 0; i < trace.events.size(); ++i) {
    Event& e = trace.events[i];
    if (e.size != 0) e.address = 0x10000 + (e.address & 0xff) * trace::kOwnedBytes;
    e.site = i + 1;
    trace.sites.push_back({"waiting.c", i + 1, 3, "f", "v", 0});
  }
  return trace;
}

std::vector<std::uint8_t> file_of(const Trace& trace, const Recorder& recorder) {
  std::map<std::uint32_t, test::Slots> streams;
  for (std::size_t i = 0; i < trace.events.size(); ++i) {
    const Event& e = trace.events[i];
    for (const Recorder::Contents& held : recorder.contents) {
      if (held.before != i) continue;
      const test::Slots slots = test::range(EventKind::Write, held.block, held.bytes, 10 * (i + 1));
      streams[e.thread].insert(streams[e.thread].end(), slots.begin(), slots.end());
    }
    if (!recorder.left_out.empty() && recorder.left_out[i]) continue;
    test::Slots slots;
    const std::uint64_t counter = 10 * (i + 1);
    if (e.has(trace::kPayload)) {
      const auto from = trace.bytes.begin() + static_cast<std::ptrdiff_t>(e.extra);
      slots = test::range(e.kind, e.address, {from, from + e.size}, counter);
    } else {
      slots = {test::plain(e.kind, e.address, e.value, counter, static_cast<std::uint8_t>(e.size))};
      slots[0].flags = e.flags;
    }
    if (trace::kind_is_ticketed(e.kind)) slots[0].flags |= trace::kTicket;
    slots[0].site = e.site;
    slots[0].order = static_cast<std::uint8_t>(e.order);
    test::Slots& stream = streams[e.thread];
    stream.insert(stream.end(), slots.begin(), slots.end());
  }
  test::RawFile file;
  file.module(1, {trace.sites.begin() + 1, trace.sites.end()});
  for (const auto& [thread, stream] : streams) file.events(thread, stream);
  return file.moves(recorder.rows).bytes();
}

// Takes all acquisitions of a row away but the first.
void keep_one_newcomer(Trace& trace) {
  std::set<std::uint64_t> seen;
  std::erase_if(trace.events, [&](const Event& e) {
    return e.kind == EventKind::HbAcquire && trace::is_hand_over(e) && !seen.insert(e.address).second;
  });
}

struct Compared {
  Found whole, reduced;
  std::string shown; // the trace that was read
  std::size_t left_out = 0;
  std::size_t contents = 0;
  std::uint64_t lost = 0;     // hand-overs that are counted
  std::uint64_t external = 0; // changes that nobody made
  bool more() const { return !std::ranges::includes(whole.findings, reduced.findings); }
  bool less() const { return !std::ranges::includes(reduced.findings, whole.findings); }
  bool bad() const {
    return !reduced.legal || reduced.objections != 0 || external != 0 || more() || (lost == 0 && less());
  }
};

Compared compare(const Trace& trace, std::uint64_t seed, Lie lie = Lie::None) {
  Compared out;
  out.whole = found_in(file_of(trace, Recorder(trace, seed, lie)), nullptr);
  Recorder recorder(trace, seed, lie);
  recorder.run();
  out.left_out = static_cast<std::size_t>(std::ranges::count(recorder.left_out, true));
  out.contents = recorder.contents.size();
  survey::Sharing sharing;
  trace::ReadOptions options;
  options.sieve = &sharing;
  auto read = trace::read_trace_bytes(file_of(trace, recorder), options);
  if (!read) throw std::runtime_error(read.error().text());
  if (lie == Lie::OneNewcomer) keep_one_newcomer(*read);
  out.shown = text(*read);
  out.external = read->defect(trace::Defect::ExternalWrites);
  if (lie != Lie::NothingCounted) out.lost = read->defect(trace::Defect::HandedOver);
  look_into(std::move(*read), out.reduced);
  return out;
}

TEST(Ownership, FindsNothingMoreAndNothingLessIfNothingIsLost) {
  const char* mode = std::getenv("SOOTH_CROSS");
  const std::uint64_t seeds = mode != nullptr && std::string_view(mode) == "long" ? 200'000 : 4000;
  std::uint64_t left_out = 0, findings = 0, exact = 0, lossy = 0, fewer = 0, contents = 0;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const Compared compared = compare(life(seed), seed);
    ASSERT_TRUE(compared.whole.legal) << "seed " << seed << "\n" << text(life(seed));
    ASSERT_FALSE(compared.bad()) << "seed " << seed << "\nwhole: " << fmt::format("{}", compared.whole.findings)
                                 << "\nreduced: " << fmt::format("{}", compared.reduced.findings) << "\n"
                                 << text(life(seed)) << "read:\n"
                                 << compared.shown;
    left_out += compared.left_out;
    findings += compared.reduced.findings.size();
    contents += compared.contents;
    exact += compared.left_out != 0 && compared.lost == 0 && !compared.whole.findings.empty();
    lossy += compared.lost != 0;
    fewer += compared.less();
  }
  // A recorder that owns nothing is right as well, and so is one that counts everything as lost.
  EXPECT_GT(left_out, seeds);
  EXPECT_GT(findings, seeds);
  EXPECT_GT(exact, seeds / 50);
  EXPECT_GT(lossy, seeds / 20);
  EXPECT_GT(fewer, 10u);
  EXPECT_GT(contents, seeds / 20);
}

// A thread that waits for ever holds up nobody else, though others took blocks over from it in the
// recorded run.
TEST(Ownership, FindsNothingMoreWhereThreadsWait) {
  std::uint64_t left_out = 0, findings = 0;
  for (std::uint64_t seed = 1; seed <= 3000; ++seed) {
    const Compared compared = compare(waiting(seed), seed);
    if (compared.whole.objections != 0) continue; // waits without a mutex: the checker withholds some races
    ASSERT_FALSE(compared.bad()) << "seed " << seed << "\nwhole: " << fmt::format("{}", compared.whole.findings)
                                 << "\nreduced: " << fmt::format("{}", compared.reduced.findings) << "\n"
                                 << text(waiting(seed)) << "read:\n"
                                 << compared.shown;
    left_out += compared.left_out;
    findings += compared.reduced.findings.size();
  }
  EXPECT_GT(left_out, 500u);
  EXPECT_GT(findings, 300u);
}

// --- mutants -------------------------------------------------------------------------------------

bool is_noticed(Lie lie) {
  for (std::uint64_t seed = 1; seed <= 4000; ++seed)
    if (compare(life(seed), seed, lie).bad()) return true;
  return false;
}

TEST(OwnershipMutants, EndsOfOwnershipThatTheFileDoesNotHave) { EXPECT_TRUE(is_noticed(Lie::NoRows)); }
TEST(OwnershipMutants, ThirdThreadsThatDoNotWait) { EXPECT_TRUE(is_noticed(Lie::OneNewcomer)); }
TEST(OwnershipMutants, NewcomersTakenForLaterInEveryRun) { EXPECT_TRUE(is_noticed(Lie::AlwaysStrong)); }
TEST(OwnershipMutants, TheOwnersPartPutTooEarly) { EXPECT_TRUE(is_noticed(Lie::EarlyRow)); }
TEST(OwnershipMutants, FreedMemoryThatIsStillOwned) { EXPECT_TRUE(is_noticed(Lie::FreedIsOwned)); }
// Two objects in one block: one ends, the other one is used by both threads.
TEST(OwnershipMutants, PartsThatAreFreedTakenForTheWholeBlock) {
  TraceBuilder builder(2);
  for (const std::uint64_t object : {0x20000, 0x20040}) builder.add(0, EventKind::Alloc, object, 16, trace::kFill);
  builder.add(0, EventKind::Fork, 0, 1);
  builder.add(1, EventKind::ThreadStart, 0, 0);
  for (int i = 0; i < 4; ++i) builder.write(0, 0x20040, 4, 0);
  builder.add(0, EventKind::Free, 0x20000, 16);
  builder.read(1, 0x20040, 4, 0);
  for (std::uint32_t i = 0; i < builder.trace.events.size(); ++i)
    builder.trace.events[i].site = builder.site("parts.c", i + 1, "f", "v");
  bool noticed = false;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    EXPECT_FALSE(compare(builder.trace, seed).bad()) << seed;
    noticed |= compare(builder.trace, seed, Lie::AnyFreeIsEnough).bad();
  }
  EXPECT_TRUE(noticed);
}
TEST(OwnershipMutants, BlocksThatOthersHaveTouched) { EXPECT_TRUE(is_noticed(Lie::ForeignIsTouched)); }
TEST(OwnershipMutants, LossesThatNobodyCounted) { EXPECT_TRUE(is_noticed(Lie::NothingCounted)); }
TEST(OwnershipMutants, ContentsThatAreNotWritten) { EXPECT_TRUE(is_noticed(Lie::NoContents)); }
TEST(OwnershipMutants, ContentsFromBefore) { EXPECT_TRUE(is_noticed(Lie::OldContents)); }

} // namespace
} // namespace sooth::cross
