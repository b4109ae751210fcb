#include "causality/computation/locations.h"

#include <absl/container/flat_hash_map.h>

#include <algorithm>

namespace sooth::causality {
namespace {

using trace::Event;
using trace::EventKind;

constexpr std::uint32_t kNobody = 0xffffffff;
constexpr std::uint32_t kSeveral = 0xfffffffe;

// Which threads touch something, and whether any of them writes it.
struct Use {
  std::uint32_t thread = kNobody;
  bool written = false;

  bool shared() const { return thread == kSeveral && written; }
  void add(const Use& other) {
    written |= other.written;
    if (other.thread == kNobody) return;
    thread = thread == kNobody || thread == other.thread ? other.thread : kSeveral;
  }
};

struct Range {
  std::uint64_t address;
  std::uint64_t end;
  Use use;
};

// Sweeps over sorted borders: calls f(from, to, use) for each piece between two borders that some
// range covers.
class Sweep {
public:
  explicit Sweep(const std::vector<Range>& ranges) {
    borders_.reserve(2 * ranges.size());
    for (const Range& range : ranges) {
      borders_.push_back(range.address);
      borders_.push_back(range.end);
    }
    std::sort(borders_.begin(), borders_.end());
    borders_.erase(std::unique(borders_.begin(), borders_.end()), borders_.end());
    uses_.resize(borders_.size());
    for (const Range& range : ranges)
      for (std::size_t i = index(range.address); borders_[i] < range.end; ++i) uses_[i].add(range.use);
  }

  template <typename F>
  void each_shared(F&& f) const {
    for (std::size_t i = 0; i + 1 < borders_.size(); ++i)
      if (uses_[i].shared()) f(borders_[i], borders_[i + 1]);
  }

private:
  std::size_t index(std::uint64_t border) const {
    return static_cast<std::size_t>(std::lower_bound(borders_.begin(), borders_.end(), border) - borders_.begin());
  }
  std::vector<std::uint64_t> borders_;
  std::vector<Use> uses_; // of the piece that begins at the border
};

} // namespace

Locations::Locations(const trace::Trace& trace) : range_of_event_(trace.events.size(), kNoRange) {
  absl::flat_hash_map<std::pair<std::uint64_t, std::uint32_t>, std::uint32_t> numbers; // of (address, size)
  std::vector<Range> ranges;
  for (std::size_t i = 0; i < trace.events.size(); ++i) {
    const Event& e = trace.events[i];
    const bool writes = writes_memory(e.kind);
    if ((!writes && !reads_memory(e.kind)) || e.size == 0 || e.size > ~e.address) continue;
    const auto [it, fresh] = numbers.try_emplace({e.address, e.size}, static_cast<std::uint32_t>(ranges.size()));
    if (fresh) ranges.push_back({e.address, e.address + e.size, {}});
    ranges[it->second].use.add({e.kind == EventKind::ExternalWrite ? kNobody : e.thread, writes});
    range_of_event_[i] = it->second;
  }

  Sweep(ranges).each_shared(
      [&](std::uint64_t from, std::uint64_t to) { pieces_.push_back({from, static_cast<std::uint32_t>(to - from)}); });

  ranges_.reserve(ranges.size());
  const auto by_address = [](const Piece& piece, std::uint64_t address) { return piece.address < address; };
  for (const Range& range : ranges) {
    const auto first = std::lower_bound(pieces_.begin(), pieces_.end(), range.address, by_address);
    const auto last = std::lower_bound(first, pieces_.end(), range.end, by_address);
    ranges_.push_back({static_cast<std::uint32_t>(first - pieces_.begin()), static_cast<std::uint32_t>(last - first)});
  }
}

} // namespace sooth::causality
