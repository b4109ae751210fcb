// Merge sort on threads: the array is halved until every thread has a part. Almost nothing but plain accesses, and
// no two threads touch the same element between two synchronisations.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

namespace {

void merge(const std::uint32_t* from, std::uint32_t* to, std::size_t middle, std::size_t size) {
  std::size_t left = 0, right = middle;
  for (std::size_t i = 0; i < size; ++i) {
    if (right == size || (left < middle && from[left] <= from[right])) to[i] = from[left++];
    else to[i] = from[right++];
  }
}

void sort(std::uint32_t* data, std::uint32_t* scratch, std::size_t size, unsigned depth) {
  if (size < 2) return;
  const std::size_t middle = size / 2;
  if (depth > 0) {
    std::thread other([=] { sort(data, scratch, middle, depth - 1); });
    sort(data + middle, scratch + middle, size - middle, depth - 1);
    other.join();
  } else {
    sort(data, scratch, middle, 0);
    sort(data + middle, scratch + middle, size - middle, 0);
  }
  merge(data, scratch, middle, size);
  for (std::size_t i = 0; i < size; ++i) data[i] = scratch[i];
}

} // namespace

int main(int argc, char** argv) {
  const std::size_t size = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 8'000'000;
  std::vector<std::uint32_t> data(size), scratch(size);
  std::uint32_t state = 1;
  for (auto& item : data) item = state = state * 1664525u + 1013904223u;
  sort(data.data(), scratch.data(), size, 1);
  std::uint64_t checksum = 0;
  for (std::size_t i = 0; i < size; ++i) {
    if (i > 0 && data[i - 1] > data[i]) return 1;
    checksum = checksum * 31 + data[i];
  }
  std::printf("%llu\n", static_cast<unsigned long long>(checksum));
}
