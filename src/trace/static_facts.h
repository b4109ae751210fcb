// Static facts: what the pass knows of a function's control and data flow, for each of its sites. With them a trace tells
// not only what happened, but what it depended on.
//
// How they are meant. An *activation* is one call of a function, from its `enter` to its `exit` event. An *instance* of a
// site is an event with that site. Everything here is about one function and speaks of instances in the same activation.
//
//   A source `Load s` is what the latest instance of s before the event in question read; with `every`, what all instances
//   of s before it in the activation read (a sum over a loop depends on all of them). Instances that were not the ones in use may
//   be among them, never the other way round.
//   `Parameter k` is argument k of the call that began the activation: SiteFacts::arguments[k] of the `enter` event's call site
//   (its `value`), in the caller's activation, at that moment. If the caller has no facts (a thread's start, a callback from
//   code without hooks), the parameter came from a call that is itself a decision (below).
//   `CallResult s` is what the latest call at s returned: FunctionFacts::result in the activations that the call began. Calls in which
//   nothing was recorded have no activation; so a set that names a CallResult names the sources of that call's arguments, too.
//   `Branch s`: which of two values it is was decided by the latest branch at s.
//   `Unknown`: count every read of the thread so far.
//
// What is a *decision*, on which the rest of the thread depends:
//   - a `branch` event: the `condition` of its site. It stands
//       before a branch or switch (role Branch): the condition;
//       before an operation that may end the program (role Trap): its operands;
//       before a call of code that may have no hooks (role Call): its target and its arguments (of a known function of the C
//       library: the pointers among them). If the thread's next event is the `enter` of an activation from this site, and that
//       function's `name` is the site's `callee` (not 0), then the callee has hooks, and nothing was decided here;
//   - every access: its `address` (which counts the size, too);
//   - an access with a `condition` (a compare-exchange writes or not);
//   - every other event at a site with role Call (locks, allocation, what the runtime's interceptors read and write): all
//     `arguments`, and what is read there, for it goes to code that we do not see. Only the `value` of its writes names its own
//     reads: what memcpy copies may be followed.
// Code without hooks (effect Reads or Other, no such `enter`) may look at whatever memory it can reach.
//
// Stores and copies that are not recorded (variables that nobody else can see) are looked through: their sources stand in
// place of them.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "trace/format.h"

namespace sooth::trace {

struct Source {
  SourceKind kind = SourceKind::Unknown;
  bool every = false;      // all instances so far, not only the latest one
  std::uint32_t index = 0; // Load, CallResult, Branch: index into Trace::sites. Parameter: its number. Unknown: 0

  friend auto operator<=>(const Source&, const Source&) = default;
};

// How much control dependence sees of loops: none of them goes on for ever; each may; each may unless it is known to end.
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
  // Direct control parents: the sites of the same function whose outcome decides whether this one is reached. Branches; calls,
  // too, where a call has two ways on (return and exception) or, but for classic, may not return. The whole is the transitive closure.
  std::array<SiteSet, kControlStrengths> control = {};
  // Case 3 of Definition 3: branches of which another side holds a write that may have changed what is read here, and calls
  // before this that may make such a write; of a call: what may be read in it. Already closed under control parents.
  SiteSet other_writes = 0;
  SourceSet value = 0;      // what is written
  SourceSet address = 0;    // where, and how many bytes
  SourceSet condition = 0;  // what is decided here (above)
  SourceSet target = 0;     // of a call: which function
  std::uint32_t callee = 0; // of a call: FunctionFacts::name of the function; 0: only known at run time
  std::vector<SourceSet> arguments;

  friend bool operator==(const SiteFacts&, const SiteFacts&) = default;
};

struct FunctionFacts {
  std::uint32_t site = 0; // index into Trace::sites: the row of the function; 0: it has none
  std::uint32_t name = 0; // stands for the linker's name; 0: not known
  std::uint32_t parameters = 0;
  SourceSet result = 0; // what it returns

  friend bool operator==(const FunctionFacts&, const FunctionFacts&) = default;
};

struct StaticFacts {
  std::vector<SiteFacts> sites; // by index into Trace::sites; shorter, or role None: nothing is known of the site
  std::vector<FunctionFacts> functions;
  std::vector<std::vector<Source>> source_sets = {{}};      // each ascending; [0] is empty
  std::vector<std::vector<std::uint32_t>> site_sets = {{}}; // each ascending; [0] is empty
  std::uint32_t modules = 0;                                // modules with these facts
  std::uint32_t modules_without = 0;                        // modules that have sites, but no such facts

  std::uint64_t functions_left_out =
      0; // have no hooks because the user wanted it so (--only, --skip, SOOTH_NO_RECORD, ...)

  // Whether every site of the program has them. A trace is fit for dependence if this holds and Trace::flags has kForFacts.
  bool complete() const { return modules != 0 && modules_without == 0; }

  const SiteFacts& of(std::uint32_t site) const {
    static const SiteFacts none;
    return site < sites.size() ? sites[site] : none;
  }
  std::span<const Source> sources(SourceSet set) const { return source_sets[set]; }
  std::span<const std::uint32_t> members(SiteSet set) const { return site_sets[set]; }

  friend bool operator==(const StaticFacts&, const StaticFacts&) = default;
};

// Facts written by hand, or by whoever knows them. Numbers are indexes into Trace::sites.
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

// Takes the sections for dependence and for functions left out (format.h) out of a module's facts and adds it to `facts`; returns the other sections. Row r of
// the module is site first_site + r; `sites` is their number. A module with sites, but without such a section or with one that
// does not hold what it should, counts as one without.
std::vector<std::uint8_t> take_dependence(std::span<const std::uint8_t> sections, std::uint32_t first_site,
                                          std::uint32_t sites, StaticFacts& facts);
// The sections for all that is known, for a module whose row 0 is site 1; empty if that is nothing.
std::vector<std::uint8_t> make_dependence(const StaticFacts& facts);

} // namespace sooth::trace
