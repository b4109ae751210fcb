#include "properties/lasso_search.h"

#include <algorithm>

#include <fmt/format.h>

namespace sooth::properties {

using causality::EventIndex;
using causality::Model;
using causality::ModelStep;
using causality::ThreadNumber;
using explore::PropertyEvents;
using explore::RelevantEvent;

// A node of the lattice on the path, and the threads that were not tried from it yet.
struct LassoSearch::Fork {
  std::vector<std::uint64_t> words; // the model's
  std::vector<ThreadNumber> next;   // the last one is the first to be tried
  ThreadNumber taken = 0;           // the path goes on with this one
};

std::string lasso_note(std::size_t repeated) {
  return fmt::format("Possible, not certain: the last {} steps of this run lead back to the same state of the "
                     "property's variables, and could repeat for ever.",
                     repeated);
}

LassoSearch::LassoSearch(const logic::PropertyFile& file, const logic::Property& property,
                         std::vector<std::uint64_t> initial, const LassoLimits& limits)
    : file_(file), property_(property), left_(limits) {
  arrive({std::move(initial), std::vector<std::uint32_t>(file.variables.size(), 0)}, 0);
}

bool LassoSearch::spent() {
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - started_;
  if (left_.steps != 0 && left_.letters != 0 && (left_.seconds <= 0 || time.count() < left_.seconds)) return false;
  complete_ = false;
  return true;
}

void LassoSearch::arrive(State state, std::uint64_t happened) {
  letters_.push_back(file_.letter(property_, state.values, happened));
  const auto [at, fresh] = numbers_.try_emplace(std::move(state), static_cast<std::uint32_t>(states_.size()));
  if (fresh) {
    states_.push_back(at);
    visits_.emplace_back();
  }
  visits_[at->second].push_back(at_.size());
  at_.push_back(at->second);
}

void LassoSearch::leave() {
  visits_[at_.back()].pop_back();
  at_.pop_back();
  letters_.pop_back();
}

// States from this number on are on no path.
void LassoSearch::forget(std::size_t first) {
  for (; states_.size() > first; states_.pop_back(), visits_.pop_back()) numbers_.erase(states_.back());
}

LassoSearch::State LassoSearch::after(const PropertyEvents& events, const RelevantEvent& event) const {
  State state = states_[at_.back()]->first;
  for (std::uint32_t k = event.first_effect; k < event.first_effect + event.effects; ++k) {
    const explore::Effect& effect = events.effects[k];
    if (effect.binds != 0) state.bindings[effect.variable] = effect.binds;
    else if (effect.binding != explore::kAnyBinding && state.bindings[effect.variable] != effect.binding) continue;
    state.values[effect.variable] = (state.values[effect.variable] & ~effect.mask) | effect.bits;
  }
  return state;
}

void LassoSearch::take(const PropertyEvents& events, const RelevantEvent& event) {
  arrive(after(events, event), event.happened);
}

// The newest state was there before: u leads to it, v comes back to it.
std::size_t LassoSearch::loop() {
  const std::span<const logic::Letter> letters(letters_);
  const std::vector<std::size_t>& visits = visits_[at_.back()];
  for (std::size_t k = 0; k + 1 < visits.size(); ++k) {
    if (spent()) return 0;
    left_.letters -= std::min<std::uint64_t>(left_.letters, letters.size());
    if (!property_.lasso->holds(letters.first(visits[k] + 1), letters.subspan(visits[k] + 1)))
      return letters.size() - 1 - visits[k];
  }
  return 0;
}

// Threads that can move, the one whose step was observed first is the first to be tried.
LassoSearch::Fork LassoSearch::fork(const Model& model, std::vector<std::uint64_t> words) const {
  Fork out{std::move(words), {}};
  for (ThreadNumber t = 0; t < cut_.size(); ++t) {
    const auto steps = model.steps(t);
    if (cut_[t] > 0 && cut_[t] < steps.size() && steps[cut_[t] - 1].glued) {
      out.next = {t};
      return out;
    }
    if (cut_[t] < steps.size() && model.enabled(cut_, out.words, t)) out.next.push_back(t);
  }
  std::ranges::sort(out.next, std::ranges::greater(), [&](ThreadNumber t) { return model.steps(t)[cut_[t]].event; });
  return out;
}

std::optional<Lasso> LassoSearch::find(const Model& model, const PropertyEvents& events) {
  started_ = std::chrono::steady_clock::now();
  cut_.assign(model.threads(), 0);
  std::vector<std::uint64_t> words(model.state_words(), 0);
  model.begin(words);
  Lasso found;
  const std::size_t known = states_.size();
  std::vector<Fork> path;
  path.push_back(fork(model, std::move(words)));
  // At most one step of the path is undone for each that was taken: the limits bound the loop.
  while (!path.empty()) {
    Fork& here = path.back();
    if (!here.next.empty() && !spent()) {
      --left_.steps;
      here.taken = here.next.back();
      here.next.pop_back();
      const ModelStep& step = model.steps(here.taken)[cut_[here.taken]];
      words = here.words;
      model.advance(cut_, words, here.taken);
      ++cut_[here.taken];
      found.path.push_back(step.event);
      if (step.visible) {
        const auto event = std::ranges::lower_bound(events.events, step.event, {}, &RelevantEvent::event);
        take(events, *event);
        found.visible.push_back(step.event);
        found.repeated = loop();
      }
      if (found.repeated != 0) break;
      path.push_back(fork(model, words));
      continue;
    }
    path.pop_back();
    if (path.empty()) break;
    const ThreadNumber back = path.back().taken;
    --cut_[back];
    found.path.pop_back();
    if (!model.steps(back)[cut_[back]].visible) continue;
    leave();
    found.visible.pop_back();
  }
  for (std::size_t k = 0; k < found.visible.size(); ++k) leave();
  forget(known);
  if (found.repeated == 0) return std::nullopt;
  return found;
}

std::uint64_t LassoSearch::bytes() const {
  constexpr std::uint64_t kNode = 128; // of the map, and what belongs to a state
  return at_.capacity() * (sizeof at_[0] + sizeof letters_[0] + sizeof(std::size_t)) +
         states_.size() * (kNode + file_.variables.size() * 12);
}

} // namespace sooth::properties
