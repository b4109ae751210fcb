// Histories: which threads used a granule of memory, when and how, as a small number.
//
// Millions of granules have few different histories, such as "main wrote it, then thread 3 read and
// wrote it". So each history is stored once and numbered, and a granule has only the number. A
// table says which history follows when one more use is added. One verdict, whether a history can
// constrain another run, serves all granules that have it.
// Cost: 4 bytes for a granule; a lookup in a small cache for each use.
// A use under locks keeps the set of locks. Where one thread has many different ones, it keeps what
// they have in common: fewer locks only make more seem possible.
// Gives up: a history with more than kMaxSpans spans becomes `kMany`, and so does every one beyond
//   kMaxHistories. Accesses with this history are never left out.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <string>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "survey/lock_sets.h"
#include "survey/strong_order.h"

namespace sooth::survey {

enum class UseKind : std::uint8_t {
  Read,
  Write,
  End,   // the object is freed, its mapping or its stack ends
  Begin, // it is allocated, mapped, or a stack begins
  // A lock is there. These do not constrain runs: the lock's own events do.
  Lock,    // it is taken or given up
  Destroy, // it is destroyed
  Init,    // it is initialised
};

// One thread's uses of one kind in some epochs from `first` to `last`.
struct Span {
  std::uint32_t thread = 0;
  UseKind kind = UseKind::Read;
  bool fresh = false;  // the object was begun by this thread in the same epoch
  bool atomic = false; // an atomic access
  std::uint32_t first = 0, last = 0;
  LockSets::Id locks = LockSets::kNone; // held at each of these uses; only of accesses
  friend auto operator<=>(const Span&, const Span&) = default;
};

// Whether memory can constrain another run; if not, why not.
enum class Verdict : std::uint8_t {
  OneThread, // no other thread uses it
  ReadOnly,  // no thread writes it or ends it
  Ordered,   // several threads use it, and all conflicting uses have the same order in every run
  Constrains,
};

// What a history may be about, if anything.
struct Suspicions {
  Verdict verdict = Verdict::Constrains;
  bool race = true;   // two accesses conflict, and neither order nor a lock keeps them apart; or a lock is
                      // initialised, and no order keeps that and another thread's use apart
  bool memory = true; // a use may come after the end of the object, or of the lock, in some run
};

class Histories {
public:
  using Id = std::uint32_t;
  static constexpr Id kUnused = 0;
  static constexpr Id kMany = 1;

  explicit Histories(LockSets& locks);

  // Numbers a use in one epoch, for after().
  std::uint32_t use(const Span& use);
  // The history with one more use.
  Id after(Id history, std::uint32_t use) {
    const std::uint64_t key = std::uint64_t{history} << 32 | use;
    Recent& recent = recent_[(key * 0x9e3779b97f4a7c15u) >> (64 - kRecentBits)];
    if (recent.key != key) recent = {key, look_up(key)};
    return recent.result;
  }

  // Call it only when all uses are known; it may query `order`.
  const Suspicions& judge(Id history, const StrongOrder& order);
  // In every run, all uses of the lock come after all beginnings of objects there: one object.
  bool is_one_lock(Id history, const StrongOrder& order) const;
  const std::vector<Span>& spans(Id history) const { return histories_[history]; }

private:
  static constexpr unsigned kRecentBits = 14;
  static constexpr std::size_t kMaxSpans = 64;
  static constexpr std::size_t kMaxSpansOfKind = 6; // of one thread; beyond that, the nearest two are joined
  static constexpr std::size_t kMaxHistories = 1u << 20;

  using Spans = std::vector<Span>; // ascending
  struct Recent {
    std::uint64_t key = ~std::uint64_t{0};
    Id result = kUnused;
  };
  struct Judged {
    bool known = false;
    Suspicions suspicions;
  };

  Id look_up(std::uint64_t key);
  Id add(Id history, const Span& use);
  static Verdict verdict(const Spans& spans, const StrongOrder& order);
  bool may_race(const Spans& spans, const StrongOrder& order) const;
  void join_nearest(Spans& spans, const Span& use);

  LockSets& locks_;
  std::array<Recent, std::size_t{1} << kRecentBits> recent_;
  absl::flat_hash_map<std::uint64_t, Id> after_;
  absl::flat_hash_map<std::string, Id> ids_; // by the bytes of the spans
  std::vector<Spans> histories_;
  std::vector<Judged> judged_;
  std::vector<Span> uses_;
  absl::flat_hash_map<std::string, std::uint32_t> use_ids_; // by the bytes of the span
};

} // namespace sooth::survey
