#include "observe/loops.h"

#include <algorithm>

#include "causality/models/clocked_model.h"

namespace sooth::observe {
namespace {

// The runs of the messages of one epoch. Events are named by their place in the observed run, and
// threads that sent some are numbered anew.
class MessageModel final : public causality::ClockedModel {
public:
  explicit MessageModel(std::map<std::uint32_t, causality::ThreadNumber> numbers)
      : ClockedModel(numbers.size()), numbers_(std::move(numbers)) {}
  std::string_view name() const override { return "hb"; }

  // The thread's next event; `clock` counts it. False: it needs events that are missing.
  bool add(causality::EventIndex event, const RunStep& step, const std::vector<ClockEntry>& clock) {
    std::vector<causality::Count> components(threads());
    for (const ClockEntry& entry : clock) {
      const auto at = numbers_.find(entry.thread);
      if (at == numbers_.end()) return false;
      components[at->second] = entry.count;
    }
    const causality::ThreadNumber own = numbers_.at(step.thread);
    if (components[own] != steps_[own].size() + 1) return false;
    add_step({event, !step.happening.is_silent()}, own,
             std::make_shared<const causality::Clock>(std::move(components)));
    return true;
  }

private:
  std::map<std::uint32_t, causality::ThreadNumber> numbers_;
};

} // namespace

Loops::Loops(const logic::PropertyFile& file, const std::vector<std::uint64_t>& values) : values_(values) {
  properties::LassoLimits limits;
  limits.letters = 20'000'000; // the observer has other programs, too
  for (const logic::Property& property : file.properties)
    if (property.lasso != nullptr) searches_.push_back({&property, {file, property, values, limits}});
}

void Loops::add(const EventMessage& message) {
  if (searches_.empty()) return;
  if (left_out_ || message.position > kMostKept) {
    left_out_ = true;
    return;
  }
  Kept kept{{message.place.thread, {message.position, message.happened, message.site, message.kind, message.writes}},
            message.clock};
  bytes_ +=
      2 * sizeof(Kept) + message.writes.size() * sizeof(VariableWrite) + message.clock.size() * sizeof(ClockEntry);
  kept_.emplace(message.position, std::move(kept));
}

std::vector<FoundRun> Loops::end_epoch() {
  if (searches_.empty() || kept_.empty()) return {};
  constexpr std::uint64_t kMostComponents = 1u << 24; // of all clocks
  std::map<std::uint32_t, causality::ThreadNumber> threads;
  for (const auto& [position, kept] : kept_)
    threads.try_emplace(kept.step.thread, static_cast<causality::ThreadNumber>(threads.size()));
  if (threads.size() * kept_.size() > kMostComponents) {
    give_up();
    return {};
  }
  MessageModel model(std::move(threads));
  explore::PropertyEvents events;
  EpochEvents epoch;
  for (const auto& [position, kept] : kept_) {
    if (!model.add(epoch.size(), kept.step, kept.clock)) left_out_ = true;
    const Happening& what = kept.step.happening;
    events.events.push_back({epoch.size(), what.happened, static_cast<std::uint32_t>(events.effects.size()),
                             static_cast<std::uint32_t>(what.writes.size())});
    for (const VariableWrite& write : what.writes)
      events.effects.push_back({write.variable, explore::kAnyBinding, 0, ~std::uint64_t{0}, write.value});
    epoch.push_back(&kept);
  }
  std::vector<FoundRun> out;
  std::erase_if(searches_, [&](Search& search) {
    const auto lasso = search.lassos.find(model, events);
    if (!lasso) return false;
    out.push_back(found_run(*search.property, *lasso, epoch));
    return true;
  });
  for (std::size_t k = 0; k < epoch.size(); ++k) {
    if (epoch[k]->step.happening.is_silent()) continue;
    for (Search& search : searches_) search.lassos.take(events, events.events[k]);
    before_.push_back(epoch[k]->step);
  }
  kept_.clear();
  return out;
}

FoundRun Loops::found_run(const logic::Property& property, const properties::Lasso& lasso,
                          const EpochEvents& epoch) const {
  constexpr std::size_t kShown = 256; // steps; all of v in any case
  FoundRun out{&property, witness::Status::Predicted, before_, 0, values_, lasso.repeated};
  for (const causality::EventIndex event : lasso.visible) out.path.push_back(epoch[event]->step);
  const std::size_t shown = std::min(out.path.size(), std::max(kShown, lasso.repeated));
  out.before = out.path.size() - shown;
  const auto first = out.path.begin() + static_cast<std::ptrdiff_t>(out.before);
  for (auto step = out.path.begin(); step != first; ++step)
    for (const VariableWrite& write : step->happening.writes) out.values[write.variable] = write.value;
  out.path.erase(out.path.begin(), first);
  return out;
}

void Loops::give_up() {
  left_out_ = true;
  kept_.clear();
  before_ = {};
  bytes_ = 0;
}

std::uint64_t Loops::incomplete() const {
  return static_cast<std::uint64_t>(
      std::ranges::count_if(searches_, [&](const Search& search) { return left_out_ || !search.lassos.complete(); }));
}

std::uint64_t Loops::bytes() const {
  std::uint64_t sum = bytes_;
  for (const Search& search : searches_) sum += search.lassos.bytes();
  return sum;
}

} // namespace sooth::observe
