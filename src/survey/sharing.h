// The sieve of memory that cannot constrain another run.
//
// Question: which accesses may be left out of a trace without changing the predictions?
//
//     main: a[0] = 1 ; fork T ; b = 1 ; join T ; print a[0]
//     T:                        a[0] = 2
//
//     Only main uses b. Every run writes a[0] in main, then in T, and then reads it in main. So
//     neither can be in a race, and no other order of these accesses is possible.
//
// The sieve looks at memory in granules of 8 bytes. An access may be left out if each granule that
// it touches
//   1. is used by one thread only, or
//   2. is never written and never freed while recorded, or
//   3. is used by several threads, and fork and join alone give all conflicting uses the same order
//      in every run.
// Allocating or freeing memory counts as a use of all of it: no thread uses an object before it
// exists. It is *not* enough that an object is always accessed under one lock: its values still
// decide which of two critical sections can come first.
//
// Why the result is right. Take any run of the reduced trace. Put each omitted access directly
// behind the event before it in its thread. By 1 no other thread touches its granules; by 2 they
// never change; by 3 the conflicting accesses stand on the same side of it as in the recorded run,
// because forks and joins do. So it sees the value that it saw. And no finding is about an omitted
// access: two conflicting ones are always ordered, and a use after the end of an object's life is
// kept (see below). So every run of the reduced trace is a run of the whole trace without the
// omitted accesses.
//
// Kept all the same:
//   - atomic operations, and all accesses of granules that have some: findings depend on their
//     orders, and memory that looks private may be shared with code that is not recorded;
//   - ranges above 64 KiB, whose contents are not recorded: single events, which cost little;
//   - accesses of at most 8 bytes across the border of two granules, so that no value is cut;
//   - uses of freed memory: by the freeing thread, or strongly after the end without a new
//     beginning in between;
//   - memory that signal handlers access: the thread that they interrupt may race with them;
//   - each thread's first access of each page through a variable on its own frame: these show which
//     stacks a thread uses;
//   - in traces with atomic blocks, memory of case 3: a block may break around threads that it
//     creates;
//   - memory of cases 2 and 3 that code without hooks has changed. A second pass compares each read
//     with the writes, and another pass keeps the memory that does not fit. So the change stays an
//     external write, with its consequences.
// Memory of case 1 is not compared: no other thread can notice a change.
//
// Cost: two page lookups and one history lookup for each access, and 4.2 bytes for each 8 bytes
//   that are used. A range costs as much for each page that it touches, if the same thread has
//   touched these bytes before or all of the page has one verdict.
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
#include <absl/container/node_hash_map.h>

#include "survey/histories.h"
#include "survey/known_values.h"
#include "survey/requests.h"
#include "survey/sections.h"
#include "survey/settled.h"
#include "survey/split_stores.h"
#include "survey/strong_order.h"
#include "trace/program/unmade_waits.h"
#include "trace/sieve.h"

namespace sooth::survey {

class Sharing : public trace::Sieve {
public:
  // `blocks`: the user named atomic functions, so treat the trace as one with atomic blocks.
  explicit Sharing(bool blocks = false) : has_blocks_(blocks) {}

  // False for a trace with static facts: there other events may depend on private accesses.
  bool begin(const trace::Trace& trace) override;
  void survey(const trace::Event& event) override;
  void surveyed() override;
  std::uint64_t handed_over() const override;
  bool is_private(const trace::Event& access) const override;
  void kept_parts(const trace::Event& access, std::vector<trace::KeptPart>& parts) const override;
  void passes(const trace::Event& event, std::span<const std::uint8_t> bytes) override;
  bool wants_another_pass() override;

  // Kinds of findings that no run has (settled.h). All false before the survey is complete.
  const Settled& settled() const { return settled_; }
  // The trace came straight from the runtime. One that was written by a tool may be illegal, and is
  // verified before anything is said about it.
  bool is_from_the_runtime() const { return from_runtime_; }

private:
  static constexpr unsigned kGranuleBits = 3, kPageBits = 12;
  static constexpr std::size_t kGranules = std::size_t{1} << (kPageBits - kGranuleBits);
  static constexpr std::uint32_t kKept = 1u << 31, kHistory = kKept - 1;
  static constexpr unsigned kMaxPasses = 3; // after these, only memory of one thread is left out

  struct Marked {
    std::uint32_t use = 0xffffffff;
    std::uint16_t from = 0, to = 0;
    bool kept = false; // so are all these granules
  };
  static constexpr std::uint32_t kMixed = 0xff;
  struct Page {
    // First pass: history, kKept. Then: Verdict.
    std::array<std::uint32_t, kGranules> granules{};
    std::bitset<kGranules> fresh; // begun by the thread `fresh_of` in its epoch `fresh_epoch`
    std::bitset<kGranules> dead;  // freed by the thread `dead_of`, and not begun by it since
    std::uint32_t fresh_of = 0, fresh_epoch = 0, dead_of = 0;
    // The granules that the last reads and writes marked. A use that was added once is in a
    // granule's history for good, so the same use of the same granules changes nothing, as long as
    // no object begins or ends here.
    std::array<Marked, 2> marked{};
    // After the first pass: the verdict of all granules, or kMixed.
    std::uint32_t all = kMixed;
  };
  struct LargeUse {
    std::uint64_t address, bytes;
    std::uint32_t thread, epoch;
    UseKind kind;
    friend auto operator<=>(const LargeUse&, const LargeUse&) = default;
  };
  struct DeadRange { // a range too large to be marked granule by granule
    std::uint64_t end;
  };

  Page* find(std::uint64_t number) const;
  Page& page(std::uint64_t number);
  template <typename F>
  void each_page(std::uint64_t address, std::uint64_t bytes, F&& f);
  template <typename F>
  void each_granule(std::uint64_t address, std::uint64_t bytes, F&& f);
  template <typename F>
  void each_known_granule(std::uint64_t address, std::uint64_t bytes, F&& f);
  void add(std::uint32_t& granule, std::uint32_t use);
  void use(const trace::Event& access);
  void begin_object(const trace::Event& e);
  void end_object(const trace::Event& e);
  std::uint32_t use_number(std::uint32_t thread, UseKind kind, bool fresh, bool atomic = false);
  void use_lock(const trace::Event& e, std::uint64_t lock, UseKind kind);
  void distrust_locks();
  bool looks_at_changes();
  bool constrains(std::uint64_t granule);
  void destroy_primitive(const trace::Event& e);
  void initialise_primitive(const trace::Event& e);
  void see_descriptor(const trace::Event& e);
  bool descriptors_are_ordered() const;
  bool large_uses_conflict() const;
  bool is_first_of_frame(const trace::Event& access);
  template <typename F>
  void each_verdict(const trace::Event& access, F&& f) const;

  std::vector<std::uint8_t> own_frame_;        // by site
  std::vector<std::uint8_t> is_check_;         // by site: a load that decides whether the program fails
  absl::flat_hash_set<std::uint64_t> checked_; // granules that such loads saw
  std::uint32_t handlers_ = 0;                 // signal handlers that the present thread is in
  LockSets locks_;
  Requests requests_;
  SplitStores stores_;
  Sections sections_;
  trace::UnmadeWaits waits_;
  Histories histories_{locks_};
  StrongOrder order_;
  absl::flat_hash_map<std::uint64_t, std::unique_ptr<Page>> pages_;
  mutable std::uint64_t last_number_ = ~std::uint64_t{0}; // most accesses are near the previous one
  mutable Page* last_page_ = nullptr;
  // Numbers of uses, by thread, epoch and locks held; kUnknown: not asked for yet.
  using UseNumbers = std::array<std::uint32_t, 32>;
  struct UseKey {
    std::uint32_t thread = 0xffffffff, epoch = 0;
    LockSets::Id locks = LockSets::kNone;
    friend bool operator==(const UseKey&, const UseKey&) = default;
    template <typename H>
    friend H AbslHashValue(H h, const UseKey& key) {
      return H::combine(std::move(h), key.thread, key.epoch, key.locks);
    }
  };
  absl::node_hash_map<UseKey, UseNumbers> use_numbers_;
  UseKey use_key_; // the present one
  UseNumbers* present_ = nullptr;
  absl::btree_map<std::uint64_t, DeadRange> large_dead_; // of the thread `large_dead_of_`
  std::uint32_t large_dead_of_ = 0;
  absl::btree_set<LargeUse> large_uses_;          // sorted, so that results are deterministic
  absl::btree_set<LargeUse> large_begins_;        // of objects
  absl::btree_set<std::uint64_t> created_, kept_; // threads; joined or detached
  absl::btree_map<std::uint64_t, absl::btree_set<Moment>> fd_uses_, fd_closes_; // by descriptor
  absl::flat_hash_set<std::uint64_t> destroyed_; // primitives, by the thread `destroyed_of_`, not begun since
  std::uint32_t destroyed_of_ = 0;
  bool used_dead_ = false; // a thread used or freed what it had freed itself
  bool odd_ = false;       // there are events that the rules of settled.h do not know
  Settled settled_;
  absl::flat_hash_set<std::uint64_t> frame_pages_;
  struct HandOver { // by its tag: who gave a block, and who took it
    std::uint64_t block = 0;
    Moment given;
    std::vector<Moment> taken;
  };
  absl::flat_hash_map<std::uint64_t, HandOver> hand_overs_;
  std::uint64_t left_ = 0; // the last block that an owner left
  bool has_blocks_;
  bool values_recorded_ = true;
  bool from_runtime_ = false;
  bool ended_ = false; // the recorded run, by itself

  KnownValues values_;
  unsigned passes_ = 0;
  std::vector<std::uint64_t> changed_; // omitted granules in which a read saw an unexpected value
};

} // namespace sooth::survey
