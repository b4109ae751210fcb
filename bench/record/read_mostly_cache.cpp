// A cache that is read all the time and changed now and then, under a read-write lock.
#include <pthread.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

namespace {

struct Record {
  std::uint64_t fields[8]; // a reader must see all of them from one update: their sum is `8 * key`
};

pthread_rwlock_t cache_lock = PTHREAD_RWLOCK_INITIALIZER;
std::vector<Record> cache;

void fill(Record& record, std::uint64_t key, std::uint64_t shift) {
  for (unsigned i = 0; i < 8; ++i) record.fields[i] = i % 2 == 0 ? key + shift : key - shift;
}

void work(std::uint64_t seed, std::size_t operations, std::uint64_t* checksum) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < operations; ++i) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    const std::uint64_t first = (seed >> 33) % (cache.size() - 16);
    if (i % 64 == 0) {
      pthread_rwlock_wrlock(&cache_lock);
      fill(cache[first], first, seed >> 50);
      pthread_rwlock_unlock(&cache_lock);
    } else {
      pthread_rwlock_rdlock(&cache_lock);
      for (std::uint64_t key = first; key < first + 16; ++key)
        for (const std::uint64_t field : cache[key].fields) sum += field;
      pthread_rwlock_unlock(&cache_lock);
    }
  }
  *checksum = sum;
}

} // namespace

int main(int argc, char** argv) {
  const std::size_t operations = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 600'000;
  cache.resize(20'000);
  for (std::size_t key = 0; key < cache.size(); ++key) fill(cache[key], key, 0);
  std::uint64_t checksums[2] = {};
  std::thread first(work, 1, operations, &checksums[0]), second(work, 2, operations, &checksums[1]);
  first.join();
  second.join();
  std::printf("%llu\n", static_cast<unsigned long long>(checksums[0] + checksums[1]));
}
