// A hash map in 16 parts, each under a mutex of its own. Short critical sections, a lock for every operation.
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <vector>

namespace {

struct Entry {
  std::uint64_t key = 0; // 0: free
  std::uint64_t count = 0;
};

struct Part {
  std::mutex lock;
  std::vector<Entry> entries = std::vector<Entry>(8192);
};

std::array<Part, 16> parts;

std::uint64_t mix(std::uint64_t x) {
  x ^= x >> 31;
  x *= 0x9e3779b97f4a7c15u;
  return x ^ (x >> 29);
}

void add(std::uint64_t key) {
  const std::uint64_t hash = mix(key);
  Part& part = parts[hash >> 60];
  const std::scoped_lock hold(part.lock);
  for (std::uint64_t at = hash & 8191;; at = (at + 1) & 8191) {
    Entry& entry = part.entries[at];
    if (entry.key == 0) entry.key = key;
    if (entry.key == key) {
      ++entry.count;
      return;
    }
  }
}

void work(std::uint64_t seed, std::size_t operations) {
  for (std::size_t i = 0; i < operations; ++i) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    add((seed >> 33) % 60'000 + 1);
  }
}

} // namespace

int main(int argc, char** argv) {
  const std::size_t operations = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 8'000'000;
  std::thread first(work, 1, operations), second(work, 2, operations);
  first.join();
  second.join();
  std::uint64_t checksum = 0;
  for (const Part& part : parts)
    for (const Entry& entry : part.entries) checksum += mix(entry.key) * entry.count;
  std::printf("%llu\n", static_cast<unsigned long long>(checksum));
}
