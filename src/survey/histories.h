// Who used a piece of memory, when and how: the history of a granule, as a small number.
//
// Millions of granules have few different histories: "main wrote it, then thread 3 read and wrote it". So histories are
// kept once each and numbered, a granule has only the number, and what one more use makes of a history is looked up in
// a table. Whether a history can constrain another run is decided once for all granules that have it.
// Cost: 4 bytes for a granule; a look into a small cache for each use. A history with more than kMaxSpans spans, and
// every one beyond kMaxHistories, is `kMany`, of which nothing is left out.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <string>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "survey/strong_order.h"

namespace sooth::survey {

enum class UseKind : std::uint8_t {
  Read,
  Write,
  End,   // the object is freed, its mapping or its stack ends
  Begin, // it is allocated, mapped, or a stack begins
};

// One thread's uses of one kind in some epochs from `first` to `last`.
struct Span {
  std::uint32_t thread = 0;
  UseKind kind = UseKind::Read;
  bool fresh = false; // of an object that this thread began in the same epoch
  std::uint32_t first = 0, last = 0;
  friend auto operator<=>(const Span&, const Span&) = default;
};

// Why a piece of memory cannot constrain another run; or that it can.
enum class Verdict : std::uint8_t {
  OneThread, // no other thread uses it
  ReadOnly,  // nobody writes it, nobody ends it
  Ordered,   // several threads use it, and all conflicting uses have the same order in every run
  Constrains,
};

class Histories {
public:
  using Id = std::uint32_t;
  static constexpr Id kUnused = 0;
  static constexpr Id kMany = 1;

  Histories();

  // The number of a use, for after().
  std::uint32_t use(std::uint32_t thread, std::uint32_t epoch, UseKind kind, bool fresh);
  // The history with one more use.
  Id after(Id history, std::uint32_t use) {
    const std::uint64_t key = std::uint64_t{history} << 32 | use;
    Recent& recent = recent_[(key * 0x9e3779b97f4a7c15u) >> (64 - kRecentBits)];
    if (recent.key != key) recent = {key, look_up(key)};
    return recent.result;
  }

  // Once all uses are known. `order` may be asked.
  Verdict verdict(Id history, const StrongOrder& order);

private:
  static constexpr unsigned kRecentBits = 14;
  static constexpr std::size_t kMaxSpans = 48;
  static constexpr std::size_t kMaxSpansOfKind = 4; // of one thread; the nearest two become one
  static constexpr std::size_t kMaxHistories = 1u << 20;

  using Spans = std::vector<Span>; // ascending
  struct Recent {
    std::uint64_t key = ~std::uint64_t{0};
    Id result = kUnused;
  };
  struct Judged {
    bool known = false;
    Verdict verdict = Verdict::Constrains;
  };

  Id look_up(std::uint64_t key);
  Id add(Id history, const Span& use);
  static Verdict judge(const Spans& spans, const StrongOrder& order);

  std::array<Recent, std::size_t{1} << kRecentBits> recent_;
  absl::flat_hash_map<std::uint64_t, Id> after_;
  absl::flat_hash_map<std::string, Id> ids_; // by the bytes of the spans
  std::vector<Spans> histories_;
  std::vector<Judged> judged_;
  std::vector<Span> uses_;
  absl::flat_hash_map<std::uint64_t, std::uint32_t> use_ids_;
};

} // namespace sooth::survey
