// What the source calls locks, condition variables and other objects of synchronisation.
//
//     pool->mutex_.lock() in stop(Pool*)               `pool->mutex_`
//     std::lock_guard guard(mutex_) in Pool::work()    `Pool::mutex_`
//
// Question: under which name did the program use the object at this address?
// Source: the site table (kFactObjects); where a call is inside a library, the user's call of it.
// Cost: one pass over the trace; a look at the stack for the first use of each object.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include "report/report.h"
#include "trace/address_names.h"
#include "trace/stack.h"
#include "trace/trace.h"

namespace sooth::report {

class LockNames {
public:
  explicit LockNames(const trace::Trace& trace) : trace_(trace), stacks_(trace) {}

  // Events must come in order, without gaps.
  void follow(std::uint32_t index);
  // A finding is about the object at this address.
  void use(std::uint64_t address, const trace::AddressNames& names);
  // Of the used objects on the heap: the event that allocated the block around each.
  const std::map<std::uint64_t, std::uint32_t>& blocks() const { return blocks_; }
  // Used objects of one name get the places of their blocks (`m of the object made at a.cpp:31`),
  // and numbers if these are equal (`... a.cpp:31 #2`). Returns whether there are such.
  bool tell_apart(const std::function<Spot(std::uint32_t event)>& place_of);
  // Empty if the source has no name for it, or not yet; also for objects with a name of their own.
  const std::string& of(std::uint64_t address) const;
  // The name of the variable at this address. A lock that is the first member of a variable shares
  // its address: it is `stats.mutex` instead of `stats` if the source uses it under that name.
  std::string variable(std::uint64_t address, const trace::AddressNames& names) const;

private:
  struct Name {
    std::string text;
    bool weak = false; // of the whole object that the primitive is a part of
  };
  Name name_at(const trace::Event& event) const;

  const trace::Trace& trace_;
  trace::StackWalker stacks_;
  absl::flat_hash_map<std::uint64_t, std::string> names_;
  absl::flat_hash_set<std::uint64_t> weak_; // primitives that have no better name yet
  std::map<std::uint64_t, std::uint32_t> blocks_;
  std::set<std::uint64_t> own_; // used objects that have a name of their own
};

} // namespace sooth::report
