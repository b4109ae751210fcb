// Memory that a thread changes in two critical sections, one behind the other, and that another
// thread looks at in one.
//
//     T1: lock m ; from -= n ; unlock m ; lock m ; to += n ; unlock m
//     T2: lock m ; all = from + to ; unlock m        may come between T1's sections
//
// Question: may there be such places? If not, nobody needs to look for them
//   (predict/atomicity/split_invariants.h, which has the exact rule).
// Where we differ: accesses are told apart by their first address. What other threads can do in
//   between is not looked at; so a yes only means that somebody has to look. Of the sites of a
//   section, or of two writes, the first kOfSites rows of addresses count.
// Cost: for each access, and each lock that its thread holds, a walk over the few accesses that its
//   section has had.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include <absl/container/flat_hash_map.h>
#include <absl/container/inlined_vector.h>

#include "trace/stack.h"

namespace sooth::survey {

class SplitViews {
public:
  using Calls = trace::ActivationStack::Nearest;

  // Events come thread by thread.
  void begin_thread(std::uint32_t thread) {
    end_thread();
    thread_ = thread;
  }
  // The lock was taken or released.
  void begin_section(std::uint64_t lock) {
    const auto open = open_.find(lock);
    if (open == open_.end() || open->second.now.uses.empty()) return;
    end_section(open->second);
    open->second.before = std::exchange(open->second.now, {});
  }
  // Under this lock.
  void see_access(const trace::Event& e, bool writes, bool reads, std::uint64_t lock, const Calls& calls) {
    Section& now = open_[lock].now;
    const auto known = std::ranges::find(now.uses, e.address, &Use::address);
    if (known != now.uses.end()) {
      known->wrote |= writes;
      return;
    }
    if (now.uses.size() < kMostUses) now.uses.push_back({e.address, e.site, writes, reads, calls});
    else now.large = true;
  }

  // After all events were taken.
  bool any() {
    end_thread();
    return std::ranges::any_of(pairs_, [&](const auto& pair) {
      const auto& [both, by] = pair;
      if (by.blind && by.thread == kSeveral) return true; // threads that overwrite each other's halves
      return std::ranges::any_of(views_, [&](const auto& view) {
        const bool other = by.thread == kSeveral || view.second == kSeveral || by.thread != view.second;
        return other && std::ranges::binary_search(view.first, both.first) &&
               std::ranges::binary_search(view.first, both.second);
      });
    });
  }

private:
  static constexpr std::size_t kMostUses = 32, kMostWrites = 8, kOfSites = 8, kMost = 1024;
  static constexpr std::uint32_t kSeveral = 0xffffffff;
  struct Use {
    std::uint64_t address = 0;
    std::uint32_t site = 0;
    bool wrote = false, read = false; // read: before it wrote, or never wrote
    Calls calls = {};
  };
  struct Section {
    absl::InlinedVector<Use, 4> uses = {};
    bool large = false;

    bool has(std::uint64_t address) const { return std::ranges::find(uses, address, &Use::address) != uses.end(); }
    bool is_small() const {
      return !large && std::ranges::count_if(uses, &Use::wrote) <= static_cast<std::ptrdiff_t>(kMostWrites);
    }
  };
  struct Open {
    Section before, now;
  };
  struct By {
    std::uint32_t thread = 0;
    bool blind = true; // nobody looked at what he overwrote
  };

  void end_thread() {
    for (const auto& [lock, open] : open_) end_section(open);
    open_.clear();
  }
  void end_section(const Open& open) {
    if (open.now.uses.size() > 1 && !open.now.large) add_view(open.now);
    if (!open.before.is_small() || !open.now.is_small()) return;
    for (const Use& first : open.before.uses)
      for (const Use& second : open.now.uses)
        if (first.wrote && second.wrote && !open.before.has(second.address) && !open.now.has(first.address) &&
            trace::ActivationStack::common(first.calls, second.calls))
          add_pair(first, second);
  }
  void add_pair(const Use& first, const Use& second) {
    const bool blind = !first.read && !second.read;
    const auto both = std::minmax(first.address, second.address);
    const auto known = pairs_.find(both);
    if (known != pairs_.end()) {
      if (known->second.thread != thread_) known->second.thread = kSeveral;
      known->second.blind &= blind;
    } else if (pairs_.size() < kMost && of_pair_[{first.site, second.site}]++ < kOfSites) {
      pairs_.emplace(both, By{thread_, blind});
    }
  }
  void add_view(const Section& section) {
    absl::InlinedVector<std::uint64_t, 4> addresses;
    absl::InlinedVector<std::uint32_t, 4> sites;
    for (const Use& use : section.uses) {
      addresses.push_back(use.address);
      sites.push_back(use.site);
    }
    std::ranges::sort(addresses);
    const auto known = views_.find(addresses);
    if (known != views_.end()) {
      if (known->second != thread_) known->second = kSeveral;
    } else if (views_.size() < kMost && of_view_[sites]++ < kOfSites) {
      views_.emplace(std::move(addresses), thread_);
    }
  }

  std::uint32_t thread_ = 0;
  absl::flat_hash_map<std::uint64_t, Open> open_; // of the thread, by lock
  absl::flat_hash_map<std::pair<std::uint64_t, std::uint64_t>, By> pairs_;
  absl::flat_hash_map<absl::InlinedVector<std::uint64_t, 4>, std::uint32_t> views_; // to the thread
  absl::flat_hash_map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> of_pair_;
  absl::flat_hash_map<absl::InlinedVector<std::uint32_t, 4>, std::size_t> of_view_;
};

} // namespace sooth::survey
