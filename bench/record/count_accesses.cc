// Counts the memory accesses of a program that was compiled (not linked) with -fsanitize=thread: this file takes the
// place of ThreadSanitizer's runtime. So "bytes per access" in docs/benchmarks.md divides by a count that neither
// tool made up. At the end the number goes to the file that the environment variable ACCESS_COUNT names.
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

std::atomic<std::uint64_t> total{0};

void write_total() {
  const char* path = std::getenv("ACCESS_COUNT");
  std::FILE* file = path != nullptr ? std::fopen(path, "w") : nullptr;
  if (file == nullptr) return;
  std::fprintf(file, "%llu\n", static_cast<unsigned long long>(total.load()));
  std::fclose(file);
}

struct Counter {
  std::uint64_t accesses = 0;
  // Relaxed: the sum is read after all threads have been joined.
  ~Counter() { total.fetch_add(accesses, std::memory_order_relaxed); }
};
thread_local Counter counter;

} // namespace

extern "C" {

void __tsan_init() {
  static const int once = std::atexit(write_total);
  (void)once;
}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
void __tsan_vptr_read(void**) { ++counter.accesses; }
void __tsan_vptr_update(void**, void*) { ++counter.accesses; }
void __tsan_read_range(void*, unsigned long) { ++counter.accesses; }
void __tsan_write_range(void*, unsigned long) { ++counter.accesses; }
void* __tsan_memcpy(void* to, const void* from, unsigned long size) {
  counter.accesses += 2;
  return std::memcpy(to, from, size);
}
void* __tsan_memmove(void* to, const void* from, unsigned long size) {
  counter.accesses += 2;
  return std::memmove(to, from, size);
}
void* __tsan_memset(void* to, int byte, unsigned long size) {
  ++counter.accesses;
  return std::memset(to, byte, size);
}

#define PLAIN(name)                                                                                                    \
  void __tsan_##name(void*) { ++counter.accesses; }
#define PLAIN_SIZES(name) PLAIN(name##1) PLAIN(name##2) PLAIN(name##4) PLAIN(name##8) PLAIN(name##16)
PLAIN_SIZES(read)
PLAIN_SIZES(write)
PLAIN_SIZES(unaligned_read)
PLAIN_SIZES(unaligned_write)
PLAIN_SIZES(read_write)
PLAIN_SIZES(unaligned_read_write)
PLAIN_SIZES(volatile_read)
PLAIN_SIZES(volatile_write)

// The strongest order everywhere: counting is not timed.
#define FETCH(bits, name)                                                                                              \
  std::uint##bits##_t __tsan_atomic##bits##_##name(std::uint##bits##_t* p, std::uint##bits##_t value, int) {           \
    ++counter.accesses;                                                                                                \
    return __atomic_##name(p, value, __ATOMIC_SEQ_CST);                                                                \
  }
#define ATOMICS(bits)                                                                                                  \
  std::uint##bits##_t __tsan_atomic##bits##_load(const std::uint##bits##_t* p, int) {                                  \
    ++counter.accesses;                                                                                                \
    return __atomic_load_n(p, __ATOMIC_SEQ_CST);                                                                       \
  }                                                                                                                    \
  void __tsan_atomic##bits##_store(std::uint##bits##_t* p, std::uint##bits##_t value, int) {                           \
    ++counter.accesses;                                                                                                \
    __atomic_store_n(p, value, __ATOMIC_SEQ_CST);                                                                      \
  }                                                                                                                    \
  std::uint##bits##_t __tsan_atomic##bits##_exchange(std::uint##bits##_t* p, std::uint##bits##_t value, int) {         \
    ++counter.accesses;                                                                                                \
    return __atomic_exchange_n(p, value, __ATOMIC_SEQ_CST);                                                            \
  }                                                                                                                    \
  std::uint##bits##_t __tsan_atomic##bits##_compare_exchange_val(std::uint##bits##_t* p, std::uint##bits##_t expected, \
                                                                 std::uint##bits##_t desired, int, int) {              \
    ++counter.accesses;                                                                                                \
    __atomic_compare_exchange_n(p, &expected, desired, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);                     \
    return expected;                                                                                                   \
  }                                                                                                                    \
  FETCH(bits, fetch_add)                                                                                               \
  FETCH(bits, fetch_sub) FETCH(bits, fetch_and) FETCH(bits, fetch_or) FETCH(bits, fetch_xor) FETCH(bits, fetch_nand)
ATOMICS(8)
ATOMICS(16)
ATOMICS(32)
ATOMICS(64)
void __tsan_atomic_thread_fence(int) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
void __tsan_atomic_signal_fence(int) {}

} // extern "C"
