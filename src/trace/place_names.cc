#include "trace/place_names.h"

#include <algorithm>
#include <filesystem>
#include <map>

#include "trace/address_names.h"
#include "trace/kind_groups.h"
#include "trace/stack.h"

namespace sooth::trace {

namespace {

bool is_system(std::uint32_t flags) { return (flags & kSiteSystem) != 0; }

UserPlace user_place(const Trace& trace, const Event& event, std::span<const Frame> stack) {
  if (auto own = user_place_of_site(trace, event.site)) {
    if (own->function.empty() && !stack.empty() && stack.back().function < trace.sites.size())
      own->function = trace.sites[stack.back().function].function;
    return *own;
  }
  for (std::size_t i = stack.size(); i-- > 0;)
    if (const auto caller = user_place_of_site(trace, stack[i].call)) return *caller;
  const Site& own = trace.sites[event.site < trace.sites.size() ? event.site : 0];
  return {own.function, own.file, own.line};
}

std::string file_name(const std::string& path) { return std::filesystem::path(path).filename().string(); }

// `node->next` -> `.next`; empty if the source names no member.
std::string member_of(const Site& site) {
  if (is_system(site.flags)) return {};
  const std::string name = without_indices(site.variable);
  const std::size_t arrow = name.rfind("->"), dot = name.rfind('.');
  const std::size_t at = arrow == std::string::npos || (dot != std::string::npos && dot > arrow) ? dot : arrow;
  if (at == std::string::npos) return {};
  return "." + name.substr(at + (name[at] == '-' ? 2 : 1));
}

// `total+8` -> `total`: a part that the type does not name counts as the whole variable.
std::string without_offset(std::string name) {
  const std::size_t plus = name.rfind('+');
  const bool offset = plus != std::string::npos && plus + 1 < name.size() &&
                      name.find_first_not_of("0123456789", plus + 1) == std::string::npos;
  return offset ? name.substr(0, plus) : name;
}

// A function at a place where it was inlined (0: it was not), seen from inside.
struct FunctionAt {
  std::string_view function;
  std::uint32_t inlined_at = 0;
  bool system = false;
};
FunctionAt function_of(const Trace& trace, std::uint32_t site) {
  const Site& s = trace.sites[site];
  return {s.function, s.inlined_at, is_system(s.flags)};
}
FunctionAt function_around(const Trace& trace, const FunctionAt& inner) {
  const InlinedCall& call = trace.inlined_calls[inner.inlined_at];
  return {call.function, call.inlined_at, is_system(call.flags)};
}

class PlaceNamer {
public:
  PlaceNamer(const Trace& trace, std::span<const std::uint32_t> events) : trace_(trace), events_(events) {}

  std::vector<PlaceName> run() {
    std::vector<PlaceName> out(events_.size());
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < events_.size(); ++i)
      if (events_[i] < trace_.events.size()) order.push_back(i);
    std::ranges::sort(order, {}, [&](std::size_t i) { return events_[i]; });
    std::vector<std::optional<std::size_t>> begun(out.size()); // the event that began the object
    name_places(order, out, begun);
    name_blocks(begun, out);
    return out;
  }

private:
  void name_places(const std::vector<std::size_t>& order, std::vector<PlaceName>& out,
                   std::vector<std::optional<std::size_t>>& begun) const {
    AddressNames names(trace_);
    StackWalker stacks(trace_);
    std::size_t followed = 0;
    for (const std::size_t i : order) {
      const std::uint32_t event = events_[i];
      for (; followed <= event; ++followed) names.follow(trace_.events[followed]);
      stacks.advance_to(event);
      const Event e =
          trace_.events[event].kind == EventKind::Request ? awaited(trace_.events[event]) : trace_.events[event];
      const UserPlace place = user_place(trace_, e, stacks.stack(e.thread));
      out[i].function = place.function.empty() ? file_name(place.file) : place.function;
      name_object(e, names, out[i], begun[i]);
    }
  }

  void name_object(const Event& e, const AddressNames& names, PlaceName& out, std::optional<std::size_t>& begun) const {
    if (e.address == 0) return;
    const Site& site = trace_.sites[e.site < trace_.sites.size() ? e.site : 0];
    const std::string member = is_access(e.kind) ? member_of(site) : std::string();
    if (names.has_own_name(e.address)) {
      out.object = without_indices(without_library_members(without_offset(names.name(e.address))));
    } else if (const auto object = names.object(e.address)) {
      begun = object->event;
      const bool local =
          trace_.events[object->event].kind == EventKind::StackBegin; // on a stack, the source's name is all we know
      out.object = local && is_access(e.kind) && !is_system(site.flags) ? without_indices(site.variable) : member;
    } else if (is_access(e.kind)) {
      out.object = without_indices(site.variable);
    }
    if (out.object.empty() && !begun) out.address = e.address;
  }

  // Blocks are named after the place of their allocation.
  void name_blocks(const std::vector<std::optional<std::size_t>>& begun, std::vector<PlaceName>& out) const {
    std::map<std::size_t, std::string> blocks;
    for (const auto& event : begun)
      if (event) blocks[*event];
    StackWalker stacks(trace_);
    for (auto& [event, name] : blocks) {
      stacks.advance_to(event);
      const Event& e = trace_.events[event];
      const UserPlace place = user_place(trace_, e, stacks.stack(e.thread));
      name = std::string(kind_name(e.kind)) + " of " + file_name(place.file) + ":" + std::to_string(place.line) + " " +
             place.function;
    }
    for (std::size_t i = 0; i < out.size(); ++i)
      if (begun[i]) out[i].object = blocks[*begun[i]] + " " + out[i].object;
  }

  const Trace& trace_;
  std::span<const std::uint32_t> events_;
};

} // namespace

std::optional<UserPlace> user_place_of_site(const Trace& trace, std::uint32_t site) {
  if (site == 0 || site >= trace.sites.size()) return std::nullopt;
  const Site& own = trace.sites[site];
  if (!is_system(own.flags)) return UserPlace{own.function, own.file, own.line};
  for (std::uint32_t call = own.inlined_at; call != 0; call = trace.inlined_calls[call].inlined_at)
    if (const InlinedCall& c = trace.inlined_calls[call]; !is_system(c.flags))
      return UserPlace{c.function, c.file, c.line};
  return std::nullopt;
}

std::string_view common_function(const Trace& trace, std::uint32_t first, std::uint32_t second) {
  if (first >= trace.sites.size() || second >= trace.sites.size()) return {};
  // Inner calls have larger numbers than those around them.
  FunctionAt a = function_of(trace, first), b = function_of(trace, second);
  while (a.inlined_at != b.inlined_at) {
    FunctionAt& inner = a.inlined_at > b.inlined_at ? a : b;
    inner = function_around(trace, inner);
  }
  if (a.function != b.function) return {};
  while (a.system && a.inlined_at != 0) a = function_around(trace, a);
  return a.system ? std::string_view() : a.function;
}

std::string without_indices(std::string_view name) {
  std::string out;
  int depth = 0;
  for (const char letter : name) {
    if (letter == ']' && depth > 0) --depth;
    if (depth == 0) out += letter;
    if (letter == '[') ++depth;
  }
  return out;
}

std::string without_library_members(std::string name) {
  const std::size_t member = name.find("._M_");
  if (member != std::string::npos && member != 0) name.resize(member);
  return name;
}

std::vector<PlaceName> place_names(const Trace& trace, std::span<const std::uint32_t> events) {
  if (events.empty()) return {};
  return PlaceNamer(trace, events).run();
}

} // namespace sooth::trace
