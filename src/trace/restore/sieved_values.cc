#include "trace/restore/sieved_values.h"

#include <algorithm>

#include "trace/program/value_flows.h"

namespace sooth::trace {
namespace {

constexpr unsigned kUnit = 2; // bits of an address
constexpr std::size_t kMostKnown = std::size_t{1} << 18;

} // namespace

void SievedValues::begin(const Trace& trace) {
  const ValueFlows& flows = trace.static_facts.flows;
  wanted_ = flows.sees_all_code() && !flows.reads.empty();
  stored_.clear();
  near_.reset();
  is_reached_.assign(trace.sites.size(), false);
  nowhere_.assign(trace.sites.size(), 0);
  if (!wanted_) return;
  const std::vector<ReachedStores> reached = reached_stores(flows);
  for (std::size_t i = 0; i < reached.size(); ++i) {
    const ValueFlow& read = flows.reads[i];
    if (reached[i].decides || read.site >= nowhere_.size()) continue;
    if (reached[i].sites.empty() && !read.is_update) nowhere_[read.site] = read.bytes;
    for (const std::uint32_t site : reached[i].sites)
      if (site < is_reached_.size()) is_reached_[site] = true;
  }
}

void SievedValues::leave_out(Trace& trace, const Event& access) {
  if (!wanted_ || access.size == 0 || access.site >= is_reached_.size()) return;
  if (access.kind == EventKind::Write) return store(trace, access);
  if (access.kind != EventKind::Read || !may_know(access) || goes_nowhere(access)) return;
  const std::uint64_t last = (access.address + (access.size - 1)) >> kUnit;
  for (std::uint64_t unit = access.address >> kUnit; unit <= last; ++unit)
    if (const auto found = stored_.find(unit); found != stored_.end()) look_at(trace, found->second);
}

// What was stored before is gone where all of the four bytes are overwritten.
void SievedValues::store(Trace& trace, const Event& write) {
  const bool reached = is_reached_[write.site];
  if (!reached && !may_know(write)) return;
  const std::uint64_t end = write.address + (write.size - 1);
  for (std::uint64_t unit = write.address >> kUnit; unit <= end >> kUnit; ++unit) {
    const bool whole = write.address <= unit << kUnit && end >= ((unit << kUnit) | 3);
    const auto known = stored_.find(unit);
    if (known != stored_.end() && (whole || known->second == write.site)) {
      if (reached) known->second = write.site;
      else stored_.erase(known);
    } else if (known != stored_.end()) {
      if (!reached) continue;
      look_at(trace, known->second); // two stores at one place: neither is remembered
      look_at(trace, write.site);
    } else if (reached && stored_.size() < kMostKnown) {
      stored_[unit] = write.site;
      near_.set((unit >> (kNear - kUnit)) % kFilter);
    } else if (reached) {
      look_at(trace, write.site);
    }
  }
}

void SievedValues::look_at(Trace& trace, std::uint32_t site) const {
  if (trace.sieved_stores.size() <= site) trace.sieved_stores.resize(trace.sites.size());
  trace.sieved_stores[site] = true;
}

bool SievedValues::may_know(const Event& access) const {
  if (stored_.empty()) return false;
  const std::uint64_t last = (access.address + (access.size - 1)) >> kNear;
  for (std::uint64_t line = access.address >> kNear; line <= last; ++line)
    if (near_[line % kFilter]) return true;
  return false;
}

// The event stands for loads of its own site only.
bool SievedValues::goes_nowhere(const Event& read) const {
  return nowhere_[read.site] == read.size && (read.flags & ~kTicket) == 0 && (read.marks & kOtherSites) == 0;
}

} // namespace sooth::trace
