#include "trace/legality/shadow_memory.h"

#include <iterator>

#include <algorithm>

namespace sooth::trace::legality {

ShadowMemory::ShadowMemory(const ShadowMemory& other)
    : pages_(other.pages_), fills_(other.fills_), compared_bytes_(other.compared_bytes_) {
  clear_cache();
  other.clear_cache(); // its pages are shared from here on
}

ShadowMemory::Page& ShadowMemory::page(std::uint64_t number) {
  CacheEntry& cached = cache_[number % cache_.size()];
  if (cached.number == number) return *cached.page;
  auto& slot = pages_[number];
  if (!slot) {
    slot = std::make_shared<Page>();
    slot->known.fill(0);
    auto after = fills_.upper_bound(number);
    const auto fill = after == fills_.begin() ? fills_.end() : std::prev(after);
    if (fill != fills_.end() && number < fill->second.end) {
      slot->bytes.fill(fill->second.byte);
      slot->known.fill(~std::uint64_t{0});
      drop_fills(number, number + 1);
    }
  } else if (slot.use_count() > 1) {
    slot = std::make_shared<Page>(*slot);
  }
  cached = {number, slot.get()};
  return *slot;
}

void ShadowMemory::drop_pages(std::uint64_t first, std::uint64_t end) {
  const auto begin = pages_.lower_bound(first);
  auto last = begin;
  for (; last != pages_.end() && last->first < end; ++last) {
    CacheEntry& cached = cache_[last->first % cache_.size()];
    if (cached.number == last->first) cached = {~std::uint64_t{0}, nullptr};
  }
  pages_.erase(begin, last);
}

void ShadowMemory::drop_fills(std::uint64_t first, std::uint64_t end) {
  auto fill = fills_.upper_bound(first);
  if (fill != fills_.begin()) --fill;
  while (fill != fills_.end() && fill->first < end) {
    const auto [start, old] = *fill;
    if (old.end <= first) {
      ++fill;
      continue;
    }
    fills_.erase(fill);
    if (start < first) fills_[start] = {first, old.byte};
    if (old.end > end) fills_[end] = {old.end, old.byte};
    fill = fills_.lower_bound(std::max(start + 1, first));
  }
}

void ShadowMemory::set_within_page(std::uint64_t address, std::uint64_t size, std::optional<std::uint8_t> byte) {
  Page& p = page(address / kPageBytes);
  const std::uint64_t first = address % kPageBytes;
  for (std::uint64_t offset = first; offset < first + size; ++offset) {
    if (byte) p.learn(offset, *byte);
    else p.forget(offset);
  }
}

void ShadowMemory::set_range(std::uint64_t address, std::uint64_t size, std::optional<std::uint8_t> byte) {
  if (size == 0) return;
  const std::uint64_t head = std::min(size, (kPageBytes - address % kPageBytes) % kPageBytes);
  if (head != 0) set_within_page(address, head, byte);
  address += head;
  size -= head;
  if (const std::uint64_t pages = size / kPageBytes; pages != 0) {
    const std::uint64_t first = address / kPageBytes;
    drop_pages(first, first + pages);
    drop_fills(first, first + pages);
    if (byte) fills_[first] = {first + pages, *byte};
  }
  if (const std::uint64_t tail = size % kPageBytes; tail != 0) set_within_page(address + (size - tail), tail, byte);
}

void ShadowMemory::write(std::uint64_t address, const std::uint8_t* bytes, std::uint64_t size) {
  for (std::uint64_t i = 0; i < size;) {
    Page& p = page((address + i) / kPageBytes);
    for (std::uint64_t offset = (address + i) % kPageBytes; offset < kPageBytes && i < size; ++offset, ++i)
      p.learn(offset, bytes[i]);
  }
}

std::optional<ShadowMemory::Difference> ShadowMemory::read(std::uint64_t address, const std::uint8_t* bytes,
                                                           std::uint64_t size) {
  std::optional<Difference> difference;
  for (std::uint64_t i = 0; i < size;) {
    Page& p = page((address + i) / kPageBytes);
    for (std::uint64_t offset = (address + i) % kPageBytes; offset < kPageBytes && i < size; ++offset, ++i) {
      if (p.knows(offset)) {
        ++compared_bytes_;
        if (p.bytes[offset] != bytes[i] && !difference) difference = Difference{address + i, p.bytes[offset], bytes[i]};
      } else {
        p.learn(offset, bytes[i]);
      }
    }
  }
  return difference;
}

std::optional<ShadowMemory::Difference> ShadowMemory::read_fill(std::uint64_t address, std::uint64_t size,
                                                                std::uint8_t byte) {
  std::optional<Difference> difference;
  const auto differs = [&](std::uint64_t at, std::uint8_t held) {
    if (!difference || at < difference->address) difference = Difference{at, held, byte};
  };
  const std::uint64_t end = address + size;
  for (auto it = pages_.lower_bound(address / kPageBytes); it != pages_.end() && it->first * kPageBytes < end; ++it) {
    const std::uint64_t base = it->first * kPageBytes;
    for (std::uint64_t at = std::max(base, address); at < std::min(end, base + kPageBytes); ++at) {
      if (!it->second->knows(at - base)) continue;
      ++compared_bytes_;
      if (it->second->bytes[at - base] != byte) differs(at, it->second->bytes[at - base]);
    }
  }
  auto fill = fills_.upper_bound(address / kPageBytes);
  if (fill != fills_.begin()) --fill;
  for (; fill != fills_.end() && fill->first * kPageBytes < end; ++fill) {
    const std::uint64_t first = std::max(address, fill->first * kPageBytes);
    const std::uint64_t last = std::min(end, fill->second.end * kPageBytes);
    if (first >= last) continue;
    compared_bytes_ += last - first;
    if (fill->second.byte != byte) differs(first, fill->second.byte);
  }
  if (!difference) set_range(address, size, byte); // known bytes are this byte already; unknown ones become it
  return difference;
}

} // namespace sooth::trace::legality
