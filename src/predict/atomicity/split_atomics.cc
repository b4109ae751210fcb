#include "predict/atomicity/split_atomics.h"

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

#include <absl/container/flat_hash_map.h>

#include "predict/atomicity/critical_sections.h"
#include "trace/contents.h"
#include "trace/kind_groups.h"
#include "trace/program/flow_pairs.h"
#include "trace/stack.h"

namespace sooth::predict {

using causality::kNoStep;
using causality::StepId;
using trace::Event;
using trace::EventKind;

namespace {

constexpr std::size_t kMostQuestions = 256;
constexpr std::size_t kMostTries = 8; // instances of one load and one store
constexpr std::size_t kNearest = 2;   // other threads' writes that are asked for, on each side of a store

using Variable = std::pair<std::uint64_t, std::uint32_t>; // address, bytes

class SplitAtomics {
public:
  SplitAtomics(const trace::Trace& trace, const causality::Computation& computation, const Feasibility& feasibility)
      : trace_(trace), c_(computation), feasibility_(feasibility), held_(computation), flows_(trace.static_facts.flows),
        threads_(trace.threads.size()) {}

  std::vector<SplitAtomic> run() {
    for (auto i = static_cast<std::uint32_t>(trace_.standing); i < trace_.events.size(); ++i) {
      const Event& e = trace_.events[i];
      threads_[e.thread].calls.see(e);
      if (trace::is_atomic(e.kind) && e.size != 0) see(i);
    }
    std::vector<SplitAtomic> out;
    for (const Stretch& stretch : stretches_)
      if (const auto other = interrupted(stretch)) out.push_back({block_of(stretch), *other});
    return out;
  }

private:
  struct Load {
    std::uint32_t event = 0;
    trace::ActivationStack::Nearest calls = {};
  };
  struct Thread {
    trace::ActivationStack calls;
    absl::flat_hash_map<Variable, Load> loads; // that were the last look at the variable
  };
  struct Stretch {
    std::uint32_t load = 0, store = 0; // events
    std::uint32_t around = 0;          // site of the function that both are in, or that calls what they are in
    std::size_t write = 0;             // the store's index among the writes of the variable
  };

  void see(std::uint32_t i) {
    const Event& e = trace_.events[i];
    const Variable variable{e.address, e.size};
    Thread& own = threads_[e.thread];
    if (e.kind == EventKind::AtomicRead) {
      own.loads.insert_or_assign(variable, Load{i, own.calls.nearest()});
      return;
    }
    std::vector<std::uint32_t>& writes = writes_[variable];
    if (e.kind == EventKind::AtomicWrite)
      if (const auto load = own.loads.find(variable); load != own.loads.end()) add(load->second, i, writes.size());
    own.loads.erase(variable);
    writes.push_back(i);
  }

  void add(const Load& load, std::uint32_t store, std::size_t write) {
    const Event &from = trace_.events[load.event], &to = trace_.events[store];
    if (from.site == 0 || to.site == 0 || !flows_.contains(from.site, to.site)) return;
    const auto around = trace::ActivationStack::common(load.calls, threads_[to.thread].calls.nearest());
    if (!around || !begins_step(load.event) || !begins_step(store) || in_one_section(load.event, store)) return;
    stretches_.push_back({load.event, store, around->site, write});
  }
  bool begins_step(std::uint32_t event) const {
    const StepId step = c_.step_of_event[event];
    return step != kNoStep && c_.steps[step].event == event;
  }
  bool in_one_section(std::uint32_t load, std::uint32_t store) const {
    const StepId later = c_.step_of_event[store];
    return std::ranges::any_of(held_.at(c_.step_of_event[load]),
                               [&](const CriticalSections::Held& held) { return held_.has(later, held); });
  }

  // A write of another thread that comes between the two in some run.
  std::optional<std::uint32_t> interrupted(const Stretch& stretch) {
    const Event& store = trace_.events[stretch.store];
    std::size_t& tries = tries_[{trace_.events[stretch.load].site, store.site, stretch.around}];
    if (tries++ >= kMostTries) return {};
    const std::vector<std::uint32_t>& writes = writes_.at({store.address, store.size});
    std::size_t left = kNearest;
    for (std::size_t i = stretch.write; i-- > 0 && left > 0;)
      if (trace_.events[writes[i]].thread != store.thread && left-- != 0 && comes_between(stretch, writes[i]))
        return writes[i];
    left = kNearest;
    for (std::size_t i = stretch.write + 1; i < writes.size() && left > 0; ++i)
      if (trace_.events[writes[i]].thread != store.thread && left-- != 0 && comes_between(stretch, writes[i]))
        return writes[i];
    return {};
  }
  bool comes_between(const Stretch& stretch, std::uint32_t other) {
    if (questions_ == kMostQuestions || !begins_step(other)) return false;
    ++questions_;
    const StepId load = c_.step_of_event[stretch.load], store = c_.step_of_event[stretch.store],
                 between = c_.step_of_event[other];
    return feasibility_.ask({{store}, {load, between}, {{load, between}}, {}}).truth == Truth::Yes;
  }

  Block block_of(const Stretch& stretch) const {
    const Event &from = trace_.events[stretch.load], &to = trace_.events[stretch.store];
    // A function that was inlined has no activation, but its name is at the sites.
    const bool in_one = trace_.sites[from.site].function == trace_.sites[to.site].function;
    const causality::Step &first = c_.steps[c_.step_of_event[stretch.load]],
                          &last = c_.steps[c_.step_of_event[stretch.store]];
    return {to.thread,
            stretch.load,
            stretch.store,
            first.place,
            last.place + 1,
            true,
            trace_.sites[in_one ? to.site : stretch.around].function};
  }

  const trace::Trace& trace_;
  const causality::Computation& c_;
  const Feasibility& feasibility_;
  const CriticalSections held_;
  trace::FlowPairs flows_;
  std::vector<Thread> threads_;
  absl::flat_hash_map<Variable, std::vector<std::uint32_t>> writes_; // atomic ones, of all threads
  std::vector<Stretch> stretches_;
  absl::flat_hash_map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, std::size_t> tries_;
  std::size_t questions_ = 0;
};

} // namespace

std::vector<SplitAtomic> find_split_atomics(const trace::Trace& trace, const causality::Computation& computation,
                                            const Feasibility& feasibility) {
  return SplitAtomics(trace, computation, feasibility).run();
}

} // namespace sooth::predict
