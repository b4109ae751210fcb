// The values of memory, as far as recorded accesses show them. A read of another value shows that
// code without hooks changed the memory.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "trace/contents.h"
#include "trace/trace.h"

namespace sooth::survey {

class KnownValues {
public:
  // The trace has the initial contents of globals.
  void begin(const trace::Trace& trace);
  // Forgets everything but these initial contents.
  void restart();

  // A read of bytes [from, to) of this granule of 8 bytes, by an access at `address` that saw
  // `seen`. False: it saw another value than the last known one. The bytes it saw are known from
  // now on.
  bool read(std::uint64_t granule, unsigned from, unsigned to, const trace::Contents& seen, std::uint64_t address);
  void write(std::uint64_t granule, unsigned from, unsigned to, const trace::Contents& written, std::uint64_t address);
  // Bytes of these granules get an unknown value: all, but for the first one, from its byte `from`
  // on, and the last one, up to its byte `to`.
  void lose(std::uint64_t first, unsigned from, std::uint64_t last, unsigned to);
  // An object begins or ends there, so its bytes become unknown.
  void forget(std::uint64_t address, std::uint64_t bytes);

private:
  static constexpr std::uint64_t kGranules = 512; // of a page
  struct Page {
    std::array<std::uint64_t, kGranules> values{};
    std::array<std::uint8_t, kGranules> known{}; // a bit for each byte
  };
  Page& page(std::uint64_t number);

  absl::flat_hash_map<std::uint64_t, std::unique_ptr<Page>> pages_;
  std::uint64_t last_number_ = ~std::uint64_t{0};
  Page* last_page_ = nullptr;
  const trace::Trace* trace_ = nullptr;
};

} // namespace sooth::survey
