// What engines without a search take for an access, and by what they tell two of them apart.
#pragma once

#include <cstdint>
#include <utility>

#include "trace/kind_groups.h"
#include "trace/trace.h"

namespace sooth::predict {

// The program's own access of at least one byte: what changed memory from outside does not count.
inline bool is_own_access(const trace::Event& e) {
  return is_access(e.kind) && e.kind != trace::EventKind::ExternalWrite && e.size != 0 && e.size <= ~e.address;
}
// It stands for itself alone (docs/trace_format.md, "merged").
inline bool is_single_access(const trace::Event& e) { return is_own_access(e) && !e.has(trace::kMerged); }

// What distinguishes accesses for the user; if the site is unknown, the address stands for it.
using SiteName = std::pair<std::uint32_t, std::uint64_t>;
inline SiteName site_name(const trace::Event& e) { return {e.site, e.site == 0 ? e.address : 0}; }

} // namespace sooth::predict
