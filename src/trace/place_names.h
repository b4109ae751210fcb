// The name under which a person would group accesses: the function, and the variable, member or
// array that they touch.
//
//   access                                  function          object
//   ++accounts[2].balance in deposit(int)   `deposit(int)`    `accounts[].balance`
//   node->next = 0        in unlink(Node*)  `unlink(Node*)`   `heap of list.c:12 .next`
//
// Names are the same in another run: they have no addresses, threads or numbers of objects. The
// elements of an array are one object. Blocks that were allocated at one place are one object for
// each member that the source names.
// Cost: two passes over the trace for all events together.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trace/trace.h"

namespace sooth::trace {

struct PlaceName {
  std::string function;      // the innermost one outside system headers; if none is known, the file
  std::string object;        // empty if the touched object is unknown; then ...
  std::uint64_t address = 0; // ... this identifies it, in this run
  friend auto operator<=>(const PlaceName&, const PlaceName&) = default;
};

// In the order of `events`, which need not be sorted.
std::vector<PlaceName> place_names(const Trace& trace, std::span<const std::uint32_t> events);

// The place that a person would name: a function, with its file and line.
struct UserPlace {
  std::string function;
  std::string file;
  std::uint32_t line = 0;
};
// The site itself, or the nearest call by which its function was inlined. Nothing if all of them
// are in system headers.
std::optional<UserPlace> user_place_of_site(const Trace& trace, std::uint32_t site);

// The innermost function of the program that both sites are in, also if the compiler has inlined
// it. Empty if there is none.
//
//   first                           second                          common function
//   balance() inlined in deposit()  set() inlined in deposit()      `deposit()`
std::string_view common_function(const Trace& trace, std::uint32_t first, std::uint32_t second);

// `a[3].b[x + 1]` -> `a[].b[]`
std::string without_indices(std::string_view name);

// `counts._M_t._M_impl._M_header._M_parent` -> `counts`: what the standard library calls its own
// parts says nothing to its users.
std::string without_library_members(std::string name);

} // namespace sooth::trace
