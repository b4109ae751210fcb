// Histories: which threads used a granule of memory, when and how, as a small number.
//
// Millions of granules have few different histories, such as "main wrote it, then thread 3 read and
// wrote it". So each history is stored once and numbered, and a granule has only the number. A
// table says which history follows when one more use is added. One verdict, whether a history can
// constrain another run, serves all granules that have it.
// Cost: 4 bytes for a granule; a lookup in a small cache for each use.
// Gives up: a history with more than kMaxSpans spans becomes `kMany`, and so does every one beyond
//   kMaxHistories. Accesses with this history are never left out.
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
  bool fresh = false; // the object was begun by this thread in the same epoch
  std::uint32_t first = 0, last = 0;
  friend auto operator<=>(const Span&, const Span&) = default;
};

// Whether memory can constrain another run; if not, why not.
enum class Verdict : std::uint8_t {
  OneThread, // no other thread uses it
  ReadOnly,  // no thread writes it or ends it
  Ordered,   // several threads use it, and all conflicting uses have the same order in every run
  Constrains,
};

class Histories {
public:
  using Id = std::uint32_t;
  static constexpr Id kUnused = 0;
  static constexpr Id kMany = 1;

  Histories();

  // Numbers a use, for after().
  std::uint32_t use(std::uint32_t thread, std::uint32_t epoch, UseKind kind, bool fresh);
  // The history with one more use.
  Id after(Id history, std::uint32_t use) {
    const std::uint64_t key = std::uint64_t{history} << 32 | use;
    Recent& recent = recent_[(key * 0x9e3779b97f4a7c15u) >> (64 - kRecentBits)];
    if (recent.key != key) recent = {key, look_up(key)};
    return recent.result;
  }

  // Call it only when all uses are known; it may query `order`.
  Verdict verdict(Id history, const StrongOrder& order);

private:
  static constexpr unsigned kRecentBits = 14;
  static constexpr std::size_t kMaxSpans = 48;
  static constexpr std::size_t kMaxSpansOfKind = 4; // of one thread; beyond that, the nearest two are joined
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
