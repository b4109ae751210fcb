// Vectors whose memory shares no cache line with anything else (nor the pair of lines that
// processors fetch together).
//
// A worker writes to its table at every step. If data that all workers read lay next to it by
// chance, each of these writes would evict it from the others' caches.
#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace sooth::explore {

template <typename T>
struct ApartAllocator {
  using value_type = T;
  ApartAllocator() = default;
  template <typename U>
  ApartAllocator(const ApartAllocator<U>&) {}

  T* allocate(std::size_t count) { return static_cast<T*>(::operator new(rounded(count), std::align_val_t{kLine})); }
  void deallocate(T* place, std::size_t count) { ::operator delete(place, rounded(count), std::align_val_t{kLine}); }
  friend bool operator==(const ApartAllocator&, const ApartAllocator&) { return true; }

private:
  static constexpr std::size_t kLine = 128;
  static std::size_t rounded(std::size_t count) { return (count * sizeof(T) + kLine - 1) / kLine * kLine; }
};

template <typename T>
using ApartVector = std::vector<T, ApartAllocator<T>>;

} // namespace sooth::explore
