// Computations made by hand or at random, run through the knowledge vectors, and a direct evaluation of MtTL to compare with.
//
// The evaluation is Table 1 of DAME, with "always in the past" corrected (its right side must speak of s'): recursion over
// the tree that the parser makes, on the partial order itself, with nothing remembered. It shares no code with src/knowledge.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "knowledge/heap_snapshots.h"
#include "knowledge/monitoring.h"
#include "knowledge/places.h"
#include "logic/resolve.h"
#include "unit/logic_symbols.h"

namespace sooth::knowledge {

enum class Do : std::uint8_t { Start, End, Fork, Join, Read, Write, Lock, Internal, BlockBegin, BlockEnd, Name };

struct Step {
  std::uint32_t thread = 0;
  Do what = Do::Internal;
  std::string target;     // variable (or two, `x y`: in one access), lock, local variable, block, name
  std::int64_t value = 0; // written, set; of fork and join: the other thread
};
using Steps = std::vector<Step>;

// The program that all these computations are runs of: int x, y, u, v, flag; threads `writer`, `reader`; local variables
// `a`, `atomic`; a block `transfer`.
inline logic::TestProgram test_program() {
  logic::TestProgram program;
  program.ints({"x", "y", "u", "v", "flag", "checking", "saving"});
  program.symbols.user_events = {"a", "atomic"};
  program.symbols.thread_names = {"writer", "reader"};
  program.symbols.block_names = {"transfer", "calcBalance"};
  return program;
}

// Compiled monitors, open for use.
class OpenMonitors {
public:
  explicit OpenMonitors(const std::string& text, std::uint32_t places = 8);

  const logic::PropertyFile& file() const { return file_; }
  const Setup& setup() const { return setup_; }

private:
  logic::PropertyFile file_;
  Setup setup_;
  HeapSnapshots snapshots_;
  std::vector<Word> memory_;
};

// Takes steps in the order given; each must be possible.
class KnowledgeRun {
public:
  explicit KnowledgeRun(const OpenMonitors& monitors, std::uint32_t places = 8);

  Outcome take(const Step& step);
  const Thread& thread(std::uint32_t number) const { return *threads_.at(number).state; }
  // The value of a variable that some formula reads, in the thread's predicted state.
  std::int64_t predicted(std::uint32_t thread, const std::string& variable) const;
  const Places& places() const { return places_; }

private:
  struct Owned {
    std::vector<Word> memory;
    Thread* state = nullptr;
  };
  void make(std::uint32_t number, const Thread* creator);
  Outcome touch(Thread& thread, Access kind, const std::string& names);
  std::uint32_t variable(const std::string& name) const;

  const Setup& setup_;
  Places places_;
  std::vector<Word> places_memory_;
  std::map<std::uint32_t, Owned> threads_;
  std::map<std::string, Carrier> carriers_;
  std::map<std::string, std::int64_t> values_; // of the program's variables
};

// The multithreaded computation of the steps.
class Computation {
public:
  explicit Computation(Steps steps);

  const Steps& steps() const { return steps_; }
  bool precedes(std::size_t a, std::size_t b) const { return before_[b][a]; } // not for a == b
  std::size_t threads() const { return threads_; }

  // Any order that keeps the partial one, chosen by `seed`.
  std::vector<std::size_t> linearisation(std::uint32_t seed) const;

  // The formula in the state of `thread` after event `at`; nothing: before it did anything. `bound`: thread variables,
  // and `#writer` if it is a formula of that role.
  using Bound = std::map<std::string, std::uint32_t>;
  std::int64_t value(const logic::Node& node, std::uint32_t thread, std::optional<std::size_t> at,
                     const Bound& bound) const;
  std::int64_t predicted(std::optional<std::size_t> at, const std::string& variable) const;
  // The latest event of the thread in the past of `at`, itself included.
  std::optional<std::size_t> latest(std::uint32_t thread, std::optional<std::size_t> at) const;
  bool known(std::uint32_t thread, std::size_t at) const; // quantifiers at `at` range over it
  // Whether the thread had the name right after `at`.
  bool has_name(std::size_t at, const std::string& name) const;
  // The newest thread of the role that is known of.
  std::optional<std::uint32_t> holder(const std::string& role, std::optional<std::size_t> at) const;

private:
  std::optional<std::size_t> latest_in_role(const std::string& role, std::uint32_t thread,
                                            std::optional<std::size_t> at) const;
  std::int64_t operation(const logic::Node& node, std::uint32_t thread, std::optional<std::size_t> at,
                         const Bound& bound) const;
  std::int64_t past(const logic::Node& node, std::uint32_t thread, std::optional<std::size_t> at,
                    const Bound& bound) const;
  std::int64_t predicate(const logic::Node& node, std::uint32_t thread, std::optional<std::size_t> at) const;
  std::int64_t local(const std::string& name, std::uint32_t thread, std::optional<std::size_t> at) const;
  std::int64_t block(const std::string& name, std::uint32_t thread, std::optional<std::size_t> at) const;

  Steps steps_;
  std::vector<std::vector<bool>> before_;
  std::size_t threads_ = 0;
};

} // namespace sooth::knowledge
