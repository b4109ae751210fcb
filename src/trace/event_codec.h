// Slots of one thread to bytes and back: the body of an Events chunk before LZ4.
//
// Every slot becomes a tag byte and a few variable-length numbers, each predicted from what came before at the
// same site: addresses advance by strides, counters hardly move. What remains is small and repeats, which LZ4
// then removes. Encoder and decoder keep the same predictor; a chunk starts with a fresh one, so that every
// chunk can be read alone.
//
// No allocation, no library: the encoder runs inside the user's program.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "trace/format.h"

namespace sooth::trace {

class EventPredictor {
public:
  struct Entry { // last event at sites that share this slot
    std::uint64_t address;
    std::uint64_t value;
    std::uint32_t site;
    std::uint32_t shape; // size, order, flags, kind
  };
  static constexpr unsigned kEntries = 256;

  Entry& at(std::uint32_t site) { return entries_[(site ^ (site >> 8)) % kEntries]; }
  std::uint64_t counter = 0;
  std::uint32_t site = 0;

private:
  Entry entries_[kEntries] = {};
};

// Worst case for one slot: tag, shape 4, site 5, address 10, value 10, counter 10; a payload slot is 32 + 0.
inline constexpr std::size_t kMaxEncodedSlot = 40;

namespace codec_detail {

enum Tag : std::uint8_t { kSameSite = 1, kShape = 2, kAddress = 4, kValue = 8, kCounter = 16 };

inline std::uint32_t shape_of(const RawEvent& e) {
  return std::uint32_t{e.size} | std::uint32_t{e.order} << 8 | std::uint32_t{e.flags} << 16 | std::uint32_t{e.kind} << 24;
}
inline std::uint8_t* put(std::uint8_t* out, std::uint64_t v) {
  while (v >= 0x80) {
    *out++ = static_cast<std::uint8_t>(v | 0x80);
    v >>= 7;
  }
  *out++ = static_cast<std::uint8_t>(v);
  return out;
}
inline std::uint64_t zigzag(std::uint64_t v) { return (v << 1) ^ (0 - (v >> 63)); }
inline std::uint64_t unzigzag(std::uint64_t v) { return (v >> 1) ^ (0 - (v & 1)); }

// Returns null where the input ends too early or a number does not end.
inline const std::uint8_t* get(const std::uint8_t* in, const std::uint8_t* end, std::uint64_t& v) {
  v = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    if (in == end) return nullptr;
    const std::uint8_t byte = *in++;
    v |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
    if (!(byte & 0x80)) return in;
  }
  return nullptr;
}

} // namespace codec_detail

// Encodes `slots` slots (events with their payload slots); `out` must have room for kMaxEncodedSlot each.
// Returns the end of what was written.
inline std::uint8_t* encode_slots(const RawEvent* in, std::size_t slots, std::uint8_t* out) {
  using namespace codec_detail;
  EventPredictor p;
  for (std::size_t i = 0; i < slots; ++i) {
    const RawEvent& e = in[i];
    EventPredictor::Entry& last = p.at(e.site);
    std::uint8_t* tag = out++;
    *tag = 0;
    if (e.site == p.site) *tag |= kSameSite;
    else out = put(out, zigzag(e.site - static_cast<std::uint64_t>(p.site)));
    const std::uint32_t shape = shape_of(e);
    if (shape != last.shape) {
      *tag |= kShape;
      std::memcpy(out, &shape, 4);
      out += 4;
    }
    if (e.address != last.address) {
      *tag |= kAddress;
      out = put(out, zigzag(e.address - last.address));
    }
    if (e.value != last.value) {
      *tag |= kValue;
      if (e.size == 0 || e.size == 8) out = put(out, zigzag(e.value - last.value));
      else { // small values are stored whole: differences of noise are longer than noise
        std::memcpy(out, &e.value, e.size);
        out += e.size;
      }
    }
    if (e.counter != p.counter) {
      *tag |= kCounter;
      out = put(out, zigzag(e.counter - p.counter));
    }
    last = {e.address, e.value, e.site, shape};
    p.site = e.site;
    p.counter = e.counter;
    if (const std::size_t extra = payload_slots(e); extra != 0) {
      std::memcpy(out, &in[i + 1], extra * sizeof(RawEvent));
      out += extra * sizeof(RawEvent);
      i += extra;
    }
  }
  return out;
}

// Decodes exactly `slots` slots into `out`. Returns false if the bytes are not such an encoding.
inline bool decode_slots(const std::uint8_t* in, std::size_t bytes, RawEvent* out, std::size_t slots) {
  using namespace codec_detail;
  const std::uint8_t* end = in + bytes;
  EventPredictor p;
  for (std::size_t i = 0; i < slots; ++i) {
    if (in == end) return false;
    const std::uint8_t tag = *in++;
    std::uint64_t number = 0;
    RawEvent e = {};
    e.site = p.site;
    if (!(tag & kSameSite)) {
      if (!(in = get(in, end, number))) return false;
      e.site = static_cast<std::uint32_t>(p.site + unzigzag(number));
    }
    EventPredictor::Entry& last = p.at(e.site);
    std::uint32_t shape = last.shape;
    if (tag & kShape) {
      if (end - in < 4) return false;
      std::memcpy(&shape, in, 4);
      in += 4;
    }
    e.size = static_cast<std::uint8_t>(shape);
    e.order = static_cast<std::uint8_t>(shape >> 8);
    e.flags = static_cast<std::uint8_t>(shape >> 16);
    e.kind = static_cast<std::uint8_t>(shape >> 24);
    if (e.size > 8) return false;
    e.address = last.address;
    if (tag & kAddress) {
      if (!(in = get(in, end, number))) return false;
      e.address += unzigzag(number);
    }
    e.value = last.value;
    if (tag & kValue) {
      if (e.size == 0 || e.size == 8) {
        if (!(in = get(in, end, number))) return false;
        e.value += unzigzag(number);
      } else {
        if (end - in < e.size) return false;
        e.value = 0;
        std::memcpy(&e.value, in, e.size);
        in += e.size;
      }
    }
    e.counter = p.counter;
    if (tag & kCounter) {
      if (!(in = get(in, end, number))) return false;
      e.counter += unzigzag(number);
    }
    last = {e.address, e.value, e.site, shape};
    p.site = e.site;
    p.counter = e.counter;
    out[i] = e;
    if (e.flags & kPayload) {
      if (e.value == 0 || e.value > kMaxPayload) return false;
      const std::uint64_t extra = payload_slots(e);
      if (extra >= slots - i || static_cast<std::uint64_t>(end - in) < extra * sizeof(RawEvent)) return false;
      std::memcpy(&out[i + 1], in, extra * sizeof(RawEvent));
      in += extra * sizeof(RawEvent);
      i += extra;
    }
  }
  return in == end;
}

} // namespace sooth::trace
