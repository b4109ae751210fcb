// The bytes of memory, as the trace gives them. A byte may be unknown.
//
// Pages hold single bytes. Large ranges of one byte value (a fresh mapping of a gigabyte is all
// zeros) stand in `fills_`, by page, until an access touches a page. Every operation costs in
// proportion to the existing pages, never to the addresses in between.
//
// Copies share their pages until one of them changes a page.
// Invariant: a page number is in `pages_` or inside one range of `fills_`, or in neither (unknown),
//   never in both.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include <absl/container/btree_map.h>

namespace sooth::trace::legality {

class ShadowMemory {
public:
  struct Difference {
    std::uint64_t address;
    std::uint8_t held;
    std::uint8_t seen;
  };

  ShadowMemory() { clear_cache(); }
  ShadowMemory(const ShadowMemory& other);
  ShadowMemory& operator=(const ShadowMemory&) = delete;

  void write(std::uint64_t address, const std::uint8_t* bytes, std::uint64_t size);
  void fill(std::uint64_t address, std::uint64_t size, std::uint8_t byte) { set_range(address, size, byte); }
  void forget(std::uint64_t address, std::uint64_t size) { set_range(address, size, std::nullopt); }

  // A read saw these bytes: returns the first byte that is known to be different. Unknown bytes
  // become the bytes seen; known bytes keep the last write.
  std::optional<Difference> read(std::uint64_t address, const std::uint8_t* bytes, std::uint64_t size);
  std::optional<Difference> read_fill(std::uint64_t address, std::uint64_t size, std::uint8_t byte);

  std::uint64_t compared_bytes() const { return compared_bytes_; }

private:
  static constexpr std::uint64_t kPageBytes = 4096;
  struct Page {
    std::array<std::uint8_t, kPageBytes> bytes;
    std::array<std::uint64_t, kPageBytes / 64> known;
    bool knows(std::uint64_t offset) const { return (known[offset / 64] >> (offset % 64) & 1) != 0; }
    void learn(std::uint64_t offset, std::uint8_t byte) {
      bytes[offset] = byte;
      known[offset / 64] |= std::uint64_t{1} << (offset % 64);
    }
    void forget(std::uint64_t offset) { known[offset / 64] &= ~(std::uint64_t{1} << (offset % 64)); }
  };
  struct Fill {
    std::uint64_t end; // page number after the last
    std::uint8_t byte;
  };
  struct CacheEntry {
    std::uint64_t number;
    Page* page;
  };

  void clear_cache() const { cache_.fill({~std::uint64_t{0}, nullptr}); }
  Page& page(std::uint64_t number); // to be changed
  void drop_pages(std::uint64_t first, std::uint64_t end);
  void drop_fills(std::uint64_t first, std::uint64_t end);
  void set_range(std::uint64_t address, std::uint64_t size, std::optional<std::uint8_t> byte);
  void set_within_page(std::uint64_t address, std::uint64_t size, std::optional<std::uint8_t> byte);

  absl::btree_map<std::uint64_t, std::shared_ptr<Page>> pages_; // by page number
  absl::btree_map<std::uint64_t, Fill> fills_;                  // by first page number
  mutable std::array<CacheEntry, 256> cache_;                   // direct-mapped: pages that are not shared
  std::uint64_t compared_bytes_ = 0;
};

} // namespace sooth::trace::legality
