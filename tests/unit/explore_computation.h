// Random multithreaded computations, and everything about them by enumeration: what the lattice is compared with.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include <rapidcheck.h>

#include "causality/models/algorithm_a.h"
#include "explore/lattice.h"

namespace sooth::testing {

using causality::Clock;
using causality::Count;
using causality::SharedClock;
using causality::ThreadNumber;

// One event of a multithreaded execution (JMPaX online, section 2.1), in the order of execution.
struct Action {
  enum Kind { Internal, Read, Write } kind = Internal;
  ThreadNumber thread = 0;
  std::size_t object = 0;
  bool relevant = false;
};

struct Execution {
  std::size_t threads = 1;
  std::size_t objects = 1;
  std::vector<Action> actions;

  // Section 2.2: thread order, and accesses of one object of which one is a write; transitively closed.
  std::vector<std::vector<bool>> causality() const {
    const std::size_t n = actions.size();
    std::vector<std::vector<bool>> before(n, std::vector<bool>(n, false));
    for (std::size_t j = 0; j < n; ++j) {
      for (std::size_t i = j; i-- > 0;) {
        const Action &a = actions[i], &b = actions[j];
        const bool conflict = a.kind != Action::Internal && b.kind != Action::Internal && a.object == b.object &&
                              (a.kind == Action::Write || b.kind == Action::Write);
        if (a.thread != b.thread && !conflict) continue;
        before[i][j] = true;
        for (std::size_t k = 0; k < i; ++k)
          if (before[k][i]) before[k][j] = true;
      }
    }
    return before;
  }
};

inline Execution random_execution(std::size_t max_threads, std::size_t max_actions, std::size_t max_relevant) {
  Execution out;
  out.threads = *rc::gen::inRange<std::size_t>(1, max_threads + 1);
  out.objects = *rc::gen::inRange<std::size_t>(1, 4);
  const auto count = *rc::gen::inRange<std::size_t>(0, max_actions + 1);
  std::size_t relevant = 0;
  for (std::size_t i = 0; i < count; ++i) {
    Action a;
    a.kind = static_cast<Action::Kind>(*rc::gen::inRange(0, 3));
    a.thread = *rc::gen::inRange<ThreadNumber>(0, static_cast<ThreadNumber>(out.threads));
    a.object = *rc::gen::inRange<std::size_t>(0, out.objects);
    a.relevant = relevant < max_relevant && *rc::gen::inRange(0, 2) == 0;
    relevant += a.relevant ? 1 : 0;
    out.actions.push_back(a);
  }
  return out;
}

// The relevant events with the clocks of Algorithm A: index among the actions, thread, clock.
struct Sent {
  std::size_t action;
  ThreadNumber thread;
  SharedClock clock;
};
inline std::vector<Sent> messages_of(const Execution& execution) {
  causality::AlgorithmA algorithm(execution.threads, execution.objects);
  std::vector<Sent> out;
  for (std::size_t i = 0; i < execution.actions.size(); ++i) {
    const Action& a = execution.actions[i];
    SharedClock clock;
    if (a.kind == Action::Internal) clock = algorithm.internal(a.thread, a.relevant);
    else if (a.kind == Action::Read) clock = algorithm.read(a.thread, a.object, a.relevant);
    else clock = algorithm.write(a.thread, a.object, a.relevant);
    if (a.relevant) out.push_back({i, a.thread, clock});
  }
  return out;
}

// Every run of the relevant events that `before` allows, by trying all of them.
inline void for_each_run(const Execution& execution,
                         const std::function<void(const std::vector<std::size_t>&)>& visit) {
  const auto before = execution.causality();
  std::vector<std::size_t> relevant, run;
  for (std::size_t i = 0; i < execution.actions.size(); ++i)
    if (execution.actions[i].relevant) relevant.push_back(i);
  std::vector<bool> used(execution.actions.size(), false);
  const std::function<void()> extend = [&] {
    if (run.size() == relevant.size()) return visit(run);
    for (const std::size_t next : relevant) {
      if (used[next]) continue;
      bool possible = true;
      for (const std::size_t other : relevant) possible = possible && (used[other] || !before[other][next]);
      if (!possible) continue;
      used[next] = true;
      run.push_back(next);
      extend();
      run.pop_back();
      used[next] = false;
    }
  };
  extend();
}

// Messages for a lattice, thread by thread, in the order of execution.
inline std::vector<explore::Message> lattice_messages(const Execution& execution, bool with_forks = true) {
  std::vector<explore::Message> out;
  std::vector<std::uint64_t> sequence(execution.threads, 0);
  if (with_forks) {
    for (ThreadNumber t = 1; t < execution.threads; ++t) {
      explore::Message fork;
      fork.kind = explore::Message::Kind::Fork;
      fork.other = t;
      fork.sequence = sequence[0]++;
      out.push_back(fork);
    }
  }
  for (const Sent& sent : messages_of(execution)) {
    explore::Message message;
    message.thread = sent.thread;
    message.sequence = sequence[sent.thread]++;
    message.position = message.event = sent.action;
    message.clock = sent.clock;
    out.push_back(message);
  }
  for (ThreadNumber t = 0; t < execution.threads; ++t) {
    explore::Message end;
    end.kind = explore::Message::Kind::End;
    end.thread = t;
    end.sequence = sequence[t]++;
    out.push_back(end);
  }
  return out;
}

// Monitors made up at random: few states, few letters, and some pairs that object. Values: a word that every event
// changes in its own way, where the order of conflicting events matters and that of the others does not, as in memory.
class RandomMonitors : public explore::MonitorSet {
public:
  RandomMonitors(const Execution& execution, std::size_t monitors, std::uint64_t seed, unsigned one_in)
      : execution_(execution), monitors_(monitors), seed_(seed), one_in_(one_in) {}

  std::size_t monitors() const override { return monitors_; }
  std::size_t value_words() const override { return execution_.objects; }
  explore::Letter begin(std::span<std::uint64_t> values) const override {
    for (std::uint64_t& value : values) value = 0;
    return 0;
  }
  // A write sets its object to its own number; the letter is a digest of all objects and of the event's kind.
  explore::Letter apply(explore::EventName event, std::span<std::uint64_t> values) const override {
    const Action& a = execution_.actions[event];
    if (a.kind == Action::Write) values[a.object] = event + 1;
    std::uint64_t letter = a.kind;
    for (const std::uint64_t value : values) letter = mix(letter, value);
    return letter % 5;
  }
  explore::Move start(std::size_t monitor, explore::Letter letter) const override {
    return {mix(monitor, letter) % 3, false};
  }
  explore::Move step(std::size_t monitor, explore::MonitorState state, explore::Letter letter) const override {
    const std::uint64_t h = mix(mix(monitor * 1000 + state, letter), seed_);
    return {h % 4, (h >> 20) % one_in_ == 0};
  }

private:
  static std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
    std::uint64_t h = (a * 0x9e3779b97f4a7c15ull) ^ (b + 0x7f4a7c159e3779b9ull);
    h ^= h >> 29;
    h *= 0xbf58476d1ce4e5b9ull;
    return h ^ (h >> 32);
  }
  const Execution& execution_;
  std::size_t monitors_;
  std::uint64_t seed_;
  unsigned one_in_;
};

} // namespace sooth::testing
