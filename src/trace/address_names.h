// Names of addresses for people: `accounts[2].balance`, `heap#3+16`, `stack#2+1044`.
//
// A reused address belongs to a new object, so names change along the trace. Call `follow` with
// every event, in order. Names are unique: two objects never share one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "trace/trace.h"

namespace sooth::trace {

class AddressNames {
public:
  explicit AddressNames(const Trace& trace) : trace_(trace) {}

  void follow(const Event& event);
  // Empty if the address is unknown.
  std::string name(std::uint64_t address) const;
  // Whether the name comes from the source or the program itself (`accounts[2]`), and is not the
  // number of a block or stack.
  bool has_own_name(std::uint64_t address) const;
  // `stats.mutex` for the address of the variable `stats`, if `mutex` is its first member, or the
  // first of that, and so on: they share the address. Empty if it is not.
  std::string first_member(std::uint64_t address, std::string_view member) const;

  // A heap block (also a freed one), a stack or a mapping.
  struct Object {
    std::uint64_t begin;
    std::uint64_t end;
    std::string name;
    std::size_t event; // that began it
  };
  std::optional<Object> object(std::uint64_t address) const;

private:
  const Global* global_at(std::uint64_t address) const;
  struct Region {
    std::uint64_t end;
    std::string name;
    std::size_t event;
  };
  void begin(const Event& event, std::string name);
  void end(const Event& event);
  static const Region* find(const std::map<std::uint64_t, Region>& regions, std::uint64_t address,
                            std::uint64_t& offset);

  const Trace& trace_;
  std::map<std::uint64_t, Region> watched_; // named by the program itself
  std::map<std::uint64_t, Region> blocks_;  // heap
  std::map<std::uint64_t, Region> areas_;   // stacks and mappings, under the blocks
  std::size_t followed_ = 0;                // events so far
  std::uint64_t blocks_seen_ = 0;
  std::uint64_t areas_seen_ = 0;
};

} // namespace sooth::trace
