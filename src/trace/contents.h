// The bytes that an event saw or wrote, wherever the trace keeps them: in the event, in
// Trace::bytes, as one repeated byte, or not at all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "trace/trace.h"

namespace sooth::trace {

// A view of `size` bytes; it must not outlive the event and Trace::bytes that it was made from.
class Contents {
public:
  static Contents inlined(const std::uint64_t& word, std::uint64_t size) {
    return {reinterpret_cast<const std::uint8_t*>(&word), size, 0, false};
  }
  static Contents stored(const std::uint8_t* data, std::uint64_t size) { return {data, size, 0, false}; }
  static Contents filled(std::uint8_t byte, std::uint64_t size) { return {nullptr, size, byte, false}; }
  static Contents opaque(std::uint64_t size) { return {nullptr, size, 0, true}; }

  std::uint64_t size() const { return size_; }
  bool is_opaque() const { return opaque_; }
  bool is_fill() const { return data_ == nullptr && !opaque_; }
  std::uint8_t byte(std::uint64_t i) const { return data_ != nullptr ? data_[i] : fill_; }
  // `count` bytes from `offset`, put into a word from its byte `shift` on; the word's other bytes
  // are zero.
  std::uint64_t word(std::uint64_t offset, unsigned shift, unsigned count) const {
    std::uint64_t out = 0;
    if (data_ != nullptr) {
      std::memcpy(reinterpret_cast<std::uint8_t*>(&out) + shift, data_ + offset, count);
    } else {
      std::memset(reinterpret_cast<std::uint8_t*>(&out) + shift, fill_, count);
    }
    return out;
  }

private:
  Contents(const std::uint8_t* data, std::uint64_t size, std::uint8_t fill, bool opaque)
      : data_(data), size_(size), fill_(fill), opaque_(opaque) {}

  const std::uint8_t* data_; // null: filled or opaque
  std::uint64_t size_;
  std::uint8_t fill_;
  bool opaque_;
};

namespace contents_detail {

inline Contents of(std::span<const std::uint8_t> bytes, const Event& e, const std::uint64_t& word, std::uint64_t skip) {
  if (e.has(kOpaque)) return Contents::opaque(e.size);
  if (e.has(kFill)) return Contents::filled(static_cast<std::uint8_t>(word), e.size);
  if (!e.has(kPayload)) return e.size <= 8 ? Contents::inlined(word, e.size) : Contents::opaque(e.size);
  // A trace made by hand may point outside its bytes; then they are unknown.
  if (e.extra > bytes.size() || bytes.size() - e.extra < skip + e.size) return Contents::opaque(e.size);
  return Contents::stored(bytes.data() + e.extra + skip, e.size);
}

} // namespace contents_detail

// The bytes that a read, atomic-read or atomic-rmw saw.
inline Contents seen_by(std::span<const std::uint8_t> bytes, const Event& e) {
  return contents_detail::of(bytes, e, e.kind == EventKind::AtomicRmw ? e.extra : e.value, 0);
}
// The bytes that a write, atomic-write, external-write or atomic-rmw left behind.
inline Contents written_by(std::span<const std::uint8_t> bytes, const Event& e) {
  return contents_detail::of(bytes, e, e.value, e.kind == EventKind::AtomicRmw ? e.size : 0);
}

inline bool overlap(const Event& a, const Event& b) {
  return a.address < b.address + b.size && b.address < a.address + a.size;
}

} // namespace sooth::trace
