#include "report/groups.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "report/names.h"
#include "trace/place_names.h"

namespace sooth::report {

using trace::PlaceName;
using witness::Finding;
using witness::FindingKind;

namespace {

bool stands_alone(const Finding& finding) {
  switch (finding.kind) {
  case FindingKind::Race:
  case FindingKind::Deadlock:
  case FindingKind::LostWakeup:
  case FindingKind::Atomicity:
  case FindingKind::UseAfterFree:
  case FindingKind::Assertion:
  case FindingKind::DoubleFree: return false;
  case FindingKind::Property:
  case FindingKind::Monitor:
  case FindingKind::PossibleLiveness:
  case FindingKind::Misuse: // its sentence says what was done
  case FindingKind::ThreadLeak:
  case FindingKind::SignalUnsafe:
  case FindingKind::SignalErrno:
  case FindingKind::Crash: return true;
  }
  return true;
}

// A deadlock is about its requests: other lines that took the locks do not make another deadlock.
bool tells_apart(const witness::Place& place) { return place.role != witness::Role::Hold; }

using NamedPlace = std::pair<witness::Role, PlaceName>;

// What the members of a group share. Details that differ between runs (addresses) are not in the
// name.
struct GroupKey {
  FindingKind kind = FindingKind::Race;
  std::string property;
  std::vector<NamedPlace> places; // sorted, because their order does not matter
  friend auto operator<=>(const GroupKey&, const GroupKey&) = default;
};

std::string name_of_group(const GroupKey& key) {
  std::string out = fmt::format("{}|{}", row_of(key.kind).name, key.property);
  for (const auto& [role, place] : key.places)
    out += fmt::format("|{}|{}|{}", name_of(role), place.function, place.object);
  return out;
}

std::string identity_of(const GroupKey& key) {
  std::string out = name_of_group(key);
  for (const auto& [role, place] : key.places) out += fmt::format("|{:x}", place.address);
  return out;
}

bool is_observed(const Finding& finding) { return finding.status == witness::Status::Observed; }

} // namespace

std::vector<FindingGroup> group_findings(const trace::Trace& trace, std::span<const Finding> findings) {
  std::vector<std::uint32_t> events;
  for (const Finding& finding : findings)
    for (const witness::Place& place : finding.places) events.push_back(place.event);
  const std::vector<PlaceName> names = trace::place_names(trace, events);

  std::vector<FindingGroup> out;
  std::map<GroupKey, std::size_t> groups;
  std::size_t name = 0;
  for (std::size_t i = 0; i < findings.size(); ++i) {
    GroupKey key{findings[i].kind, findings[i].property, {}};
    for (const witness::Place& place : findings[i].places) {
      const PlaceName& named = names[name++];
      if (tells_apart(place)) key.places.emplace_back(place.role, named);
    }
    if (stands_alone(findings[i]) || key.places.empty()) {
      out.push_back({"", {i}});
      continue;
    }
    std::ranges::sort(key.places);
    const auto [it, fresh] = groups.try_emplace(std::move(key), out.size());
    if (fresh) out.push_back({name_of_group(it->first), {}, identity_of(it->first)});
    out[it->second].members.push_back(i);
  }
  for (FindingGroup& group : out)
    std::ranges::sort(group.members, {}, [&](std::size_t i) {
      return std::tuple(!is_observed(findings[i]), findings[i].alike, findings[i].witness.steps.size(), i);
    });
  std::vector<FindingGroup> sorted;
  for (const bool observed : {true, false})
    for (FindingGroup& group : out)
      if (!group.members.empty() && is_observed(findings[group.members.front()]) == observed)
        sorted.push_back(std::exchange(group, {}));
  return sorted;
}

} // namespace sooth::report
