// Slots of one thread to bytes and back: the body of an Events chunk before LZ4.
//
// Every slot is a tag byte and, where the prediction fails, a number in one of a few columns. Predicted from what came
// before: the site (the last two that followed the same site), address and value (those of the last event at the site, or
// the same stride again), shape (size, order, flags, kind of the last event at the site), counter (the last one). The columns
// stand one after the other, so that noise (values) does not hide from LZ4 what repeats (everything else). A chunk starts
// with a fresh predictor and can be read alone.
//
// No allocation, no library: the encoder runs inside the user's program.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "trace/format.h"

namespace sooth::trace {

// Room that the encoder needs for each slot, and once for the lengths of the columns.
inline constexpr std::size_t kMaxEncodedSlot = 72;
inline constexpr std::size_t kEncodedHeader = 32;

namespace codec_detail {

enum Column : unsigned { kTags, kSites, kAddresses, kValues, kCounters, kPayloads, kColumns };
// The most bytes that one slot can put into each column.
inline constexpr std::size_t kColumnRoom[kColumns] = {1, 9, 10, 10, 10, 32};
static_assert(1 + 9 + 10 + 10 + 10 + 32 == kMaxEncodedSlot && kColumns * 4 <= kEncodedHeader);

// The tag: how each part is told.
enum SiteTag : std::uint8_t { kFirstFollower = 0, kSecondFollower = 1, kNewSite = 2, kSiteTag = 3 };
enum : std::uint8_t { kNewShape = 4 };
enum AddressTag : std::uint8_t { kSameAddress = 0, kSameStride = 8, kNewAddress = 16, kAddressTag = 24 };
enum ValueTag : std::uint8_t { kSameValue = 0, kWholeValue = 32, kNearValue = 64, kValueTag = 96 };
enum : std::uint8_t { kNewCounter = 128 };

struct SiteEntry { // the last event at the sites that share this entry
  std::uint64_t address, stride, value;
  std::uint32_t shape;
  std::uint32_t followers[2]; // sites that came after, the last one first
};

class Predictor {
public:
  SiteEntry& at(std::uint32_t number) { return entries_[(number ^ (number >> 8)) % kEntries]; }
  void follow(std::uint32_t number) {
    SiteEntry& before = at(site);
    if (before.followers[0] != number) {
      before.followers[1] = before.followers[0];
      before.followers[0] = number;
    }
    site = number;
  }
  std::uint64_t counter = 0;
  std::uint32_t site = 0;

private:
  static constexpr unsigned kEntries = 256;
  SiteEntry entries_[kEntries] = {};
};

inline std::uint32_t shape_of(const RawEvent& e) {
  return std::uint32_t{e.size} | std::uint32_t{e.order} << 8 | std::uint32_t{e.flags} << 16 | std::uint32_t{e.kind} << 24;
}
inline void put(std::uint8_t*& out, std::uint64_t v) {
  while (v >= 0x80) {
    *out++ = static_cast<std::uint8_t>(v | 0x80);
    v >>= 7;
  }
  *out++ = static_cast<std::uint8_t>(v);
}
inline std::uint64_t zigzag(std::uint64_t v) { return (v << 1) ^ (0 - (v >> 63)); }
inline std::uint64_t unzigzag(std::uint64_t v) { return (v >> 1) ^ (0 - (v & 1)); }
inline unsigned whole_bytes(const RawEvent& e) { return e.size == 0 ? 8 : e.size; }

// What is left of one column.
struct Input {
  const std::uint8_t* at;
  const std::uint8_t* end;

  bool number(std::uint64_t& v) {
    v = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      if (at == end) return false;
      const std::uint8_t byte = *at++;
      v |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
      if (!(byte & 0x80)) return true;
    }
    return false;
  }
  bool bytes(void* to, std::size_t n) {
    if (static_cast<std::size_t>(end - at) < n) return false;
    std::memcpy(to, at, n);
    at += n;
    return true;
  }
};

} // namespace codec_detail

// Encodes `slots` slots (events with their payload slots); `out` must have room for kEncodedHeader and kMaxEncodedSlot each.
// Returns the end of what was written.
inline std::uint8_t* encode_slots(const RawEvent* in, std::size_t slots, std::uint8_t* out) {
  using namespace codec_detail;
  std::uint8_t* begin[kColumns];
  std::uint8_t* to[kColumns];
  std::uint8_t* room = out + kEncodedHeader;
  for (unsigned c = 0; c < kColumns; ++c) {
    begin[c] = to[c] = room;
    room += slots * kColumnRoom[c];
  }
  Predictor p;
  for (std::size_t i = 0; i < slots; ++i) {
    const RawEvent& e = in[i];
    const SiteEntry& before = p.at(p.site);
    std::uint8_t tag = 0;
    if (e.site == before.followers[0]) tag |= kFirstFollower;
    else if (e.site == before.followers[1]) tag |= kSecondFollower;
    else {
      tag |= kNewSite;
      put(to[kSites], zigzag(e.site - static_cast<std::uint64_t>(p.site)));
    }
    SiteEntry& last = p.at(e.site);
    const std::uint32_t shape = shape_of(e);
    if (shape != last.shape) {
      tag |= kNewShape;
      std::memcpy(to[kSites], &shape, 4);
      to[kSites] += 4;
    }
    const std::uint64_t stride = e.address - last.address;
    if (stride == 0) tag |= kSameAddress;
    else if (stride == last.stride) tag |= kSameStride;
    else {
      tag |= kNewAddress;
      put(to[kAddresses], zigzag(stride));
      last.stride = stride;
    }
    if (const std::uint64_t step = zigzag(e.value - last.value); step == 0) tag |= kSameValue;
    else if (whole_bytes(e) == 8 && step < std::uint64_t{1} << 42) {
      tag |= kNearValue;
      put(to[kValues], step);
    } else {
      tag |= kWholeValue;
      std::memcpy(to[kValues], &e.value, 8); // room for all 8; only as many count
      to[kValues] += whole_bytes(e);
    }
    if (e.counter != p.counter) {
      tag |= kNewCounter;
      put(to[kCounters], zigzag(e.counter - p.counter));
    }
    *to[kTags]++ = tag;
    last.address = e.address;
    last.value = e.value;
    last.shape = shape;
    p.follow(e.site);
    p.counter = e.counter;
    if (const std::size_t extra = payload_slots(e); extra != 0) {
      std::memcpy(to[kPayloads], &in[i + 1], extra * sizeof(RawEvent));
      to[kPayloads] += extra * sizeof(RawEvent);
      i += extra;
    }
  }
  std::uint8_t* end = out + kEncodedHeader;
  std::memset(out, 0, kEncodedHeader);
  for (unsigned c = 0; c < kColumns; ++c) {
    const auto bytes = static_cast<std::uint32_t>(to[c] - begin[c]);
    std::memcpy(out + 4 * c, &bytes, 4);
    std::memmove(end, begin[c], bytes);
    end += bytes;
  }
  return end;
}

// Decodes exactly `slots` slots into `out`. Returns false if the bytes are not such an encoding.
inline bool decode_slots(const std::uint8_t* in, std::size_t bytes, RawEvent* out, std::size_t slots) {
  using namespace codec_detail;
  if (bytes < kEncodedHeader) return false;
  Input from[kColumns];
  const std::uint8_t* at = in + kEncodedHeader;
  std::size_t left = bytes - kEncodedHeader;
  for (unsigned c = 0; c < kColumns; ++c) {
    std::uint32_t n = 0;
    std::memcpy(&n, in + 4 * c, 4);
    if (n > left) return false;
    from[c] = {at, at + n};
    at += n;
    left -= n;
  }
  if (left != 0) return false;
  Predictor p;
  for (std::size_t i = 0; i < slots; ++i) {
    std::uint8_t tag = 0;
    std::uint64_t number = 0;
    if (!from[kTags].bytes(&tag, 1)) return false;
    RawEvent e = {};
    if ((tag & kSiteTag) == kNewSite) {
      if (!from[kSites].number(number)) return false;
      e.site = static_cast<std::uint32_t>(p.site + unzigzag(number));
    } else if ((tag & kSiteTag) <= kSecondFollower) {
      e.site = p.at(p.site).followers[tag & kSiteTag];
    } else {
      return false;
    }
    SiteEntry& last = p.at(e.site);
    if ((tag & kNewShape) && !from[kSites].bytes(&last.shape, 4)) return false;
    e.size = static_cast<std::uint8_t>(last.shape);
    e.order = static_cast<std::uint8_t>(last.shape >> 8);
    e.flags = static_cast<std::uint8_t>(last.shape >> 16);
    e.kind = static_cast<std::uint8_t>(last.shape >> 24);
    if (e.size > 8) return false;
    if ((tag & kAddressTag) == kNewAddress) {
      if (!from[kAddresses].number(number)) return false;
      last.stride = unzigzag(number);
    } else if ((tag & kAddressTag) == kAddressTag) {
      return false;
    }
    e.address = last.address + ((tag & kAddressTag) == kSameAddress ? 0 : last.stride);
    e.value = last.value;
    if ((tag & kValueTag) == kWholeValue) {
      e.value = 0;
      if (!from[kValues].bytes(&e.value, whole_bytes(e))) return false;
    } else if ((tag & kValueTag) == kNearValue) {
      if (!from[kValues].number(number)) return false;
      e.value += unzigzag(number);
    } else if ((tag & kValueTag) == kValueTag) {
      return false;
    }
    e.counter = p.counter;
    if (tag & kNewCounter) {
      if (!from[kCounters].number(number)) return false;
      e.counter += unzigzag(number);
    }
    last.address = e.address;
    last.value = e.value;
    p.follow(e.site);
    p.counter = e.counter;
    out[i] = e;
    if (e.flags & kPayload) {
      if (e.value == 0 || e.value > kMaxPayload) return false;
      const std::size_t extra = payload_slots(e);
      if (extra >= slots - i || !from[kPayloads].bytes(&out[i + 1], extra * sizeof(RawEvent))) return false;
      i += extra;
    }
  }
  for (const Input& column : from)
    if (column.at != column.end) return false;
  return true;
}

} // namespace sooth::trace
