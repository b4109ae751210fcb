#include "predict/races/memory_model.h"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

#include <absl/container/flat_hash_map.h>
#include <absl/container/inlined_vector.h>

#include "predict/question/own_accesses.h"
#include "predict/question/unrecorded.h"
#include "predict/races/benign_races.h"
#include "predict/races/synchronises_with.h"
#include "trace/kind_groups.h"

namespace sooth::predict {
namespace {

using trace::Event;
using trace::EventKind;
using witness::Finding;

constexpr std::uint64_t kPageBits = 12;
constexpr std::uint64_t kPageBytes = std::uint64_t{1} << kPageBits;
constexpr std::uint64_t kMaxGranules = std::uint64_t{1} << 25;

// Pages that only one thread touches, or that are only read, cannot have races: they need no
// shadow.
class SharedPages {
public:
  explicit SharedPages(const trace::Trace& trace) {
    for (const Event& e : trace.events) {
      if (!is_own_access(e)) continue;
      for (std::uint64_t page = e.address >> kPageBits; page <= (e.address + e.size - 1) >> kPageBits; ++page) {
        const auto [it, first] = pages_.try_emplace(page, Page{e.thread, false, false});
        if (!first && it->second.thread != e.thread) it->second.shared = true;
        it->second.written |= trace::writes_memory(e.kind);
      }
    }
  }
  bool has(std::uint64_t page) const {
    const auto it = pages_.find(page);
    return it != pages_.end() && it->second.shared && it->second.written;
  }

private:
  struct Page {
    std::uint32_t thread;
    bool shared;
    bool written;
  };
  absl::flat_hash_map<std::uint64_t, Page> pages_;
};

// When each granule of shared pages was written for the last time. Reads after that cannot race any
// more.
class LastWrites {
public:
  LastWrites(const trace::Trace& trace, const SharedPages& shared) {
    for (std::uint32_t i = 0; i < trace.events.size() && known_; ++i) {
      const Event& e = trace.events[i];
      if (!is_own_access(e) || !trace::writes_memory(e.kind)) continue;
      for (std::uint64_t granule = e.address >> 3; granule <= (e.address + e.size - 1) >> 3; ++granule) {
        if (!shared.has(granule >> (kPageBits - 3))) granule |= (kPageBytes >> 3) - 1; // on to the next page
        else last_[granule] = i;
      }
      known_ = last_.size() < kMost;
    }
  }
  // False if it is not known.
  bool all_before(std::uint32_t event, std::uint64_t granule) const {
    const auto it = last_.find(granule);
    return known_ && (it == last_.end() || it->second < event);
  }

private:
  static constexpr std::size_t kMost = std::size_t{1} << 22;
  absl::flat_hash_map<std::uint64_t, std::uint32_t> last_;
  bool known_ = true;
};

// One earlier access of some bytes of a granule.
struct Cell {
  std::uint32_t thread = 0;
  SharedCounts::Count piece = 0; // of its thread
  std::uint32_t event = 0;
  std::uint8_t bytes = 0; // a bit for each byte of the granule
  bool writes = false;
  bool atomic = false;
};

// A part of a page of which all bytes have the same history.
struct Span {
  std::uint64_t first, last; // offsets of bytes
  Cell cell;
};
// The accesses of a page: a few spans, as long as they are few. Programs that touch memory by large
// ranges never have more. Others soon have, and their pages switch to cells for each granule.
struct PageShadow {
  absl::InlinedVector<Span, 4> spans;
  bool by_granules = false;
};
constexpr std::size_t kMaxSpans = 16;

class RaceCheck {
public:
  RaceCheck(const trace::Trace& trace, const Budget& budget, Coverage& coverage)
      : trace_(trace), budget_(budget), coverage_(coverage), order_(trace), shared_(trace), benign_(trace) {}

  std::vector<Finding> run() {
    for (std::size_t i = 0; i < trace_.events.size(); ++i) {
      if (const char* spent = i % 1024 == 0 ? budget_.spent() : nullptr) {
        coverage_.undecided_because(spent);
        break;
      }
      const Event& e = trace_.events[i];
      order_.arrive(e);
      if (is_single_access(e) && !access(static_cast<std::uint32_t>(i))) {
        coverage_.undecided_because("the memory-model engine stopped where too much memory was shared");
        break;
      }
      order_.depart(e);
    }
    return std::move(findings_);
  }

private:
  // False if there is no room for one more granule.
  bool access(std::uint32_t index) {
    const Event& e = trace_.events[index];
    const std::uint64_t last = e.address + e.size - 1;
    const Cell now{e.thread, order_.piece(e.thread), index, 0, trace::writes_memory(e.kind), is_atomic(e.kind)};
    for (std::uint64_t page = e.address >> kPageBits; page <= last >> kPageBits; ++page) {
      if (!shared_.has(page)) continue;
      const std::uint64_t begin = page << kPageBits;
      const std::uint64_t from = std::max(e.address, begin) - begin;
      const std::uint64_t to = std::min(last - begin, kPageBytes - 1);
      PageShadow& shadow = pages_[page];
      if (!shadow.by_granules) compare_spans(shadow, from, to, now);
      else
        each_granule(begin, from, to, [&](std::uint64_t granule, std::uint8_t bytes) { compare(granule, bytes, now); });
      if (shadow.spans.size() > kMaxSpans) split(shadow, begin);
      if (granules_.size() + pages_.size() > kMaxGranules) return false;
    }
    return true;
  }

  // f(granule, the range's bytes in it) for the bytes `from` to `to` of the page that begins at
  // `begin`.
  template <typename F>
  static void each_granule(std::uint64_t begin, std::uint64_t from, std::uint64_t to, F&& f) {
    for (std::uint64_t granule = from >> 3; granule <= to >> 3; ++granule) {
      const std::uint64_t low = std::max(from, granule << 3) & 7;
      const std::uint64_t high = std::min(to, (granule << 3) + 7) & 7;
      f((begin >> 3) + granule, static_cast<std::uint8_t>(((2u << high) - 1) & ~((1u << low) - 1)));
    }
  }

  void split(PageShadow& shadow, std::uint64_t begin) {
    for (const Span& span : shadow.spans) {
      each_granule(begin, span.first, span.last, [&](std::uint64_t granule, std::uint8_t bytes) {
        granules_[granule].push_back(span.cell);
        granules_[granule].back().bytes = bytes;
      });
    }
    shadow.spans.clear();
    shadow.by_granules = true;
  }

  // Whether the earlier access need not be kept for the bytes that it shares with this one: every
  // access that is unordered and conflicting with it is also unordered and conflicting with this
  // one.
  bool meet(const Cell& cell, const Cell& now) {
    const bool before = cell.piece <= order_.clock(now.thread)[cell.thread];
    if (!before && (cell.writes || now.writes) && !(cell.atomic && now.atomic)) race(cell.event, now.event);
    return before && (now.writes || !cell.writes) && (!now.atomic || cell.atomic);
  }

  void compare(std::uint64_t granule, std::uint8_t bytes, const Cell& now) {
    absl::InlinedVector<Cell, 2>& cells = granules_[granule];
    // Thousands of threads may read what was written before they began.
    if (cells.size() >= kManyCells && !now.writes) {
      if (!last_writes_) last_writes_.emplace(trace_, shared_);
      if (last_writes_->all_before(now.event, granule)) {
        for (const Cell& cell : cells)
          if (cell.writes && (cell.bytes & bytes) != 0) meet(cell, now);
        return;
      }
    }
    for (Cell& cell : cells) {
      if ((cell.bytes & bytes) != 0 && meet(cell, now)) cell.bytes &= static_cast<std::uint8_t>(~bytes);
    }
    cells.erase(std::remove_if(cells.begin(), cells.end(), [](const Cell& cell) { return cell.bytes == 0; }),
                cells.end());
    cells.push_back(now);
    cells.back().bytes = bytes;
  }

  void compare_spans(PageShadow& shadow, std::uint64_t from, std::uint64_t to, const Cell& now) {
    absl::InlinedVector<Span, 4> kept;
    for (const Span& span : shadow.spans) {
      if (span.last < from || to < span.first || !meet(span.cell, now)) {
        kept.push_back(span);
        continue;
      }
      if (span.first < from) kept.push_back({span.first, from - 1, span.cell});
      if (to < span.last) kept.push_back({to + 1, span.last, span.cell});
    }
    kept.push_back({from, to, now});
    shadow.spans = std::move(kept);
  }

  // One finding for each pair of sites; where a site is unknown, the address stands for it.
  void race(std::uint32_t first, std::uint32_t second) {
    if (benign_.has(trace_.events[first], trace_.events[second])) return;
    if (benign_.ignores(first) || benign_.ignores(second)) return;
    const auto name = [&](std::uint32_t event) {
      const Event& e = trace_.events[event];
      return std::pair(site_name(e), static_cast<int>(e.kind));
    };
    auto key = std::pair(name(first), name(second));
    if (key.second < key.first) std::swap(key.first, key.second);
    const auto [it, is_new] = known_.try_emplace(key, Known{findings_.size(), first, second});
    if (!is_new) {
      // A range meets the same access once for each granule.
      if (it->second.first != first || it->second.second != second) ++findings_[it->second.finding].count;
      it->second.first = first;
      it->second.second = second;
      return;
    }
    ++coverage_.candidates;
    Finding finding;
    finding.kind = witness::FindingKind::Race;
    finding.status = witness::Status::Observed;
    finding.model = witness::Model::HappensBefore;
    finding.engine = "memory-model";
    finding.places = {{first, witness::Role::Access}, {second, witness::Role::Access}};
    finding.witness.observed = std::size_t{second} + 1;
    findings_.push_back(std::move(finding));
  }

  using Name = std::pair<SiteName, int>; // and the kind
  struct Known {
    std::size_t finding;
    std::uint32_t first, second; // the last pair that was counted
  };

  const trace::Trace& trace_;
  const Budget& budget_;
  Coverage& coverage_;
  SynchronisesWith order_;
  SharedPages shared_;
  BenignRaces benign_;
  absl::flat_hash_map<std::uint64_t, PageShadow> pages_;
  absl::flat_hash_map<std::uint64_t, absl::InlinedVector<Cell, 2>> granules_; // of pages that go by them
  static constexpr std::size_t kManyCells = 64;
  std::optional<LastWrites> last_writes_; // as soon as a granule has many cells
  std::map<std::pair<Name, Name>, Known> known_;
  std::vector<Finding> findings_;
};

} // namespace

std::vector<Finding> find_memory_model_races(const trace::Trace& trace, Coverage& coverage, const Budget& budget) {
  if (const std::string names = unrecorded_synchronisation(trace); !names.empty()) {
    coverage.undecided_because("races by the memory model: the program used what is not recorded (" + names + ")");
    return {};
  }
  return RaceCheck(trace, budget, coverage).run();
}

} // namespace sooth::predict
