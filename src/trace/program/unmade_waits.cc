#include "trace/program/unmade_waits.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include <absl/container/flat_hash_map.h>

namespace sooth::trace {

namespace {

bool waits(const Site& site) {
  static constexpr std::string_view kNames[] = {"pthread_cond_wait", "cnd_wait", "std::condition_variable::wait"};
  return (site.flags & kSiteCall) != 0 && std::ranges::find(kNames, site.variable) != std::ranges::end(kNames);
}

} // namespace

UnmadeWaits::UnmadeWaits(const Trace& trace) {
  absl::flat_hash_map<std::pair<std::string_view, std::string_view>, std::uint32_t> functions; // by file and name
  for (std::uint32_t i = 1; i < trace.sites.size(); ++i) {
    const Site& site = trace.sites[i];
    if (!waits(site)) continue;
    const auto number = static_cast<std::uint32_t>(functions.size() + 1);
    const std::uint32_t function = functions.try_emplace({site.file, site.function}, number).first->second;
    calls_.push_back({i, function, site.object, false, (site.flags & kSiteSystem) != 0, i});
  }
  if (calls_.empty()) return;
  function_of_.resize(trace.sites.size());
  ran_.resize(functions.size() + 1);
  for (std::uint32_t i = 1; i < trace.sites.size(); ++i)
    if (const auto known = functions.find({trace.sites[i].file, trace.sites[i].function}); known != functions.end())
      function_of_[i] = known->second;
}

void UnmadeWaits::see_site(const Event& e) {
  ran_[function_of_[e.site]] = true;
  if (e.kind == EventKind::Enter && e.value != 0)
    for (Call& call : calls_)
      if (call.hidden && call.function == function_of_[e.site]) call.shown = static_cast<std::uint32_t>(e.value);
  if (e.kind != EventKind::Wait) return;
  const auto call = std::ranges::lower_bound(calls_, e.site, {}, &Call::site);
  if (call != calls_.end() && call->site == e.site) call->waited = true;
}

std::vector<std::uint32_t> UnmadeWaits::all() const {
  const auto is_served = [&](const Call& call) {
    return std::ranges::any_of(calls_, [&](const Call& other) {
      return other.waited && (other.site == call.site || (!call.object.empty() && other.object == call.object));
    });
  };
  std::vector<std::uint32_t> out;
  for (const Call& call : calls_)
    if (ran_[call.function] && !is_served(call)) out.push_back(call.shown);
  return out;
}

} // namespace sooth::trace
