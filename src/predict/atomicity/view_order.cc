#include "predict/atomicity/view_order.h"

#include <algorithm>
#include <optional>

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

namespace sooth::predict {
namespace {

// Reads and writes of all locations, or of those that the parts touch, by numbers of their own.
class ViewSearch {
public:
  ViewSearch(const Index& index, const RunEvents& run, const std::vector<Part>& parts, bool relaxed, std::size_t states)
      : index_(index), run_(run), relaxed_(relaxed), states_(states), threads_(index.computation.threads.size()) {
    collect(parts);
    mark(parts);
  }

  Truth search() {
    std::vector<Frame> stack;
    if (State start = initial(); settle(start)) stack.push_back(frame(std::move(start)));
    while (!stack.empty()) {
      if (is_over(stack.back().state)) return Truth::Yes;
      if (stack.back().moves.empty()) {
        stack.pop_back();
        continue;
      }
      const std::uint32_t thread = stack.back().moves.back();
      stack.back().moves.pop_back();
      State next = stack.back().state;
      if (!move(next, thread) || !settle(next)) continue;
      if (visited_.size() >= states_) return Truth::Undecided;
      stack.push_back(frame(std::move(next)));
    }
    return Truth::No;
  }

private:
  // By thread its position, by location its value, by symbol its value if that is settled.
  using State = std::vector<std::uint32_t>;
  struct Frame {
    State state;
    std::vector<std::uint32_t> moves; // threads that are still to be tried; the last one first
  };
  struct Item {
    StepId step = kNoStep;
    std::uint32_t first = 0; // of its operations
    std::uint32_t operations = 0;
  };
  struct User {
    std::uint32_t thread = 0;
    std::uint32_t end = 0; // the position behind its last use
  };
  struct Need {
    std::uint32_t thread = 0;
    std::uint32_t position = 0; // has been reached
  };

  void collect(const std::vector<Part>& parts) {
    absl::flat_hash_set<std::uint32_t> kept;
    const auto in_part = [&](const causality::Step& step) {
      return std::ranges::any_of(parts, [&](const Part& part) {
        return part.thread == step.thread && part.first <= step.place && step.place < part.end;
      });
    };
    if (relaxed_)
      for (const RunEvents::Entry& entry : run_.entries())
        if (in_part(index_.computation.steps[entry.step]))
          for (const Operation& o : run_.operations_of(entry))
            if (is_access(o)) kept.insert(o.object);
    items_.resize(threads_);
    absl::flat_hash_map<StepId, Need> place; // of the steps of the run
    for (const RunEvents::Entry& entry : run_.entries()) {
      const std::uint32_t thread = index_.computation.steps[entry.step].thread;
      Item item{entry.step, static_cast<std::uint32_t>(operations_.size()), 0};
      for (const Operation& o : run_.operations_of(entry)) {
        if (is_access(o) && (!relaxed_ || kept.contains(o.object)) && !run_.is_doubtful(o.object)) add(o, thread);
      }
      item.operations = static_cast<std::uint32_t>(operations_.size()) - item.first;
      items_[thread].push_back(item);
      place[entry.step] = {thread, static_cast<std::uint32_t>(items_[thread].size())};
    }
    for (const auto& own : items_)
      for (const Item& item : own)
        for (const causality::Order& order : index_.orders(item.step))
          if (const auto it = place.find(order.first); it != place.end()) needs_[item.step].push_back(it->second);
  }

  void mark(const std::vector<Part>& parts) {
    part_end_.resize(threads_);
    for (std::uint32_t t = 0; t < threads_; ++t) part_end_[t].assign(items_[t].size(), 0);
    for (const Part& part : parts) {
      const auto at = [&](std::uint32_t place) {
        const auto it = std::ranges::lower_bound(items_[part.thread], place, {}, [&](const Item& item) {
          return index_.computation.steps[item.step].place;
        });
        return static_cast<std::uint32_t>(it - items_[part.thread].begin());
      };
      const std::uint32_t begin = at(part.first), end = at(part.end);
      if (begin < end) part_end_[part.thread][begin] = std::max(part_end_[part.thread][begin], end);
    }
  }

  static bool is_access(const Operation& o) { return o.kind == OperationKind::Read || o.kind == OperationKind::Write; }
  void add(const Operation& o, std::uint32_t thread) {
    const auto [number, fresh] = numbers_.try_emplace(o.object, static_cast<std::uint32_t>(locations_.size()));
    if (fresh) {
      locations_.push_back(o.object);
      users_.emplace_back();
    }
    operations_.push_back({o.kind, number->second, o.value});
    std::vector<User>& users = users_[number->second];
    const auto end = static_cast<std::uint32_t>(items_[thread].size() + 1);
    const auto it = std::ranges::find(users, thread, &User::thread);
    if (it == users.end()) users.push_back({thread, end});
    else it->end = end;
  }

  std::size_t memory_at(std::uint32_t location) const { return threads_ + location; }
  std::size_t symbol_at(std::uint32_t symbol) const { return threads_ + locations_.size() + symbol - 1; }

  State initial() const {
    State state(threads_ + 2 * locations_.size() + run_.symbols(), 0);
    for (std::uint32_t i = 0; i < locations_.size(); ++i) {
      const std::uint32_t known = run_.initial(locations_[i]);
      // What nobody saw is one value all the same.
      state[memory_at(i)] = known != kAnyValue ? known : kSymbol | (run_.symbols() + 1 + i);
    }
    return state;
  }

  // Whether the two can be the same value; what that says about a symbol is kept.
  bool same(State& state, std::uint32_t a, std::uint32_t b) const {
    if (a == b || a == kAnyValue || b == kAnyValue) return true;
    if ((a & kSymbol) == 0) std::swap(a, b);
    if ((a & kSymbol) == 0) return false;
    if ((b & kSymbol) != 0) return true;
    std::uint32_t& settled = state[symbol_at(a & ~kSymbol)];
    if (settled == 0) settled = b;
    return settled == b;
  }

  bool take(State& state, std::uint32_t thread) const {
    const Item& item = items_[thread][state[thread]];
    if (!has_what_it_needs(state, item)) return false;
    for (std::uint32_t n = item.first; n < item.first + item.operations; ++n)
      if (!apply(state, operations_[n])) return false;
    ++state[thread];
    return true;
  }
  bool has_what_it_needs(const State& state, const Item& item) const {
    const auto it = needs_.find(item.step);
    return it == needs_.end() ||
           std::ranges::all_of(it->second, [&](const Need& need) { return state[need.thread] >= need.position; });
  }
  bool apply(State& state, const Operation& o) const {
    std::uint32_t& there = state[memory_at(o.object)];
    if (o.kind == OperationKind::Read) return same(state, there, o.value);
    there = o.value;
    return true;
  }

  // The thread's next step, or the part that begins there.
  bool move(State& state, std::uint32_t thread) const {
    const std::uint32_t position = state[thread];
    const std::uint32_t end = std::max(position + 1, part_end_[thread][position]);
    while (state[thread] < end)
      if (!take(state, thread)) return false;
    return true;
  }

  // Takes what keeps nobody from anything. False if this state was seen before, or leads nowhere.
  bool settle(State& state) {
    for (bool moved = true; moved;) {
      moved = false;
      for (std::uint32_t t = 0; t < threads_; ++t)
        while (state[t] < items_[t].size() && part_end_[t][state[t]] == 0 && is_harmless(state, t)) {
          if (!take(state, t)) return false; // nobody else could change that
          moved = true;
        }
    }
    return visited_.insert(state).second;
  }
  bool is_harmless(const State& state, std::uint32_t thread) const {
    const Item& item = items_[thread][state[thread]];
    if (!has_what_it_needs(state, item)) return false;
    for (std::uint32_t n = item.first; n < item.first + item.operations; ++n) {
      const Operation& o = operations_[n];
      const std::uint32_t there = state[memory_at(o.object)];
      const bool sees = o.kind == OperationKind::Read && (there == o.value || o.value == kAnyValue);
      if (!sees && !is_alone(state, thread, users_[o.object])) return false;
      // It would settle a symbol, which may keep others from something.
      if (o.kind == OperationKind::Read && !sees && ((there | o.value) & kSymbol) != 0) return false;
    }
    return true;
  }
  static bool is_alone(const State& state, std::uint32_t thread, const std::vector<User>& users) {
    return std::ranges::all_of(
        users, [&](const User& user) { return user.thread == thread || state[user.thread] >= user.end; });
  }

  bool is_over(const State& state) const {
    for (std::uint32_t t = 0; t < threads_; ++t)
      if (state[t] < items_[t].size()) return false;
    State last = state;
    for (std::uint32_t i = 0; i < locations_.size(); ++i)
      if (!same(last, last[memory_at(i)], run_.final(locations_[i]))) return false;
    return true;
  }

  // In the order of the run: where there is such an order, one close to the run is likely.
  Frame frame(State state) const {
    std::vector<std::uint32_t> moves;
    for (std::uint32_t t = 0; t < threads_; ++t)
      if (state[t] < items_[t].size()) moves.push_back(t);
    std::ranges::sort(moves, std::greater<>(), [&](std::uint32_t t) { return items_[t][state[t]].first; });
    return {std::move(state), std::move(moves)};
  }

  const Index& index_;
  const RunEvents& run_;
  const bool relaxed_; // only the locations of the parts
  const std::size_t states_;
  const std::size_t threads_;
  std::vector<std::vector<Item>> items_;                      // by thread
  std::vector<Operation> operations_;                         // with numbers of locations and locks of this search
  std::vector<std::uint32_t> locations_;                      // of the computation, by number
  absl::flat_hash_map<std::uint32_t, std::uint32_t> numbers_; // by location of the computation
  std::vector<std::vector<User>> users_;                      // by number
  absl::flat_hash_map<StepId, std::vector<Need>> needs_;
  std::vector<std::vector<std::uint32_t>>
      part_end_; // by thread and position: where the part ends that begins here; or 0
  absl::flat_hash_set<State> visited_;
};

} // namespace

Truth view_order_exists(const Index& index, const RunEvents& run, const std::vector<Part>& parts, std::size_t states) {
  if (run.entries().size() > kMaxSearched) return Truth::Undecided;
  if (ViewSearch(index, run, parts, true, states).search() == Truth::No) return Truth::No;
  // A state of the whole run has a value for each location.
  const std::size_t room = states * 64 / std::max<std::size_t>(1, index.computation.locations.size());
  return ViewSearch(index, run, parts, false, std::min(states, room)).search();
}

} // namespace sooth::predict
