// Memory after the events so far, byte by byte, and its history: the last million changes.
//
//     position   0 write x = 1     1 write y = 5     2 write x = 2     now
//     read x = 2 fits now; read x = 1 fits at slots 1 and 2: after the first write, before the last
//
// Question: does a read fit memory now, and if not, where before now would it have fitted?
// Source: none; an undo log over a table of granules of 8 bytes.
// Where we differ: bytes that were never written nor read are unknown, not zero. Their first read
//   defines them, for all the time since the object began.
// Cost: a hash lookup for each granule touched; a search walks only the changes of the granules it
//   asks for.
// Gives up: changes older than the log are forgotten, and a search stops after kMaxSearch changes.
//
// A place in the order is a slot: slot s is directly before the event at position s.
#pragma once

#include <absl/container/btree_map.h>
#include <absl/container/btree_set.h>
#include <absl/container/flat_hash_map.h>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "trace/contents.h"

namespace sooth::trace {

class MemoryHistory {
public:
  MemoryHistory();
  ~MemoryHistory();

  // Every byte that is known and is in `seen` is the same.
  bool fits(std::uint64_t address, const Contents& seen);
  // The event at `position` is a fitting read: bytes that were unknown are known now.
  void define(std::uint64_t address, const Contents& seen, std::uint64_t position);
  // The event at `position` wrote.
  void write(std::uint64_t address, const Contents& written, std::uint64_t position);
  // The event at `position` began or ended an object: its bytes are unknown, or zero.
  void reset(std::uint64_t address, std::uint64_t size, bool zero, std::uint64_t position);

  // The latest slot before now, and not before `floor`, at which the read fits.
  std::optional<std::uint64_t> latest_fit(std::uint64_t address, const Contents& seen, std::uint64_t floor);
  // A read was put at a slot that latest_fit or fits_at accepted: unknown bytes there are known
  // now.
  void define_at(std::uint64_t address, const Contents& seen, std::uint64_t slot);
  bool fits_at(std::uint64_t address, const Contents& seen, std::uint64_t slot);

  // The byte now: its value, or -1 if unknown.
  int byte(std::uint64_t address);

  // The position of the change that gave the first byte that does not fit a value for one that
  // does; none if another change would have to be undone, too.
  std::optional<std::uint64_t> wrong_change(std::uint64_t address, const Contents& seen);
  // Undoes the write at `position`, if it was the last change of all its bytes. False, with nothing
  // changed, if it was not, or if the log does not reach back so far.
  bool take_back(std::uint64_t address, std::uint64_t size, std::uint64_t position);

private:
  static constexpr unsigned kBlockShift = 9;
  static constexpr std::uint64_t kBlockBytes = 1u << kBlockShift;
  static constexpr unsigned kGranules = kBlockBytes / 8;
  static constexpr std::uint32_t kLogSize = 1u << 20;
  static constexpr unsigned kMaxSearch = 1024;
  static constexpr std::uint64_t kLargeRange = 4096; // longer ranges go by blocks

  struct Block {
    std::array<std::uint64_t, kGranules> bytes;
    std::array<std::uint32_t, kGranules> last; // number of the granule's last change in the log; 0: none
    std::array<std::uint8_t, kGranules> known; // one bit a byte
    std::uint64_t born;                        // slots before this one say nothing
  };
  struct Change {
    std::uint64_t granule;
    std::uint64_t position;
    std::uint64_t old_bytes;
    std::uint32_t number;
    std::uint32_t previous; // the granule's change before this one
    std::uint8_t mask;      // which bytes changed
    std::uint8_t old_known;
  };
  // The contents of a block that no event has touched yet.
  struct Background {
    std::uint64_t end; // block number
    std::uint64_t since;
    bool known;
    std::uint8_t byte;
  };
  Block& block_at(std::uint64_t number);
  Block* find_block(std::uint64_t number);
  Background background_of(std::uint64_t number) const;
  void set_background(std::uint64_t first, std::uint64_t end, const Background& what);
  template <typename Edge>
  void set_blocks(std::uint64_t address, std::uint64_t size, const Background& what, Edge&& edge);
  void set_range(std::uint64_t address, std::uint64_t size, bool known, std::uint8_t byte, std::uint64_t position);
  bool large_fits(std::uint64_t address, const Contents& seen);
  void change(std::uint64_t granule, std::uint8_t mask, std::uint64_t word, bool known, std::uint64_t position);
  Change* change_number(std::uint32_t number, std::uint64_t granule);
  // Collects the changes of the range at or after slot `floor` into steps_, latest first. Returns
  // the earliest slot for which they are complete.
  std::uint64_t collect_steps(std::uint64_t address, std::uint64_t size, std::uint64_t floor);

  template <typename F>
  static void each_granule(std::uint64_t address, std::uint64_t size, F&& f);

  absl::flat_hash_map<std::uint64_t, std::unique_ptr<Block>> blocks_;
  absl::btree_set<std::uint64_t> block_numbers_; // of blocks_, for ranges
  absl::btree_map<std::uint64_t, Background> background_;
  std::vector<Change> log_; // a ring: change number n is at n % kLogSize
  std::uint32_t next_number_ = 1;
  std::uint64_t cached_number_ = ~std::uint64_t{0};
  Block* cached_ = nullptr;
  std::vector<Change*> steps_;            // scratch of collect_steps
  std::uint64_t large_budget_ = 1u << 26; // blocks that large reads may still look at
};

} // namespace sooth::trace
