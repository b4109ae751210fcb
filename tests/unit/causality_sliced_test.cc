// The model sliced in the lattice: Fig. 7 of jPredictor, as its text tells it.
#include "causality/models/model.h"

#include <map>
#include <set>

#include <gtest/gtest.h>

#include "unit/verify_builder.h"

namespace sooth::causality {
namespace {

using trace::EventKind;
using trace::SiteRole;
using trace::StaticFactsBuilder;
using trace::testing::TraceBuilder;

constexpr std::uint64_t kLock = 0x100, kA = 0x1000, kB = 0x1008, kC = 0x1010, kD = 0x1018;

// Two threads, a synchronized block each, of the same lock; e21 depends on e11. All of e11, e12, e13, e21, e22 are relevant.
class Figure7 : public ::testing::Test {
protected:
  Figure7() : builder_(2) {
    add(0, EventKind::Acquire, kLock);
    e11_ = write(0, kA, 1);
    e12_ = write(0, kB, 1);
    add(0, EventKind::Release, kLock);
    e13_ = write(0, kC, 1);
    add(1, EventKind::Acquire, kLock);
    const std::uint32_t read = add(1, EventKind::Read, kA, 4, 1);
    e21_ = write(1, kD, 1);
    add(1, EventKind::Release, kLock);
    e22_ = write(1, kD, 2);

    StaticFactsBuilder facts;
    facts.add_function(0, 0);
    for (const trace::Event& e : builder_.trace.events) {
      trace::SiteFacts& site = facts.add_site(e.site, 0,
                                              e.kind == EventKind::Write  ? SiteRole::Store
                                              : e.kind == EventKind::Read ? SiteRole::Load
                                                                          : SiteRole::Call);
      if (&e == &builder_.trace.events[e21_]) site.value = facts.sources({StaticFactsBuilder::load(read + 1)});
    }
    builder_.trace.static_facts = facts.take();
    builder_.trace.flags |= trace::kForFacts;
    computation_ = compute(builder_.trace);
    model_ = model_of({e11_, e12_, e13_, e21_, e22_});
    explore({0, 0}, {});
  }

  std::unique_ptr<Model> model_of(std::vector<EventIndex> relevant) const {
    auto made = make_sliced(builder_.trace, computation_, {std::move(relevant)});
    EXPECT_TRUE(made.ok());
    return std::move(made.value());
  }

  // What may follow these relevant events, in some order.
  std::set<EventIndex> after(std::set<EventIndex> done) const {
    const auto found = next_.find(done);
    return found == next_.end() ? std::set<EventIndex>{} : found->second;
  }

  EventIndex e11_ = 0, e12_ = 0, e13_ = 0, e21_ = 0, e22_ = 0;
  std::unique_ptr<Model> model_;

private:
  std::uint32_t add(std::uint32_t thread, EventKind kind, std::uint64_t address, std::uint32_t size = 0,
                    std::uint64_t value = 0) {
    const auto number = static_cast<std::uint32_t>(builder_.trace.events.size());
    trace::Event& e = builder_.add(thread, kind, address, value);
    e.size = size;
    builder_.trace.sites.resize(number + 2);
    e.site = number + 1;
    return number;
  }
  std::uint32_t write(std::uint32_t thread, std::uint64_t address, std::uint64_t value) {
    return add(thread, EventKind::Write, address, 4, value);
  }
  void explore(std::vector<Count> cut, const std::set<EventIndex>& done) {
    for (ThreadNumber t = 0; t < 2; ++t) {
      if (cut[t] == model_->steps(t).size() || !model_->enabled(cut, {}, t)) continue;
      const ModelStep& step = model_->steps(t)[cut[t]];
      std::vector<Count> there = cut;
      ++there[t];
      std::set<EventIndex> then = done;
      if (step.visible) {
        next_[done].insert(step.event);
        then.insert(step.event);
      }
      explore(there, then);
    }
  }

  TraceBuilder builder_;
  Computation computation_;
  std::map<std::set<EventIndex>, std::set<EventIndex>> next_;
};

TEST_F(Figure7, HasTheCutsThatTheTextTells) {
  using Events = std::set<EventIndex>;
  EXPECT_EQ(after({}), (Events{e11_}));     // e21 depends on e11
  EXPECT_EQ(after({e11_}), (Events{e12_})); // not e21: the other block is open
  EXPECT_EQ(after({e11_, e12_}), (Events{e13_, e21_}));
  EXPECT_EQ(after({e11_, e12_, e21_}), (Events{e13_, e22_}));
  EXPECT_EQ(after({e11_, e12_, e13_, e21_}), (Events{e22_}));
}

TEST_F(Figure7, FillsInWhatElseMustHaveHappened) {
  std::vector<EventIndex> path;
  for (const ModelStep& step : model_->steps(0).first(4)) path.push_back(step.event); // up to the release
  for (const ModelStep& step : model_->steps(1).first(2)) path.push_back(step.event); // acquire, e21
  EXPECT_EQ(model_->run_along(path), (std::vector<EventIndex>{0, 1, 2, 3, 5, 6, 7}));
}

// Only e21 is looked at. The write that it depends on is nobody's step, and must happen all the same; and so must the end of that block, which
// holds the lock.
TEST_F(Figure7, FillsInWhatAnEventDependsOn) {
  const std::unique_ptr<Model> model = model_of({e21_});
  ASSERT_EQ(model->steps(0).size(), 0u);
  std::vector<EventIndex> path;
  for (const ModelStep& step : model->steps(1).first(2)) path.push_back(step.event); // acquire, e21
  EXPECT_EQ(model->run_along(path), (std::vector<EventIndex>{0, 1, 2, 3, 5, 6, 7}));
}

// e22 before e13: what the path leaves open stays in the observed order.
TEST_F(Figure7, StaysNearTheObservedRun) {
  const std::unique_ptr<Model> model = model_of({e13_, e22_});
  EXPECT_EQ(model->run_along(std::vector<EventIndex>{e22_, e13_}),
            (std::vector<EventIndex>{0, 1, 2, 3, 5, 6, 7, 8, 9, 4}));
}

} // namespace
} // namespace sooth::causality
