#include "report/same_places.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace sooth::report {
namespace {

using SourcePlace = std::tuple<std::string, std::uint32_t, std::uint32_t, std::string, std::string, std::uint32_t>;

// For each site the first one that stands for the same place in the source.
class FirstSites {
public:
  explicit FirstSites(const trace::Trace& trace) : trace_(trace) {}

  std::uint32_t of(std::uint32_t site) {
    if (site == 0 || site >= trace_.sites.size()) return site;
    const auto [known, fresh] = known_.try_emplace(site, site);
    if (!fresh) return known->second;
    const trace::Site& s = trace_.sites[site];
    if (s.line == 0) return site; // nobody knows whether it is the same place
    known->second =
        first_.try_emplace(SourcePlace{s.file, s.line, s.column, s.function, s.variable, s.flags}, site).first->second;
    return known->second;
  }

private:
  const trace::Trace& trace_;
  std::map<std::uint32_t, std::uint32_t> known_;
  std::map<SourcePlace, std::uint32_t> first_;
};

using Sites = std::vector<std::uint32_t>;
using PlaceKey = std::tuple<std::uint32_t, trace::EventKind, witness::Role, std::uint32_t>;

} // namespace

void merge_same_places(const trace::Trace& trace, std::vector<witness::Finding>& findings) {
  using Key = std::tuple<witness::FindingKind, witness::Status, std::string, std::string, std::vector<PlaceKey>>;
  struct Kept {
    std::size_t index;
    Sites sites; // as they are: what has the very same ones was told apart by its engine, for a reason
  };
  FirstSites first(trace);
  std::map<Key, Kept> known;
  std::vector<witness::Finding> out;
  for (witness::Finding& finding : findings) {
    Sites own;
    std::vector<PlaceKey> places;
    for (const witness::Place& place : finding.places) {
      const trace::Event& e = trace.events[place.event];
      own.push_back(e.site);
      places.push_back({first.of(e.site), e.kind, place.role, e.site == 0 ? place.event : 0});
    }
    if (finding.kind == witness::FindingKind::Race) std::ranges::sort(places); // either may have come first
    const auto [entry, fresh] = known.try_emplace(
        Key{finding.kind, finding.status, finding.property, finding.note, std::move(places)}, Kept{out.size(), own});
    if (fresh || entry->second.sites == own) out.push_back(std::move(finding));
    else out[entry->second.index].count += finding.count;
  }
  findings = std::move(out);
}

} // namespace sooth::report
