#include "predict/memory/unordered_frees.h"

#include <algorithm>
#include <map>
#include <tuple>

#include <absl/container/btree_map.h>
#include <absl/container/inlined_vector.h>

#include "base/address_ranges.h"
#include "predict/memory/stale_pointers.h"
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
using witness::Role;

class UnorderedFrees {
public:
  UnorderedFrees(const trace::Trace& trace, const std::vector<const Finding*>& known, Coverage& coverage,
                 const Budget& budget)
      : trace_(trace), coverage_(coverage), budget_(budget), order_(trace), benign_(trace) {
    for (const Finding* finding : known)
      if (finding->kind == witness::FindingKind::UseAfterFree && finding->places.size() >= 2)
        told_.try_emplace(names(finding->places[0].event, finding->places[1].event), kElsewhere);
  }

  std::vector<Finding> run() {
    for (std::uint32_t i = 0; i < trace_.events.size(); ++i) {
      if (const char* spent = i % 1024 == 0 ? budget_.spent() : nullptr) {
        coverage_.undecided_because(spent);
        break;
      }
      const Event& e = trace_.events[i];
      order_.arrive(e);
      if (e.kind == EventKind::Alloc) begin(e);
      else if (e.kind == EventKind::Free) end(i);
      else if (is_single_access(e)) touch(i);
      order_.depart(e);
    }
    return std::move(findings_);
  }

private:
  static constexpr std::size_t kElsewhere = ~std::size_t{0};
  struct Touch {
    std::uint32_t thread = 0;
    bool atomic = false;
    SharedCounts::Count piece = 0; // of its thread
    std::uint32_t event = 0;
  };
  struct Block {
    std::uint64_t end = 0; // address behind it
    absl::InlinedVector<Touch, 2> touches;
  };

  void begin(const Event& e) {
    if (e.value == 0 || e.value > ~e.address) return;
    erase_overlapping(blocks_, e.address, e.address + e.value);
    blocks_[e.address] = {e.address + e.value, {}};
  }

  void touch(std::uint32_t index) {
    const Event& e = trace_.events[index];
    const Touch now{e.thread, trace::is_atomic(e.kind), order_.piece(e.thread), index};
    for (auto it = first_overlapping(blocks_, e.address); it != blocks_.end() && it->first < e.address + e.size; ++it) {
      const auto same = std::ranges::find_if(it->second.touches, [&](const Touch& touch) {
        return touch.thread == now.thread && touch.atomic == now.atomic;
      });
      if (same != it->second.touches.end()) *same = now;
      else it->second.touches.push_back(now);
    }
  }

  void end(std::uint32_t index) {
    const Event& e = trace_.events[index];
    const auto it = blocks_.find(e.address);
    if (it == blocks_.end()) return;
    const Block block = std::move(it->second);
    blocks_.erase(it);
    if (freed_inside_library(trace_, e)) return;
    for (const bool atomic : {false, true}) // the plain access says more than that of the counter
      for (const Touch& touch : block.touches)
        if (touch.thread != e.thread && touch.atomic == atomic && touch.piece > order_.clock(e.thread)[touch.thread]) {
          tell(touch.event, index);
          return;
        }
  }

  SiteName name(std::uint32_t event) const { return site_name(trace_.events[event]); }
  std::pair<SiteName, SiteName> names(std::uint32_t use, std::uint32_t free) const { return {name(use), name(free)}; }

  void tell(std::uint32_t use, std::uint32_t free) {
    if (benign_.ignores(use) || benign_.ignores(free)) return;
    const auto [it, fresh] = told_.try_emplace(names(use, free), findings_.size());
    if (!fresh) {
      if (it->second != kElsewhere) ++findings_[it->second].count;
      return;
    }
    ++coverage_.candidates;
    Finding finding;
    finding.kind = witness::FindingKind::UseAfterFree;
    finding.status = witness::Status::Observed;
    finding.model = witness::Model::HappensBefore;
    finding.engine = "memory-model";
    finding.places = {{use, Role::Use}, {free, Role::Free}};
    finding.witness.observed = std::size_t{free} + 1;
    finding.note = "By the memory model nothing orders the access before the free: relaxed operations do not.";
    findings_.push_back(std::move(finding));
  }

  const trace::Trace& trace_;
  Coverage& coverage_;
  const Budget& budget_;
  SynchronisesWith order_;
  BenignRaces benign_;
  absl::btree_map<std::uint64_t, Block> blocks_;              // by first address; they do not overlap
  std::map<std::pair<SiteName, SiteName>, std::size_t> told_; // index of the finding
  std::vector<Finding> findings_;
};

} // namespace

std::vector<Finding> find_unordered_frees(const trace::Trace& trace, const std::vector<const Finding*>& known,
                                          Coverage& coverage, const Budget& budget) {
  if (const std::string names = unrecorded_synchronisation(trace); !names.empty()) {
    coverage.undecided_because("frees by the memory model: the program used what is not recorded (" + names + ")");
    return {};
  }
  return UnorderedFrees(trace, known, coverage, budget).run();
}

} // namespace sooth::predict
