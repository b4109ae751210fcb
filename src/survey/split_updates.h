// Updates that are split: memory that a thread reads in one critical section, and writes in a later
// one, where it does not look at it again.
//
//     lock m ; b = balance ; unlock m ; lock m ; balance = b + 1 ; unlock m
//     Another thread's update in between is lost. No access races, so nothing else notices.
//
// Question: which such places are there, and is it certain that they are to be suggested as blocks
//   that were meant to be atomic? predict/atomicity/unmarked_blocks.h has the exact rule. If all
//   are certain, their number is known, and no engine has to look for them.
// Certain: another thread makes the same read, of the same bytes in the same place of the source,
//   under some lock, and creation and joining put it neither before the first nor behind the last
//   access. This is the rule's second part, which asks nothing about runs.
// Where we differ: places that are not certain are open if their memory can constrain a run, even
//   if nobody writes it in between. So is memory that is accessed in parts under locks. Of each
//   place, the first kMostOfPlace in each thread are compared with what later threads read.
// Cost: 36 bytes for each granule that the present thread has read under a lock, and a few
//   comparisons for each of its accesses there; 36 bytes for each access whose reads are still
//   remembered. Beyond the limits below, everything is open, and nothing is kept any more.
#pragma once

#include <algorithm>
#include <array>
#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <absl/container/btree_set.h>
#include <absl/container/flat_hash_map.h>
#include <absl/container/inlined_vector.h>

#include "survey/requests.h"
#include "survey/settled.h"
#include "survey/strong_order.h"
#include "trace/split_reads.h"
#include "trace/stack.h"

namespace sooth::survey {

class SplitUpdates {
public:
  void begin(const trace::Trace& trace); // it has its sites
  // Events come thread by thread.
  void begin_thread();
  // Under some lock, in these calls. `access.size` is not 0.
  void see_access(const trace::Event& access, Moment moment, const Requests& requests, const LockSets& sets,
                  const trace::ActivationStack& calls) {
    if (!gave_up_) see({access, moment, requests, sets, calls});
  }

  // Such an access comes soon: gets what see_access() will look at into the cache.
  void expect(std::uint64_t address) const {
    const auto page = pages_.find(address >> kPageBits);
    if (page != pages_.end()) __builtin_prefetch(&(*page->second)[(address >> kGranuleBits) % std::tuple_size_v<Page>]);
  }

  // After all events were taken. `constrains(granule)`: it can constrain a run.
  template <typename Constrains>
  void finish(const StrongOrder& order, Constrains&& constrains) {
    const bool tree = order.is_tree();
    for (const auto& [lines, place] : places_) {
      const bool told = tree && is_certain(place, order);
      if (told) certain_.push_back(place.at);
      open_ |= !told && (place.memory.size() == kMostMemory || std::ranges::any_of(place.memory, constrains));
    }
  }
  bool any() const { return gave_up_ || open_ || !certain_.empty(); }
  bool open() const { return gave_up_ || open_; } // somebody has to look
  const std::vector<SplitUpdate>& certain() const { return certain_; }

private:
  static constexpr std::size_t kMostMemory = 256, kMostPlaces = 1024, kMostPages = 1 << 14, kFewestReads = 1 << 16;
  static constexpr unsigned kMostOfPlace = 8, kMostSame = 16, kGranuleBits = 3, kPageBits = 9;

  static constexpr std::uint32_t kNotYet = 0xffffffff;

  struct Access {
    const trace::Event& event;
    Moment moment;
    const Requests& requests;
    const LockSets& sets;
    const trace::ActivationStack& calls;
  };
  struct Read {
    std::uint32_t changes = 0; // of the thread's locks, until then
    LockSets::Id locks = LockSets::kNone;
    std::uint32_t site = 0;
    std::uint32_t epoch = 0;
    bool merged = false;
    trace::ActivationStack::Nearest calls;
  };
  // With the number of changes, which decides nearly always: `reads_` is seldom in the cache.
  struct Remembered {
    std::uint32_t read = 0;    // index into reads_
    std::uint32_t changes = 0; // as reads_[read].changes
  };
  struct Granule {
    std::uint8_t from = 0, to = 0; // of all accesses; 0, 0: they differ
    trace::SplitReads<Remembered> reads;
  };
  using Page = std::array<std::optional<Granule>, std::size_t{1} << (kPageBits - kGranuleBits)>;
  struct Lines { // of the source: the function, the read, the write
    std::string_view function;
    std::uint32_t read = 0, write = 0;
    friend auto operator<=>(const Lines&, const Lines&) = default;
  };
  struct Same { // another thread's read, and the first and the last access that it may come between
    Moment first, last, read;
  };
  struct Place {
    absl::btree_set<std::uint64_t> memory;
    std::vector<Same> same;
    std::uint32_t thread = 0xffffffff;
    unsigned of_thread = 0;
    SplitUpdate at;
  };
  struct Wanted {
    Place* place = nullptr;
    std::uint8_t from = 0, to = 0; // in the granule
    Moment first, last;
  };

  void see(const Access& access);
  void see_granule(const Access& access, std::uint64_t number, std::optional<Granule>& granule);
  bool is_wanted(std::uint32_t site);
  void compare(const Access& access, std::uint64_t granule);
  void split(const Access& access, std::uint64_t granule, const Read& first);
  // That has both accesses, or calls what has them; `around`: the site of the activation that does.
  std::string_view function_of(std::uint32_t read, std::uint32_t write, std::uint32_t around) const;
  Page* page(std::uint64_t number, bool make);
  Remembered now(const Access& access);
  void forget_reads();
  Place* place(const Lines& lines);
  static bool is_certain(const Place& place, const StrongOrder& order);
  std::uint32_t line(std::uint32_t site) const { return site < lines_.size() ? lines_[site] : 0; }

  const trace::Trace* trace_ = nullptr; // its sites
  std::vector<std::uint32_t> lines_;    // by site, equal ones with one number
  // Of the present thread.
  absl::flat_hash_map<std::uint64_t, std::unique_ptr<Page>> pages_;
  std::vector<Read> reads_;
  std::size_t most_reads_ = kFewestReads; // before those that no granule has any more are forgotten
  std::uint32_t now_ = kNotYet;           // of the present access

  std::map<Lines, Place> places_;
  absl::flat_hash_map<std::pair<std::uint64_t, std::uint32_t>, std::vector<Wanted>> wanted_; // by granule and site
  // By site: the places that its reads may still make certain. Empty before there is any; the last
  // one is of all sites that the trace does not know.
  using Places = absl::InlinedVector<const Place*, 1>;
  Places& wanted_by(std::uint32_t site) { return wanted_by_[std::min<std::size_t>(site, lines_.size())]; }
  std::vector<Places> wanted_by_;
  bool gave_up_ = false, open_ = false;
  std::vector<SplitUpdate> certain_;
};

} // namespace sooth::survey
