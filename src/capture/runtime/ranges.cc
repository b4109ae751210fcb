#include "capture/runtime/ranges.h"

#include "capture/runtime/cells.h"
#include "capture/runtime/os.h"

namespace sooth::runtime {
namespace {

constexpr std::uint64_t kPieces = 64;         // up to here a range goes through the cells, a granule at a time
constexpr std::uint64_t kWithContents = 1024; // up to here its bytes are kept, and always for globals and watched variables

// One access of at most 8 bytes that may or may not be a power of two.
void piece_access(Thread* t, EventKind kind, std::uint64_t address, const std::uint8_t* bytes, std::uint64_t size, std::uint32_t site) {
  while (size != 0) {
    std::uint64_t step = 8;
    while (step > size || address % step != 0) step /= 2;
    std::uint64_t value = 0;
    os::copy(&value, bytes, step);
    if (kind == EventKind::Read) read_access(t, address, value, static_cast<std::uint8_t>(step), site);
    else write_access(t, address, value, static_cast<std::uint8_t>(step), site);
    address += step;
    bytes += step;
    size -= step;
  }
}

} // namespace

void range_access(Thread* t, EventKind kind, const void* address, const void* bytes, std::uint64_t size, std::uint32_t site) {
  const auto target = reinterpret_cast<std::uint64_t>(address);
  const auto* from = static_cast<const std::uint8_t*>(bytes);
  SoothThreadAbi& abi = __sooth_thread.abi;
  if (size == 0) return;
  ++t->accesses;
  if (size <= 8 || (size <= kPieces && abi.detail == 0)) return piece_access(t, kind, target, from, size, site);
  abi.detail -= abi.detail != 0 && abi.detail != ~std::uint64_t{0};
  void_range(t, target, size);
  if (size > kWithContents && g_detail != ~std::uint64_t{0} && !(kind == EventKind::Write && writes_are_kept(target))) {
    count(Defect::OpaqueRanges);
    append(t, kind, target, size, site, 0, trace::kOpaque);
    return;
  }
  for (std::uint64_t done = 0; done < size;) {
    const std::uint64_t part = size - done < trace::kMaxPayload ? size - done : trace::kMaxPayload;
    append_payload(t, kind, target + done, part, 0, site, 0, 0, from + done, part, nullptr, 0);
    done += part;
  }
}

void range_fill(Thread* t, const void* address, std::uint8_t byte, std::uint64_t size, std::uint32_t site) {
  const auto target = reinterpret_cast<std::uint64_t>(address);
  if (size == 0) return;
  ++t->accesses;
  if (size <= 8) {
    const std::uint64_t value = byte * std::uint64_t{0x0101010101010101};
    return piece_access(t, EventKind::Write, target, reinterpret_cast<const std::uint8_t*>(&value), size, site);
  }
  SoothThreadAbi& abi = __sooth_thread.abi;
  abi.detail -= abi.detail != 0 && abi.detail != ~std::uint64_t{0};
  void_range(t, target, size);
  append(t, EventKind::Write, target, (size & ((std::uint64_t{1} << 56) - 1)) | std::uint64_t{byte} << 56, site, 0, trace::kFill);
}

} // namespace sooth::runtime
