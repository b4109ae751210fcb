// Slots of one thread to bytes and back: the body of an Events chunk before LZ4.
//
// Each slot is a tag byte and, where a prediction fails, a number in one of a few columns. Three
// things are predicted from earlier slots:
// - site and shape (size, order, flags, kind): one of the last two that followed the same site; a
//   shape also as the last one of its hash;
// - address and value: those of the last event at the site, or the same stride again; an address
//   also as near to the event before; a value also as the last one at the address;
// - counter: it moves as it did at the site's last event.
//
//     for (i = 0; i < n; ++i) a[i] = 0;   first slots: tag and numbers; then the site, the stride
//                                         of the address and the value repeat: one byte a slot
//
// The columns stand one after the other, so that noise (values) does not hide repetition
// (everything else) from LZ4. A chunk starts with a fresh predictor and can be read alone.
//
// Atomic updates of 8 bytes have two numbers instead of a payload: how far the old value is from
// the last one known at the address, and how far the new one is from the old.
//
// The encoder runs inside the user's program: no allocation, no library, a few nanoseconds a slot.
// Whether a prediction holds is a branch, because programs repeat themselves and a skipped branch
// is free. The length of a number follows no pattern and is not a branch: 8 bytes are written, and
// the column moves on by the length.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "trace/format.h"

namespace sooth::trace {

// Room that the encoder needs for each slot, and once for the lengths of the columns.
inline constexpr std::size_t kMaxEncodedSlot = 69;
inline constexpr std::size_t kEncodedHeader = 32;

namespace codec_detail {
enum Column : unsigned { kTags, kSites, kAddresses, kValues, kCounters, kPayloads, kColumns };
// The most bytes that one slot can put into each column; 8 at least where numbers are written (see
// put).
inline constexpr std::size_t kColumnRoom[kColumns] = {1, 10, 9, 8, 9, 32};
static_assert(1 + 10 + 9 + 8 + 9 + 32 == kMaxEncodedSlot && kColumns * 4 + 4 <= kEncodedHeader);
// In the last bytes of the header, so that bytes of another encoding are not taken for this one.
inline constexpr std::uint32_t kCodecVersion = 2;
inline constexpr std::size_t kVersionPlace = kEncodedHeader - 4;

// The tag: how each part is encoded. A new shape comes only with a new site.
enum SiteTag : unsigned { kFirstFollower = 0, kSecondFollower = 1, kNewSite = 2, kNewSiteAndShape = 3, kSiteTag = 3 };
enum AddressTag : unsigned { kSameAddress = 0, kSameStride = 4, kNewAddress = 8, kNearAddress = 12, kAddressTag = 12 };
enum ValueTag : unsigned { kSameValue = 0, kWholeValue = 16, kNearValue = 32, kKnownValue = 48, kValueTag = 48 };
enum : unsigned { kNewCounter = 64, kNoTag = 128 };
inline constexpr std::uint64_t kFar = std::uint64_t{1}
                                      << 42; // 8-byte values that differ by more are noise, and written whole
struct SiteEntry {                           // the last event at the sites that share this entry
  std::uint64_t address, value;
  std::int32_t stride; // cut to 32 bits: longer ones hardly come twice
  std::uint32_t shape;
  std::uint64_t followers[2]; // sites and shapes of the next events, the latest first
  std::uint64_t ticks;        // by how much the counter moved
};
inline constexpr unsigned kShapes = 128;
struct Predictor {
  SiteEntry& at(std::uint32_t site) { return entries[(site ^ (site >> 8)) % 1024]; }
  // The last value at the addresses that share this word.
  std::uint64_t& known(std::uint64_t address) { return values[(address >> 3 ^ address >> 12) % 512]; }
  // The last shape of this hash: its place is written instead of it.
  std::uint32_t& shape_like(std::uint32_t shape) { return shapes[shape * 0x9e3779b1u >> 25]; }
  SiteEntry entries[1024] = {};
  std::uint64_t values[512] = {};
  std::uint32_t shapes[kShapes] = {};
};

// The last 8 bytes of a slot: the site below, the shape above. One comparison shows whether both
// are as predicted.
inline constexpr std::size_t kSiteAndShape = offsetof(RawEvent, site);
static_assert(kSiteAndShape + 8 == sizeof(RawEvent) && std::endian::native == std::endian::little);
inline std::uint32_t site_in(std::uint64_t site_and_shape) { return static_cast<std::uint32_t>(site_and_shape); }
inline std::uint32_t shape_in(std::uint64_t site_and_shape) { return static_cast<std::uint32_t>(site_and_shape >> 32); }
inline constexpr std::uint32_t kPayloadShape = std::uint32_t{kPayload} << 16;
// The stored bytes of a payload: padded to 8 bytes, not to a whole slot.
inline std::size_t stored_payload(const RawEvent& e) {
  const bool twice = e.kind == static_cast<std::uint8_t>(EventKind::AtomicRmw);
  return static_cast<std::size_t>(round_up(twice ? 2 * e.value : e.value, 8));
}
// An atomic update whose payload is two values of 8 bytes.
inline constexpr std::uint32_t kUpdateShape = kPayloadShape | static_cast<std::uint32_t>(EventKind::AtomicRmw) << 24;
inline bool is_update(std::uint32_t shape, std::uint64_t value) {
  return (shape & (kPayloadShape | 0xff000000)) == kUpdateShape && value == 8;
}
inline std::uint64_t read8(const void* from) {
  std::uint64_t v = 0;
  std::memcpy(&v, from, 8);
  return v;
}
inline void write8(void* to, std::uint64_t v) { std::memcpy(to, &v, 8); }
inline std::uint64_t zigzag(std::uint64_t v) { return (v << 1) ^ (0 - (v >> 63)); }
inline std::uint64_t unzigzag(std::uint64_t v) { return (v >> 1) ^ (0 - (v & 1)); }
inline std::uint64_t extended(std::int32_t v) { return static_cast<std::uint64_t>(std::int64_t{v}); }

// A number takes n = 1 to 8 bytes, little-endian: n - 1 zero bits, a one, its 7n bits. Or 9: a zero
// byte, its 64 bits. Writes 8 bytes, or 9; returns the end of those that count.
inline std::uint8_t* put(std::uint8_t* to, std::uint64_t v) {
  const auto highest = static_cast<unsigned>(63 - std::countl_zero(v | 1));
  if (highest >= 56) [[unlikely]]
    return *to = 0, write8(to + 1, v), to + 9;
  const unsigned n = (highest * 9 + 73) / 64; // highest / 7 + 1, without a division
  write8(to, (2 * v + 1) << (n - 1));
  return to + n;
}

// The rest of one column.
struct Input {
  const std::uint8_t *at, *end;
  bool number(std::uint64_t& v) {
    if (at == end) return false;
    const unsigned n = static_cast<unsigned>(std::countr_zero(*at | 0x100u)) + 1;
    if (n == 9) return ++at, word(v, 8);
    return word(v, n) && (v >>= n, true);
  }
  bool word(std::uint64_t& v, unsigned n) { // 1 to 8 bytes
    if (end - at < 8) return v = 0, bytes(&v, n);
    v = read8(at) << (64 - 8 * n) >> (64 - 8 * n); // nearly always, and no copy of variable length
    at += n;
    return true;
  }
  bool bytes(void* to, std::size_t n) {
    if (static_cast<std::size_t>(end - at) < n) return false;
    std::memcpy(to, at, n);
    at += n;
    return true;
  }
};
} // namespace codec_detail

// Encodes events with their payload slots into `out`, which has room for kEncodedHeader and
// kMaxEncodedSlot each. Returns the end. With `check`: null if an event is not whole, because its
// kind is 0 or its payload is cut off. `p` is only room for the work: in the recorded program, it
// must not lie on a thread's stack, which may be small.
template <bool check = false>
std::uint8_t* encode_slots(const RawEvent* in, std::size_t slots, std::uint8_t* out, codec_detail::Predictor& p) {
  using namespace codec_detail;
  std::memset(p.entries, 0, sizeof p.entries);
  std::memset(p.values, 0, sizeof p.values);
  std::memset(p.shapes, 0, sizeof p.shapes);
  std::uint8_t* begin[kColumns];
  std::uint8_t* room = out + kEncodedHeader;
  for (unsigned c = 0; c < kColumns; ++c) {
    begin[c] = room;
    room += slots * kColumnRoom[c];
  }
  std::uint8_t *tags = begin[kTags], *sites = begin[kSites], *addresses = begin[kAddresses], *values = begin[kValues],
               *counters = begin[kCounters], *payloads = begin[kPayloads];
  std::uint64_t counter = 0, previous = 0;
  std::uint32_t site = 0;
  SiteEntry* before = &p.at(site);
  for (const RawEvent *e = in, *in_end = in + slots; e < in_end; ++e) {
    // Reads the whole slot first: for the compiler, any byte written to a column might change it.
    const std::uint64_t site_and_shape = read8(reinterpret_cast<const std::uint8_t*>(e) + kSiteAndShape);
    const std::uint64_t address = e->address, value = e->value, ticks = e->counter - counter;
    const std::uint32_t shape = shape_in(site_and_shape);
    if (check && shape >> 24 == 0) [[unlikely]]
      return nullptr;
    SiteEntry& last = p.at(site_in(site_and_shape));
    unsigned tag = 0;
    if (const std::uint64_t first = before->followers[0]; site_and_shape != first) {
      tag = kSecondFollower;
      if (site_and_shape != before->followers[1]) {
        sites = put(sites, zigzag(site_in(site_and_shape) - std::uint64_t{site}));
        if (shape != last.shape) {
          std::uint32_t& like = p.shape_like(shape);
          *sites++ = static_cast<std::uint8_t>((like != shape ? kShapes : 0) | static_cast<unsigned>(&like - p.shapes));
          std::memcpy(sites, &shape, 4);
          sites += (like != shape) * 4;
          like = shape;
        }
        tag = shape != last.shape ? kNewSiteAndShape : kNewSite;
      }
      before->followers[1] = first;
      before->followers[0] = site_and_shape;
    }
    last.shape = shape;
    site = site_in(site_and_shape);
    before = &last;
    if (const std::uint64_t stride = address - last.address; stride != 0) {
      if (stride == extended(last.stride)) tag |= kSameStride;
      else {
        const std::uint64_t far = zigzag(stride), near = zigzag(address - previous);
        const bool is_near = near < far;
        tag |= is_near ? kNearAddress : kNewAddress;
        addresses = put(addresses, is_near ? near : far);
        last.stride = static_cast<std::int32_t>(stride);
      }
      last.address = address;
    }
    previous = address != 0 ? address : previous;
    std::uint64_t& known = p.known(address);
    if (const std::uint64_t step = zigzag(value - last.value); step != 0) {
      if (known == value) {
        tag |= kKnownValue;
      } else if (const unsigned size = shape & 7; size != 0 || step >= kFar) {
        tag |= kWholeValue;
        write8(values, value);
        values += size != 0 ? size : 8;
      } else {
        tag |= kNearValue;
        values = put(values, step);
      }
      last.value = value;
    }
    // Other threads move the counter at any time, but seldom far: no branch on whether, one on how
    // far.
    const bool moved_otherwise = ticks != last.ticks;
    tag |= moved_otherwise * kNewCounter;
    *counters = static_cast<std::uint8_t>(2 * ticks + 1); // as put would
    counters += moved_otherwise;
    if (ticks >= 128 && moved_otherwise) [[unlikely]]
      counters = put(counters - 1, ticks);
    last.ticks = ticks;
    counter += ticks;
    *tags++ = static_cast<std::uint8_t>(tag);
    if ((shape & kPayloadShape) == 0) {
      known = value;
    } else {
      const std::size_t extra = payload_slots(*e);
      if (check && extra >= static_cast<std::size_t>(in_end - e)) [[unlikely]]
        return nullptr;
      if (is_update(shape, value)) {
        const std::uint64_t old = read8(e + 1), now = read8(reinterpret_cast<const std::uint8_t*>(e + 1) + 8);
        payloads = put(payloads, zigzag(old - known));
        payloads = put(payloads, zigzag(now - old));
        known = now;
        e += extra;
        continue;
      }
      std::memcpy(payloads, e + 1, extra * sizeof(RawEvent)); // whole slots: the room is there
      payloads += stored_payload(*e);
      e += extra;
    }
  }
  const std::uint8_t* to[kColumns] = {tags, sites, addresses, values, counters, payloads};
  std::uint8_t* end = out + kEncodedHeader;
  std::memset(out, 0, kEncodedHeader);
  std::memcpy(out + kVersionPlace, &kCodecVersion, 4);
  for (unsigned c = 0; c < kColumns; ++c) {
    const auto bytes = static_cast<std::uint32_t>(to[c] - begin[c]);
    std::memcpy(out + 4 * c, &bytes, 4);
    std::memmove(end, begin[c], bytes);
    end += bytes;
  }
  return end;
}

inline std::uint8_t* encode_slots(const RawEvent* in, std::size_t slots, std::uint8_t* out) {
  codec_detail::Predictor p;
  return encode_slots(in, slots, out, p);
}

// Whether these bytes say that they are an encoding, but not this one.
inline bool is_of_other_version(const std::uint8_t* in, std::size_t bytes) {
  using namespace codec_detail;
  return bytes >= kEncodedHeader && std::memcmp(in + kVersionPlace, &kCodecVersion, 4) != 0;
}

// Decodes exactly `slots` slots into `out`. Returns false if the bytes are not such an encoding.
inline bool decode_slots(const std::uint8_t* in, std::size_t bytes, RawEvent* out, std::size_t slots) {
  using namespace codec_detail;
  if (bytes < kEncodedHeader || is_of_other_version(in, bytes)) return false;
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
  std::uint64_t counter = 0, previous = 0;
  std::uint32_t site = 0;
  for (std::size_t i = 0; i < slots; ++i) {
    std::uint8_t tag = 0;
    if (!from[kTags].bytes(&tag, 1)) return false;
    if (tag & kNoTag) return false;
    std::uint64_t away = 0, stride = 0, step = 0;
    SiteEntry& before = p.at(site);
    std::uint64_t site_and_shape = before.followers[tag & 1];
    if ((tag & kSiteTag) >= kNewSite) {
      if (!from[kSites].number(away)) return false;
      site += static_cast<std::uint32_t>(unzigzag(away));
      std::uint32_t shape = p.at(site).shape;
      if ((tag & kSiteTag) == kNewSiteAndShape) {
        std::uint8_t place = 0;
        if (!from[kSites].bytes(&place, 1)) return false;
        if (place < kShapes) shape = p.shapes[place];
        else if (!from[kSites].bytes(&shape, 4)) return false;
        p.shape_like(shape) = shape;
      }
      site_and_shape = std::uint64_t{shape} << 32 | site;
    }
    if (site_and_shape != before.followers[0]) {
      before.followers[1] = before.followers[0];
      before.followers[0] = site_and_shape;
    }
    site = site_in(site_and_shape);
    SiteEntry& last = p.at(site);
    last.shape = shape_in(site_and_shape);
    const unsigned size = last.shape & 0xff;
    if (size > 8) return false;
    if ((tag & kAddressTag) == kSameStride) stride = extended(last.stride);
    if (tag & kNewAddress) {
      if (!from[kAddresses].number(stride)) return false;
      stride = unzigzag(stride);
      if ((tag & kAddressTag) == kNearAddress) stride += previous - last.address;
      last.stride = static_cast<std::int32_t>(stride);
    }
    last.address += stride;
    if (last.address != 0) previous = last.address;
    std::uint64_t& known = p.known(last.address);
    switch (tag & kValueTag) {
    case kWholeValue:
      if (!from[kValues].word(last.value, size != 0 ? size : 8)) return false;
      break;
    case kNearValue:
      if (!from[kValues].number(step)) return false;
      last.value += unzigzag(step);
      break;
    case kKnownValue: last.value = known; break;
    default: break;
    }
    if ((tag & kNewCounter) && !from[kCounters].number(last.ticks)) return false;
    counter += last.ticks;
    RawEvent& e = out[i];
    e.address = last.address;
    e.value = last.value;
    e.counter = counter;
    write8(reinterpret_cast<std::uint8_t*>(&e) + kSiteAndShape, site_and_shape);
    if (e.flags & kPayload) {
      if (e.value == 0 || e.value > kMaxPayload) return false;
      const std::size_t extra = payload_slots(e);
      if (extra >= slots - i) return false;
      std::memset(&out[i + extra], 0, sizeof(RawEvent));
      if (is_update(last.shape, e.value)) {
        std::uint64_t old = 0, now = 0;
        if (!from[kPayloads].number(old) || !from[kPayloads].number(now)) return false;
        old = known + unzigzag(old);
        known = old + unzigzag(now);
        write8(&out[i + 1], old);
        write8(reinterpret_cast<std::uint8_t*>(&out[i + 1]) + 8, known);
        i += extra;
        continue;
      }
      if (!from[kPayloads].bytes(&out[i + 1], stored_payload(e))) return false;
      i += extra;
    } else {
      known = e.value;
    }
  }
  for (const Input& column : from)
    if (column.at != column.end) return false;
  return true;
}

} // namespace sooth::trace
