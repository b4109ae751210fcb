#include "trace/restore/misplaced.h"

#include <algorithm>

#include <absl/container/flat_hash_map.h>

#include "trace/contents.h"

namespace sooth::trace {
namespace {

constexpr std::uint64_t kGranule = 8;
constexpr std::uint64_t kLarge = 4096; // bytes; larger ranges are compared with every external write

struct Change {
  std::uint32_t event = 0;
  bool by_others = false; // another thread writes some of the bytes
  bool known = false;     // some thread writes this value, or it was there from the beginning
};

class Search {
public:
  explicit Search(const Trace& trace) : trace_(trace) {
    for (std::uint32_t i = 0; i < trace.events.size(); ++i)
      if (trace.events[i].kind == EventKind::ExternalWrite && is_global(trace.events[i])) add(i);
  }

  std::vector<std::uint32_t> run() {
    std::vector<std::uint32_t> out;
    if (changes_.empty()) return out;
    for (const Event& e : trace_.events)
      if (writes_memory(e.kind) && e.kind != EventKind::ExternalWrite) look_at(e);
    for (const Change& change : changes_)
      // In a piece, writes before it and behind it are unknown.
      if (trace_.is_piece || (change.by_others && (change.known || was_there(trace_.events[change.event]))))
        out.push_back(change.event);
    return out;
  }

private:
  bool is_global(const Event& e) const {
    const auto after = std::ranges::upper_bound(trace_.globals, e.address, {}, &Global::address);
    return after != trace_.globals.begin() && e.address - std::prev(after)->address < std::prev(after)->bytes;
  }

  void add(std::uint32_t event) {
    const Event& e = trace_.events[event];
    const auto number = static_cast<std::uint32_t>(changes_.size());
    changes_.push_back({event});
    if (e.size > kLarge) large_.push_back(number);
    else
      for (std::uint64_t g = e.address / kGranule; g <= (e.address + std::max(e.size, 1U) - 1) / kGranule; ++g)
        by_granule_[g].push_back(number);
  }

  void look_at(const Event& write) {
    for (const std::uint32_t number : large_) compare(changes_[number], write);
    if (write.size > kLarge) {
      for (Change& change : changes_) compare(change, write);
      return;
    }
    const std::uint64_t last = (write.address + std::max(write.size, 1U) - 1) / kGranule;
    for (std::uint64_t g = write.address / kGranule; g <= last; ++g)
      if (const auto it = by_granule_.find(g); it != by_granule_.end())
        for (const std::uint32_t number : it->second) compare(changes_[number], write);
  }

  void compare(Change& change, const Event& write) const {
    const Event& e = trace_.events[change.event];
    if (!overlap(e, write)) return;
    if (write.thread != e.thread) change.by_others = true;
    if (change.known) return;
    // Several writes of other extents may have left this value together; that case is not
    // considered.
    change.known = write.address != e.address || write.size != e.size || same(write, e);
  }

  bool same(const Event& write, const Event& change) const {
    const Contents a = written_by(trace_.bytes, write), b = written_by(trace_.bytes, change);
    if (a.is_opaque() || b.is_opaque()) return true;
    for (std::uint64_t i = 0; i < a.size(); ++i)
      if (a.byte(i) != b.byte(i)) return false;
    return true;
  }

  // Whether the bytes held this value at the beginning: the module's contents, else zero.
  bool was_there(const Event& change) const {
    const Contents seen = written_by(trace_.bytes, change);
    if (seen.is_opaque()) return true;
    const auto row = std::ranges::upper_bound(trace_.initial, change.address, {}, &InitialContents::address);
    const InitialContents* held = row == trace_.initial.begin() ? nullptr : &*std::prev(row);
    for (std::uint64_t i = 0; i < seen.size(); ++i) {
      const std::uint64_t at = held != nullptr ? change.address + i - held->address : 0;
      const std::uint8_t byte = held != nullptr && at < held->bytes.size() ? held->bytes[at] : 0;
      if (byte != seen.byte(i)) return false;
    }
    return true;
  }

  const Trace& trace_;
  std::vector<Change> changes_; // in the order of the trace
  std::vector<std::uint32_t> large_;
  absl::flat_hash_map<std::uint64_t, std::vector<std::uint32_t>> by_granule_;
};

} // namespace

std::vector<std::uint32_t> misplaced_reads(const Trace& trace) { return Search(trace).run(); }

bool is_numbered_read(const Trace& trace, std::size_t external_write) {
  if ((trace.flags & kOneClock) == 0) return false;
  for (std::size_t i = external_write + 1; i < trace.events.size(); ++i)
    if (const Event& e = trace.events[i]; e.thread == trace.events[external_write].thread) return e.has(kTicket);
  return false;
}

} // namespace sooth::trace
