#include "report/lock_names.h"

#include <filesystem>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "report/object_names.h"

namespace sooth::report {

using trace::Event;
using trace::ObjectKind;
using trace::Site;

namespace {

bool is_primitive(const Event& e) {
  const trace::EventKind kind = e.kind == trace::EventKind::Request ? trace::awaited(e).kind : e.kind;
  return object_of(kind) <= ObjectKind::LastPrimitive;
}

// `m` of `Stats::m`, `pool->m` and `stats.m`.
std::string_view last_component(std::string_view name) {
  const std::size_t before = name.find_last_of(":.>");
  return before == std::string_view::npos ? name : name.substr(before + 1);
}

} // namespace

LockNames::Name LockNames::name_at(const Event& e) const {
  const auto site_at = [&](std::uint32_t number) -> const Site* {
    if (number == 0 || number >= trace_.sites.size()) return nullptr;
    const Site& site = trace_.sites[number];
    return (site.flags & trace::kSiteSystem) == 0 ? &site : nullptr;
  };
  const Site* site = site_at(e.site);
  const auto stack = stacks_.stack(e.thread);
  for (std::size_t i = stack.size(); site == nullptr && i-- > 0;) site = site_at(stack[i].call);
  if (site == nullptr) return {};
  return {member_name(site->object, site->function), site->object == "*this"};
}

void LockNames::follow(std::uint32_t index) {
  stacks_.advance_to(index);
  const Event& e = trace_.events[index];
  if (!is_primitive(e)) return;
  const auto [it, added] = names_.try_emplace(e.address);
  if (!added && !it->second.empty() && !weak_.contains(e.address)) return;
  const Name name = name_at(e);
  if (name.text.empty() || (name.weak && !it->second.empty())) return;
  it->second = name.text;
  if (name.weak) weak_.insert(e.address);
  else weak_.erase(e.address);
}

void LockNames::use(std::uint64_t address, const trace::AddressNames& names) {
  if (names.has_own_name(address)) own_.insert(address);
  else if (const auto object = names.object(address);
           object && trace_.events[object->event].kind == trace::EventKind::Alloc) {
    const auto event = static_cast<std::uint32_t>(object->event);
    if (!blocks_.try_emplace(address, event).second) return;
    const std::uint32_t site = trace_.events[event].site;
    if (std::string& name = names_[address]; site < trace_.sites.size())
      name = member_of_type(name, trace_.sites[site].object);
  }
}

bool LockNames::tell_apart(const std::function<Spot(std::uint32_t)>& place_of) {
  std::map<std::string, std::vector<std::uint64_t>> alike;
  for (const auto& [address, event] : blocks_)
    if (const std::string& name = of(address); !name.empty()) alike[name].push_back(address);
  std::erase_if(alike, [](const auto& entry) { return entry.second.size() < 2; });
  for (const auto& [name, addresses] : alike) {
    std::map<std::string, std::vector<std::uint64_t>> by_place;
    for (const std::uint64_t address : addresses) {
      const Spot spot = place_of(blocks_.at(address));
      const std::string file = std::filesystem::path(spot.file).filename().string();
      by_place[fmt::format("{}{}{}:{}", name, kMadeAt, file, spot.line)].push_back(address);
    }
    for (const auto& [full, made_there] : by_place)
      for (std::size_t i = 0; i < made_there.size(); ++i)
        names_[made_there[i]] = made_there.size() == 1 ? full : fmt::format("{} #{}", full, i + 1);
  }
  return !alike.empty();
}

std::string LockNames::variable(std::uint64_t address, const trace::AddressNames& names) const {
  if (const auto used_as = names_.find(address); used_as != names_.end())
    if (std::string member = names.first_member(address, last_component(used_as->second)); !member.empty())
      return member;
  return names.name(address);
}

const std::string& LockNames::of(std::uint64_t address) const {
  static const std::string unknown;
  const auto it = names_.find(address);
  return it == names_.end() || own_.contains(address) ? unknown : it->second;
}

} // namespace sooth::report
