// Static facts: a function's control and data flow, as the pass knows it, for each of its sites.
// With them a trace says not only what happened, but what it depended on.
//
//     int f(int k) {           enter f
//       int a = x;             site 1: load of x
//       if (a > 0)             site 2: branch; condition: {Load 1}
//         y = a + k;           site 3: store; value: {Load 1, Parameter 0}; control parent: 2
//     }
//
// An *activation* is one call of a function, from its `enter` to its `exit` event. An *instance* of
// a site is an event with that site. All facts are about one function and refer to instances in the
// same activation.
//
// Sources:
// - `Load s`: the value that the latest instance of s before the event read. With `every`: the
//   values of all instances of s before it in the activation (a sum over a loop depends on all of
//   them). The set may contain instances that were not used, but never misses one that was.
// - `Parameter k`: argument k of the call that began the activation: SiteFacts::arguments[k] of the
//   `enter` event's call site (its `value`), in the caller's activation, at that moment. If the
//   caller has no facts (a thread's start, a callback from code without hooks), the parameter came
//   from a call that is itself a decision (below).
// - `CallResult s`: the result of the latest call at s: FunctionFacts::result in the activations
//   that the call began. Calls in which nothing was recorded have no activation; so a set that
//   names a CallResult names the sources of that call's arguments, too.
// - `Branch s`: the latest branch at s decided which of two values it is.
// - `Unknown`: count every read of the thread so far.
//
// A *decision* is something on which the rest of the thread depends:
// - a `branch` event: the `condition` of its site. It stands
//     before a branch or switch (role Branch): the condition;
//     before an operation that may end the program (role Trap): its operands;
//     before a call of code that may have no hooks (role Call): its target and its arguments (of a
//     known function of the C library: the pointers among them). If the thread's next event is the
//     `enter` of an activation from this site, and that function's `name` is the site's `callee`
//     (not 0), then the callee has hooks, and nothing was decided here;
// - every access: its `address` (which includes the size);
// - an access with a `condition` (a compare-exchange writes or not);
// - every other event at a site with role Call (locks, allocation, accesses by the runtime's
//   interceptors): all `arguments`, and the values read there, because they go to code that we do
//   not see. Only the `value` of its writes names its own reads: the bytes that memcpy copies may
//   be followed.
// Code without hooks (effect Reads or Other, no such `enter`) may look at all memory it can reach.
//
// The pass looks through stores and copies that are not recorded (variables that no other thread
// can see): their sources stand in place of them.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "trace/format.h"
#include "trace/program/value_flows.h"

namespace sooth::trace {

struct Source {
  SourceKind kind = SourceKind::Unknown;
  bool every = false;      // all instances so far, not only the latest one
  std::uint32_t index = 0; // Load, CallResult, Branch: index into Trace::sites. Parameter: its number. Unknown: 0

  friend auto operator<=>(const Source&, const Source&) = default;
};

// What control dependence assumes about loops: all of them end; any may go on for ever; any may,
// unless it is known to end.
enum class ControlStrength : std::uint8_t { Classic = 0, Weak = 1, TerminationSensitive = 2 };
inline constexpr std::size_t kControlStrengths = 3;

// Sets are numbers into StaticFacts, so that equal ones are stored once; 0 is the empty set.
using SourceSet = std::uint32_t;
using SiteSet = std::uint32_t;

struct SiteFacts {
  std::uint32_t function = 0; // index into StaticFacts::functions
  SiteRole role = SiteRole::None;
  CallEffect effect = CallEffect::None; // of a call
  std::uint8_t flags = 0;               // SiteFactFlags
  // Direct control parents: the sites of the same function whose outcome decides whether this one
  // is reached. These are branches, and calls that have two continuations (return and exception)
  // or, except for classic, may not return. The whole relation is the transitive closure.
  std::array<SiteSet, kControlStrengths> control = {};
  // Case 3 of Definition 3: branches with another side that contains a write that may have changed
  // the bytes read here, and earlier calls that may make such a write. For a call, the bytes that
  // may be read in it count. Already closed under control parents.
  SiteSet other_writes = 0;
  SourceSet value = 0;      // sources of the written value
  SourceSet address = 0;    // sources of the address and the size
  SourceSet condition = 0;  // sources of the decision made here (above)
  SourceSet target = 0;     // of a call: sources of the function's address
  std::uint32_t callee = 0; // of a call: FunctionFacts::name of the function; 0: only known at run time
  std::vector<SourceSet> arguments;

  friend bool operator==(const SiteFacts&, const SiteFacts&) = default;
};

struct FunctionFacts {
  std::uint32_t site = 0; // index into Trace::sites: the row of the function; 0: it has none
  std::uint32_t name = 0; // stands for the linker's name; 0: not known
  std::uint32_t parameters = 0;
  SourceSet result = 0; // sources of its result

  friend bool operator==(const FunctionFacts&, const FunctionFacts&) = default;
};

struct StaticFacts {
  std::vector<SiteFacts> sites; // by index into Trace::sites; shorter, or role None: nothing is known of the site
  std::vector<FunctionFacts> functions;
  std::vector<std::vector<Source>> source_sets = {{}};      // each ascending; [0] is empty
  std::vector<std::vector<std::uint32_t>> site_sets = {{}}; // each ascending; [0] is empty
  std::uint32_t modules = 0;                                // modules with these facts
  std::uint32_t modules_without = 0;                        // modules that have sites, but no such facts

  ValueFlows flows; // of builds without the facts above

  std::uint64_t functions_left_out =
      0; // functions without hooks at the user's request (--only, --skip, SOOTH_NO_RECORD, ...)

  // Whether every site of the program has them. A trace is fit for dependence if this holds and
  // Trace::flags has kForFacts.
  bool complete() const { return modules != 0 && modules_without == 0; }

  const SiteFacts& of(std::uint32_t site) const {
    static const SiteFacts none;
    return site < sites.size() ? sites[site] : none;
  }
  std::span<const Source> sources(SourceSet set) const { return source_sets[set]; }
  std::span<const std::uint32_t> members(SiteSet set) const { return site_sets[set]; }

  friend bool operator==(const StaticFacts&, const StaticFacts&) = default;
};

// Facts written by hand, or by another tool. Numbers are indexes into Trace::sites.
class StaticFactsBuilder {
public:
  SourceSet sources(std::vector<Source> set);
  SiteSet members(std::vector<std::uint32_t> set);
  // The function's number.
  std::uint32_t add_function(std::uint32_t site, std::uint32_t parameters, std::vector<Source> result = {});
  // The row of a site, to be filled in; its role is set.
  SiteFacts& add_site(std::uint32_t site, std::uint32_t function, SiteRole role);
  // The same control parents in all strengths.
  void set_control(std::uint32_t site, std::vector<std::uint32_t> parents);

  // The whole, as one module's.
  StaticFacts take();

  static Source load(std::uint32_t site) { return {SourceKind::Load, false, site}; }
  static Source every_load(std::uint32_t site) { return {SourceKind::Load, true, site}; }
  static Source parameter(std::uint32_t number) { return {SourceKind::Parameter, false, number}; }
  static Source result_of(std::uint32_t call) { return {SourceKind::CallResult, false, call}; }
  static Source branch(std::uint32_t site) { return {SourceKind::Branch, false, site}; }
  static Source unknown() { return {}; }

private:
  StaticFacts facts_;
};

// Takes the sections for dependence and for functions left out (format.h) out of a module's facts
// and adds them to `facts`; returns the other sections. Row r of the module is site first_site + r;
// `sites` is their number. A module with sites counts as one without facts if it has no such
// section, or a malformed one.
std::vector<std::uint8_t> take_dependence(std::span<const std::uint8_t> sections, std::uint32_t first_site,
                                          std::uint32_t sites, StaticFacts& facts);
// The sections for all that is known, for a module whose row 0 is site 1; empty if that is nothing.
std::vector<std::uint8_t> make_dependence(const StaticFacts& facts);

} // namespace sooth::trace
