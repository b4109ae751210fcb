// Lassos in the runs of a model, for one `liveness` property.
//
//     liveness served: always (x > 0 -> eventually y > 0)
//     u: x = 1     v: x = 2, x = 1
//     After v the variables are as after u, and in u v v v ... y stays 0: violated.
//
// Question: is there a path u v of the lattice after which the properties' variables are as they
//   were after u, such that u v v v ... violates the property?
// Source: JMPaX online, section 4 (the idea; uv^w is tested by path checking, logic/lasso.h).
// Where we differ: there are exponentially many paths, so they are tried one by one, those near the
//   observed run first, until the limits are used up; then the answer is bounded.
// Cost: for each path and each pair of equal states in it one test, linear in the path.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "causality/models/model.h"
#include "explore/property_events.h"
#include "logic/property.h"

namespace sooth::properties {

struct LassoLimits {
  std::uint64_t steps = 200'000;      // of all paths together
  std::uint64_t letters = 50'000'000; // of all tests together
  double seconds = 0;                 // 0: no limit
};

struct Lasso {
  std::vector<causality::EventIndex> path;    // all steps of the model
  std::vector<causality::EventIndex> visible; // those that properties see
  std::size_t repeated = 0;                   // so many visible steps are v
};
// For the report: such a finding is possible, not certain.
std::string lasso_note(std::size_t repeated);

class LassoSearch {
public:
  LassoSearch(const logic::PropertyFile& file, const logic::Property& property, std::vector<std::uint64_t> initial,
              const LassoLimits& limits);

  // A path of the model, behind what was taken, that ends with v. Nothing: there is none, or the
  // limits are used up.
  std::optional<Lasso> find(const causality::Model& model, const explore::PropertyEvents& events);
  // From now on, each path begins with this event, behind those that were taken before.
  void take(const explore::PropertyEvents& events, const explore::RelevantEvent& event);
  // False: some paths were not tried.
  bool complete() const { return complete_; }
  std::uint64_t bytes() const;

private:
  struct State {
    std::vector<std::uint64_t> values;
    std::vector<std::uint32_t> bindings;
    friend auto operator<=>(const State&, const State&) = default;
  };
  struct Fork; // of a path: where it can go on

  bool spent();
  void arrive(State state, std::uint64_t happened);
  void leave();
  void forget(std::size_t first);
  State after(const explore::PropertyEvents& events, const explore::RelevantEvent& event) const;
  std::size_t loop(); // the length of a violating v that ends here; 0: there is none
  Fork fork(const causality::Model& model, std::vector<std::uint64_t> words) const;

  const logic::PropertyFile& file_;
  const logic::Property& property_;
  LassoLimits left_;
  std::chrono::steady_clock::time_point started_ = {};
  bool complete_ = true;
  // Equal states have one number. `visits_`: where on the path each of them is.
  std::map<State, std::uint32_t> numbers_;
  std::vector<std::map<State, std::uint32_t>::iterator> states_;
  std::vector<std::vector<std::size_t>> visits_;
  // The path: a state and a letter after each visible step, and before the first.
  std::vector<std::uint32_t> at_;
  std::vector<logic::Letter> letters_;
  std::vector<causality::Count> cut_;
};

} // namespace sooth::properties
