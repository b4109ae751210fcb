// Narrow levels made several at a time by several workers (batch.h): the same as level by level by one.
#include <algorithm>
#include <atomic>
#include <set>
#include <thread>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "explore/batch.h"
#include "unit/explore_computation.h"
#include "unit/explore_runs.h"

namespace sooth::explore {
namespace {

using namespace sooth::testing;

// Each monitor objects to one letter of many: seldom, and anywhere.
class SeldomMonitors : public MonitorSet {
public:
  SeldomMonitors(std::size_t monitors, std::uint64_t letters) : monitors_(monitors), letters_(letters) {}
  std::size_t monitors() const override { return monitors_; }
  std::size_t value_words() const override { return 1; }
  Letter begin(std::span<std::uint64_t> values) const override { return values[0] = 1; }
  // A sum, so that it does not depend on the order of events.
  Letter apply(EventName event, std::span<std::uint64_t> values) const override {
    values[0] += (event + 1) * (event + 1) * 0x9e3779b97f4a7c15ull;
    return (values[0] >> 20) % letters_;
  }
  Move start(std::size_t, Letter) const override { return {0, false}; }
  Move step(std::size_t monitor, MonitorState state, Letter letter) const override {
    return {(state + letter % 2) % 3, letter == monitor};
  }

private:
  std::size_t monitors_;
  std::uint64_t letters_;
};

struct Shape {
  std::size_t threads = 2;
  std::size_t each = 100;  // events
  std::size_t lag = 20;    // so many events a thread may be ahead of the others, about
  std::size_t late = 0;    // the last thread begins after so many events of the first one
  std::size_t first = 100; // events of the first thread, before it waits for the others and has one more
  std::size_t glued = 0;   // every so many events one is glued to the next; 0: none
};

// Messages as a program would send them: threads become known when they are created, and are waited for in the end.
std::vector<Message> messages_of(const Shape& shape) {
  std::vector<Message> out;
  std::vector<std::vector<Count>> clocks(shape.threads, std::vector<Count>(shape.threads, 0));
  std::vector<std::uint64_t> sequence(shape.threads, 0);
  std::vector<bool> in_block(shape.threads, false); // sees nothing new before its next event
  std::uint64_t position = 0;
  const auto send = [&](Message::Kind kind, ThreadNumber thread, ThreadNumber other) {
    Message message;
    message.kind = kind;
    message.thread = thread;
    message.other = other;
    message.sequence = sequence[thread]++;
    out.push_back(message);
  };
  const auto see = [&](ThreadNumber thread, const std::vector<Count>& what) {
    for (std::size_t t = 0; t < what.size(); ++t) clocks[thread][t] = std::max(clocks[thread][t], what[t]);
  };
  const auto happen = [&](ThreadNumber thread) {
    ++clocks[thread][thread];
    send(Message::Kind::Event, thread, 0);
    Message& message = out.back();
    message.position = message.event = position++;
    message.glued = shape.glued != 0 && thread != 0 && position % shape.glued == 0;
    in_block[thread] = message.glued;
    message.clock = std::make_shared<const Clock>(clocks[thread]);
  };
  std::vector<std::vector<std::vector<Count>>> history(shape.threads); // clocks after each event
  std::vector<bool> known(shape.threads, false);
  known[0] = true;
  for (std::size_t k = 0; k < shape.each; ++k) {
    for (ThreadNumber t = 0; t < shape.threads; ++t) {
      if (t == 0 ? k >= shape.first : t + 1 == shape.threads && k < std::min(shape.late, shape.first)) continue;
      if (!known[t]) {
        send(Message::Kind::Fork, 0, t);
        known[t] = true;
        see(t, clocks[0]);
      }
      for (std::size_t other = 0; other < shape.threads; ++other)
        if (other != t && !in_block[t] && history[other].size() > shape.lag)
          see(t, history[other][history[other].size() - 1 - shape.lag]);
      happen(t);
      history[t].push_back(clocks[t]);
    }
  }
  for (ThreadNumber t = 1; t < shape.threads; ++t)
    if (known[t]) send(Message::Kind::Waits, 0, t);
  for (ThreadNumber t = 1; t < shape.threads; ++t) {
    see(0, clocks[t]);
    if (known[t]) send(Message::Kind::End, t, 0);
  }
  happen(0);
  send(Message::Kind::End, 0, 0);
  return out;
}

Shape random_shape() {
  Shape shape;
  shape.threads = *rc::gen::inRange<std::size_t>(2, 5);
  shape.each = *rc::gen::inRange<std::size_t>(20, 360 / shape.threads);
  shape.lag =
      *rc::gen::inRange<std::size_t>(shape.threads == 2 ? 10 : 3, shape.threads == 2 ? 60 : 16 / shape.threads + 3);
  shape.late = *rc::gen::inRange<std::size_t>(0, shape.each);
  shape.first = *rc::gen::inRange<std::size_t>(1, shape.each + 1);
  shape.glued = *rc::gen::element<std::size_t>(0, 0, 0, 5, 17);
  return shape;
}

RC_GTEST_PROP(Batch, AgreesWithLevelByLevel, ()) {
  const Shape shape = random_shape();
  std::vector<Message> messages = messages_of(shape);
  const SeldomMonitors monitors(3, *rc::gen::element<std::uint64_t>(200, 2'000, 10'000, 1'000'000'000));
  Options options;
  options.until = *rc::gen::element(Until::First, Until::EachMonitor, Until::All);
  options.max_violations = 50;
  // In another order, and as many at a time as it happens.
  for (std::size_t i = 0; i + 1 < messages.size(); ++i)
    std::swap(messages[i], messages[*rc::gen::inRange<std::size_t>(i, std::min(i + 6, messages.size()))]);
  const auto often = *rc::gen::element<std::size_t>(1, 7, 90, 1'000'000);
  const Exploration alone = run_lattice(messages, monitors, options, often);
  for (const unsigned workers : {2u, 3u, 5u}) {
    options.workers = workers;
    expect_same(alone, run_lattice(messages, monitors, options, often));
  }
  expect_same(alone, run_lattice(messages, monitors, options, often, 11));
  expect_same(alone, run_lattice(messages, monitors, options, often, 1));
  RC_ASSERT(!::testing::Test::HasFailure());
}

// Paths through hundreds of batches, swept while they grow: violations at the very end, of runs as long as can be.
TEST(Batch, KeepsPathsThroughManySweeps) {
  Shape shape;
  shape.each = shape.first = 6'000;
  shape.lag = 30;
  const SeldomMonitors monitors(2, 20'000);
  Options options;
  options.until = Until::All;
  const Exploration alone = run_lattice(messages_of(shape), monitors, options, 1'000'000);
  EXPECT_FALSE(alone.violations.empty());
  for (const unsigned workers : {2u, 4u}) {
    options.workers = workers;
    expect_same(alone, run_lattice(messages_of(shape), monitors, options, 1'000'000));
  }
}

// A level of 20 nodes for batches whose parts are made up.
struct MadeUp {
  Level level;
  Packing packing;
  ObservedRun observed;
  std::vector<std::uint64_t> borders;

  explicit MadeUp(std::size_t levels, std::size_t chains) {
    packing.clear();
    packing.add(0, 0, 100);
    packing.add(1, 0, 100);
    level.layout = {1, 0, 0};
    level.begin_parts(1);
    for (Count node = 0; node < 20; ++node) {
      std::uint64_t cut = 0;
      packing.put(&cut, packing.field(0), node);
      packing.put(&cut, packing.field(1), 20 - node);
      level.part(0).records.push_back(cut);
      level.part(0).infos.push_back({1, 0, 0});
      if (node != 0 && node % (20 / chains) == 0) borders.push_back(cut);
    }
    level.part(0).sum_up(0);
    level.settle();
    observed.begin.counts.assign(2, 0);
    observed.steps.resize(levels);
  }
};

TEST(Batch, NobodyIsWaitedForWhoDoesNotCome) {
  const MadeUp made_up(30, 4);
  Batch batch(4);
  batch.begin(made_up.level, made_up.observed, made_up.borders, made_up.packing.field(0), 0.5);
  std::size_t parts = 0;
  batch.work(0, [&](const LevelView&, const ObservedCut&, const std::uint64_t*, const std::uint64_t*, Part& out) {
    out.clear();
    out.made = ++parts;
    out.sum_up(0);
    return std::span<const Strand>();
  });
  EXPECT_EQ(parts, 30u * 4u);
  EXPECT_EQ(batch.levels(), 30u);
}

// Each part is made once, after those that it is made from, by any worker and however slow it is.
TEST(Batch, PartsAreMadeAfterThoseTheyAreMadeFrom) {
  constexpr std::size_t kLevels = 40;
  const MadeUp made_up(kLevels, 4);
  Batch batch(4);
  for (int round = 0; round < 20; ++round) {
    batch.begin(made_up.level, made_up.observed, made_up.borders, made_up.packing.field(0), 0.25);
    std::atomic<std::size_t> parts = 0;
    const auto work = [&](unsigned worker) {
      batch.work(worker,
                 [&](const LevelView& from, const ObservedCut&, const std::uint64_t*, const std::uint64_t*, Part& out) {
                   std::uint64_t depth = 0;
                   for (std::size_t p = 0; p < from.count; ++p) depth = std::max(depth, from.parts[p].records[0]);
                   if (&from.parts[0] == made_up.level.view().parts) depth = 0;
                   if (parts++ % 7 == worker) std::this_thread::yield();
                   out.clear();
                   out.records.push_back(depth + 1); // how many levels it is away from the first
                   out.infos.push_back({1, 0, 0});
                   out.sum_up(0);
                   return std::span<const Strand>();
                 });
    };
    std::vector<std::thread> others;
    for (unsigned w = 1; w < 4; ++w) others.emplace_back(work, w);
    work(0);
    for (std::thread& other : others) other.join();
    EXPECT_EQ(parts, kLevels * 4);
    for (std::size_t k = 0; k < kLevels; ++k)
      for (const Part& part : batch.level(k)) EXPECT_EQ(part.records[0], k + 1);
  }
}

} // namespace
} // namespace sooth::explore
