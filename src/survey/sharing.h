// The sieve of memory that cannot constrain another run.
//
// Question: which accesses may be left out of a trace without changing what can be predicted from the rest?
//
//     main: a[0] = 1 ; fork T ; b = 1 ; join T ; print a[0]          b is main's alone, a[0] is always written by main,
//     T:                        a[0] = 2                             then by T, then read by main: neither can be in a
//                                                                    race, and no other order of them is possible.
//
// Memory is looked at in granules of 8 bytes. An access may be left out if each granule that it touches
//   1. is used by one thread only, or
//   2. is written by nobody and freed by nobody while recorded, or
//   3. is used by several threads, and all conflicting uses have the same order in every run, by fork and join alone.
// To allocate memory and to free it is to use all of it: nobody uses an object before it is there. That an object is always accessed under one lock is *not* enough: its values still
// decide which of two critical sections can come first.
//
// Why nothing becomes wrong. In every run of the reduced trace, put each access that was left out directly behind its
// thread's event before it. By 1 nobody else touches its granules; by 2 they never change; by 3 the accesses that conflict
// with it stand on the same side of it as in the recorded run, because creation and joining do. So it sees what it saw.
// And no finding is about such an access: two conflicting ones are always ordered, and a use after the end of an object's
// life is kept (see below). So every run of the reduced trace is one of the whole trace, without its private accesses.
//
// Kept all the same:
//   - atomic operations, and all accesses of granules that have some: their orders are findings' business, and what
//     looks private may be shared with code that is not recorded;
//   - ranges above 64 KiB, whose contents are not recorded: they are single events, and cost little;
//   - accesses of at most 8 bytes across the border of two granules, so that no value is cut in two;
//   - uses of freed memory: by the freeing thread, or strongly after the end without a new beginning in between;
//   - the first access of each page by each thread of variables on its own frame: they tell which stacks a thread uses;
//   - in traces with atomic blocks, memory of the third kind: a block may break around threads that it creates;
//   - memory of the second and third kind that code without hooks has changed: a second pass compares what was read with
//     what was written, and whatever does not fit is kept in another one. So it stays an external write, with its
//     consequences.
// Memory of the first kind is not compared: nobody else can tell.
//
// Cost: two lookups of a page and one of a history for each access, and 4.2 bytes for each 8 bytes that are used.
#pragma once

#include <array>
#include <bitset>
#include <compare>
#include <cstdint>
#include <memory>
#include <vector>

#include <absl/container/btree_map.h>
#include <absl/container/btree_set.h>
#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include "survey/histories.h"
#include "survey/known_values.h"
#include "survey/strong_order.h"
#include "trace/sieve.h"

namespace sooth::survey {

class Sharing : public trace::Sieve {
public:
  // `blocks`: functions are meant to be atomic, whatever the trace says.
  explicit Sharing(bool blocks = false) : has_blocks_(blocks) {}

  // False for a trace with static facts: there private accesses tell what others depend on.
  bool begin(const trace::Trace& trace) override;
  void survey(const trace::Event& event) override;
  void surveyed() override;
  bool is_private(const trace::Event& access) const override;
  void kept_parts(const trace::Event& access, std::vector<trace::KeptPart>& parts) const override;
  void passes(const trace::Event& event, std::span<const std::uint8_t> bytes) override;
  bool wants_another_pass() override;

private:
  static constexpr unsigned kGranuleBits = 3, kPageBits = 12;
  static constexpr std::size_t kGranules = std::size_t{1} << (kPageBits - kGranuleBits);
  static constexpr std::uint32_t kKept = 1u << 31, kHistory = kKept - 1;
  static constexpr unsigned kMaxPasses = 3; // then only what one thread uses is left out

  struct Page {
    // First pass: history, kKept. Then: Verdict.
    std::array<std::uint32_t, kGranules> granules{};
    std::bitset<kGranules> fresh; // begun by the thread `fresh_of` in its epoch `fresh_epoch`
    std::bitset<kGranules> dead;  // freed by the thread `dead_of`, and not begun by it since
    std::uint32_t fresh_of = 0, fresh_epoch = 0, dead_of = 0;
  };
  struct LargeUse {
    std::uint64_t address, bytes;
    std::uint32_t thread, epoch;
    UseKind kind;
    friend auto operator<=>(const LargeUse&, const LargeUse&) = default;
  };
  struct DeadRange { // larger than what is marked granule by granule
    std::uint64_t end;
  };

  Page* find(std::uint64_t number) const;
  Page& page(std::uint64_t number);
  template <typename F>
  void each_granule(std::uint64_t address, std::uint64_t bytes, F&& f);
  template <typename F>
  void each_known_granule(std::uint64_t address, std::uint64_t bytes, F&& f);
  void add(std::uint32_t& granule, std::uint32_t use);
  void use(const trace::Event& access);
  void begin_object(const trace::Event& e);
  void end_object(const trace::Event& e);
  std::uint32_t use_number(std::uint32_t thread, UseKind kind, bool fresh);
  bool is_first_of_frame(const trace::Event& access);
  Verdict verdict(std::uint64_t granule) const;

  std::vector<std::uint8_t> own_frame_; // by site
  Histories histories_;
  StrongOrder order_;
  absl::flat_hash_map<std::uint64_t, std::unique_ptr<Page>> pages_;
  mutable std::uint64_t last_number_ = ~std::uint64_t{0}; // most accesses are near the one before
  mutable Page* last_page_ = nullptr;
  std::uint32_t use_thread_ = 0xffffffff, use_epoch_ = 0; // what use_numbers_ is of
  std::array<std::uint32_t, 8> use_numbers_{};
  absl::btree_map<std::uint64_t, DeadRange> large_dead_; // of the thread `large_dead_of_`
  std::uint32_t large_dead_of_ = 0;
  absl::btree_set<LargeUse> large_uses_; // in an order: answers are the same every time
  absl::flat_hash_set<std::uint64_t> frame_pages_;
  bool has_blocks_;
  bool values_recorded_ = true;

  KnownValues values_;
  unsigned passes_ = 0;
  std::vector<std::uint64_t> changed_; // granules of left-out memory that did not hold what was expected
};

} // namespace sooth::survey
