#include "predict/memory/shared_frames.h"

#include <algorithm>
#include <iterator>

#include <absl/container/flat_hash_map.h>

#include "trace/kind_groups.h"

namespace sooth::predict {
namespace {

using trace::Event;
using trace::EventKind;

constexpr std::uint64_t kLineBits = 6;
constexpr std::uint32_t kSeveralThreads = 0xffffffff;

std::uint64_t first_line(const Event& e) { return e.address >> kLineBits; }
std::uint64_t last_line(const Event& e) { return (e.address + e.size - 1) >> kLineBits; }

// Begin and end; later ranges do not begin earlier.
struct Range {
  std::uint64_t from;
  std::uint64_t to;
};

// Of the main thread no stack is recorded: what is neither global nor an object is on it.
class Stacks {
public:
  explicit Stacks(const trace::Trace& trace) : own_(trace.threads.size()) {
    for (const trace::Global& global : trace.globals)
      others_.push_back({global.address, global.address + global.bytes});
    for (const Event& e : trace.events) {
      if (e.kind == EventKind::StackBegin) own_[e.thread] = {e.address, e.address + e.value};
      if (begins_object(e.kind) && e.value <= ~e.address) others_.push_back({e.address, e.address + e.value});
    }
    std::ranges::sort(others_, {}, &Range::from);
    std::uint64_t to = 0; // a later one ends no earlier, so that the last one that begins decides
    for (Range& range : others_) range.to = to = std::max(to, range.to);
  }
  bool has(const Event& e) const {
    const Range& own = own_[e.thread];
    if (own.to != 0) return own.from <= e.address && e.address + e.size <= own.to;
    if (e.thread != 0) return false;
    const auto it = std::ranges::upper_bound(others_, e.address, {}, &Range::from);
    return it == others_.begin() || std::prev(it)->to <= e.address;
  }

private:
  std::vector<Range> own_; // by thread
  std::vector<Range> others_;
};

} // namespace

bool is_plain_use(const Event& e) {
  const bool memory = trace::reads_memory(e.kind) || trace::writes_memory(e.kind);
  return memory && e.kind != EventKind::ExternalWrite && e.size != 0 && e.size <= ~e.address && !e.has(trace::kMerged);
}

bool SharedFrames::is_own(const Event& access) const {
  return access.site < trace_.sites.size() && (trace_.sites[access.site].flags & trace::kSiteOwnFrame) != 0;
}

SharedFrames::SharedFrames(const trace::Trace& trace) : trace_(trace), elsewhere_(trace.threads.size(), false) {
  const bool marked = std::ranges::any_of(
      trace.sites, [](const trace::Site& site) { return (site.flags & trace::kSiteOwnFrame) != 0; });
  if (!marked) return;
  for (std::size_t t = 0; t < trace.threads.size(); ++t) elsewhere_[t] = trace.threads[t].leaves_its_stack;
  const Stacks stacks(trace);
  absl::flat_hash_map<std::uint64_t, std::uint32_t> owners; // by line
  for (const Event& e : trace.events) {
    if (!is_plain_use(e) || !is_own(e)) continue;
    if (!stacks.has(e)) {
      elsewhere_[e.thread] = true;
      continue;
    }
    for (std::uint64_t line = first_line(e); line <= last_line(e); ++line) owners.try_emplace(line, e.thread);
  }
  std::vector<std::uint64_t> all;
  all.reserve(owners.size());
  for (const auto& [line, owner] : owners) all.push_back(line);
  std::ranges::sort(all);
  for (const Event& e : trace.events) {
    if (all.empty() || !is_plain_use(e) || last_line(e) < all.front() || first_line(e) > all.back()) continue;
    for (auto it = std::ranges::lower_bound(all, first_line(e)); it != all.end() && *it <= last_line(e); ++it)
      if (std::uint32_t& owner = owners[*it]; owner != e.thread) owner = kSeveralThreads;
  }
  for (const std::uint64_t line : all)
    if (owners[line] == kSeveralThreads) lines_.push_back(line);
}

bool SharedFrames::touched_by(const Event& access) const {
  if (last_line(access) < lines_.front() || first_line(access) > lines_.back()) return false;
  const auto it = std::ranges::lower_bound(lines_, first_line(access));
  return it != lines_.end() && *it <= last_line(access);
}

} // namespace sooth::predict
