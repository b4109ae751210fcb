// Properties under every model: the explorer, which walks all runs at once, against each run alone.
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "causality/models/model.h"
#include "explore/lattice.h"
#include "reference/reference.h"
#include "traces.h"
#include "witness/check.h"

namespace sooth::cross {
namespace {

using reference::Reference;
using witness::Model;

struct Named {
  const char* name;
  Model model;
};
constexpr Named kModels[] = {{"hb", Model::HappensBefore},
                             {"hb-locks", Model::HappensBeforeLocks},
                             {"whb", Model::WeakHappensBefore},
                             {"whb-locks", Model::WeakHappensBeforeLocks},
                             {"maximal", Model::Maximal}};

constexpr std::uint64_t kLetters = 9; // two variables, each unknown, 0 or 1
constexpr std::uint64_t kStates = 4;

// A machine with a random table over the values of the first two bytes of memory; it fails in its last state.
class RandomMonitors final : public explore::MonitorSet {
public:
  RandomMonitors(const trace::Trace& trace, std::uint64_t seed) : trace_(trace) {
    std::mt19937_64 random(seed);
    for (auto& row : table_)
      for (std::uint64_t& state : row) state = random() % 5 == 0 ? kStates - 1 : random() % (kStates - 1);
  }
  std::size_t monitors() const override { return 1; }
  std::size_t value_words() const override { return 1; }
  explore::Letter begin(std::span<std::uint64_t> values) const override { return values[0] = 0; }
  explore::Letter apply(explore::EventName event, std::span<std::uint64_t> values) const override {
    const trace::Event& e = trace_.events[event];
    std::uint64_t digits[2] = {values[0] % 3, values[0] / 3};
    for (std::uint64_t byte = 0; byte < e.size; ++byte)
      if (const std::uint64_t at = e.address + byte - first_byte(); at < 2)
        digits[at] = 1 + (e.value >> (8 * byte) & 1);
    return values[0] = digits[0] + 3 * digits[1];
  }
  explore::Move start(std::size_t, explore::Letter letter) const override { return move(0, letter); }
  explore::Move step(std::size_t, explore::MonitorState state, explore::Letter letter) const override {
    return move(state, letter);
  }

  // One run alone; only writes are seen.
  bool fails(const std::vector<std::uint32_t>& run) const {
    std::uint64_t value = 0;
    explore::Move now = start(0, begin({&value, 1}));
    for (const std::uint32_t event : run) {
      if (now.violated) return true;
      if (trace::writes_memory(trace_.events[event].kind)) now = step(0, now.state, apply(event, {&value, 1}));
    }
    return now.violated;
  }

private:
  std::uint64_t first_byte() const {
    std::uint64_t first = ~std::uint64_t{0};
    for (const trace::Event& e : trace_.events)
      if (e.size != 0) first = std::min(first, e.address);
    return first;
  }
  explore::Move move(explore::MonitorState state, explore::Letter letter) const {
    const std::uint64_t next = table_[state % kStates][letter % kLetters];
    return {.state = next, .violated = next == kStates - 1};
  }

  const trace::Trace& trace_;
  std::uint64_t table_[kStates][kLetters] = {};
};

std::uint64_t violations = 0, passes = 0;

void compare(const trace::Trace& trace, std::uint64_t seed) {
  const causality::Computation computation = causality::compute(trace);
  causality::Relevance writes;
  for (std::uint32_t i = 0; i < trace.events.size(); ++i)
    if (trace::writes_memory(trace.events[i].kind)) writes.events.push_back(i);
  const Reference reference(trace);
  const RandomMonitors monitors(trace, seed);
  witness::Checker checker(trace);
  for (const Named& named : kModels) {
    auto model = causality::find_model(named.name)->make(trace, computation, writes);
    if (!model.ok()) continue;
    bool expected = false;
    reference.runs(named.model, [&](const auto& run, const auto&) { expected = expected || monitors.fails(run); });
    const explore::Exploration result = explore::explore(**model, monitors, {});
    EXPECT_EQ(!result.violations.empty(), expected) << named.name << ", seed " << seed << "\n" << text(trace);
    ++(expected ? violations : passes);
    for (const explore::Violation& violation : result.violations) {
      std::vector<causality::EventIndex> path;
      for (const explore::PathStep& step : violation.path) path.push_back(step.event);
      witness::Finding finding;
      finding.kind = witness::FindingKind::Property;
      finding.model = named.model;
      for (const causality::EventIndex event : (*model)->run_along(path))
        finding.witness.steps.push_back(static_cast<std::uint32_t>(event));
      EXPECT_TRUE(monitors.fails(finding.witness.steps)) << named.name << ", seed " << seed << "\n" << text(trace);
      const auto objection = checker.objection(finding);
      EXPECT_FALSE(objection) << named.name << ": " << *objection << "\n" << text(trace);
    }
  }
}

TEST(LatticeProperties, FailIfAndOnlyIfSomeRunFails) {
  for (std::uint64_t seed = 0; seed < 600 && !::testing::Test::HasFailure(); ++seed) {
    RandomShape shape = random_shape(seed);
    shape.threads = 2 + seed % 2;
    shape.events = 8;
    compare(random_trace(seed, shape), seed);
  }
  EXPECT_GT(violations, 300u);
  EXPECT_GT(passes, 300u);
}

} // namespace
} // namespace sooth::cross
