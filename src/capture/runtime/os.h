// System calls without libc: safe in signal handlers, and never intercepted by this library's own
// interceptors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>

#include <errno.h>
#include <fcntl.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>

extern "C" char** environ;

namespace sooth::runtime::os {

inline long call(long number, long a = 0, long b = 0, long c = 0, long d = 0, long e = 0, long f = 0) {
  long result;
  register long r10 __asm__("r10") = d;
  register long r8 __asm__("r8") = e;
  register long r9 __asm__("r9") = f;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                   : "rcx", "r11", "memory");
  return result; // negative errno on failure
}

inline bool failed(long result) { return result < 0 && result > -4096; }

// The runtime's own memory lies apart from the program's. So the program's mappings and stacks lie
// where they would without the runtime, and in a replay where they lay in the recorded run. A wish:
// the kernel takes another place if this one is in use. Relaxed: only distinctness matters.
inline std::uint64_t g_own_place = 0x2000'0000'0000;
inline long own_place(std::size_t bytes) {
  constexpr std::uint64_t kPage = 4096, kLarge = std::uint64_t{2} << 20;
  const std::uint64_t room = (bytes + kPage - 1) / kPage * kPage;
  // Small pieces lie side by side, so that the kernel merges them; large pages fit into large ones.
  if (room < kLarge) return static_cast<long>(__atomic_fetch_add(&g_own_place, room, __ATOMIC_RELAXED));
  const std::uint64_t place = __atomic_fetch_add(&g_own_place, room + kLarge, __ATOMIC_RELAXED);
  return static_cast<long>((place + kLarge - 1) / kLarge * kLarge);
}

// Zeroed pages, or null.
inline void* pages(std::size_t bytes) {
  const long p = call(SYS_mmap, own_place(bytes), static_cast<long>(bytes), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return failed(p) ? nullptr : reinterpret_cast<void*>(p);
}
inline void give_back(void* p, std::size_t bytes) {
  call(SYS_munmap, reinterpret_cast<long>(p), static_cast<long>(bytes));
}
// Large pages, where the system has them: fewer faults, and fewer misses in address translation.
inline void prefer_large_pages(void* p, std::size_t bytes) {
  call(SYS_madvise, reinterpret_cast<long>(p), static_cast<long>(bytes), MADV_HUGEPAGE);
}
// Faults the pages in now, where the system can do that at once (Linux 5.14). `p` need not begin a
// page.
inline void touch_pages(void* p, std::size_t bytes) {
  constexpr int kPopulateWrite = 23; // MADV_POPULATE_WRITE; glibc's headers have it or not
  const long first = reinterpret_cast<long>(p) & ~4095L, end = reinterpret_cast<long>(p) + static_cast<long>(bytes);
  call(SYS_madvise, first, (end - first + 4095) & ~4095L, kPopulateWrite);
}
// Makes the pages zero again.
inline void empty_pages(void* p, std::size_t bytes) {
  call(SYS_madvise, reinterpret_cast<long>(p), static_cast<long>(bytes), MADV_DONTNEED);
}
inline void* map_file(int file, std::uint64_t offset, std::size_t bytes) {
  const long p = call(SYS_mmap, own_place(bytes), static_cast<long>(bytes), PROT_READ | PROT_WRITE, MAP_SHARED, file,
                      static_cast<long>(offset));
  return failed(p) ? nullptr : reinterpret_cast<void*>(p);
}

// This very library intercepts libc's memcpy and memset. The runtime itself uses these.
inline void copy(void* to, const void* from, std::size_t bytes) {
  if (bytes <= 128) { // `rep movsb` takes long to start
    auto* out = static_cast<std::uint8_t*>(to);
    const auto* in = static_cast<const std::uint8_t*>(from);
    for (; bytes >= 8; bytes -= 8, in += 8, out += 8) {
      __builtin_memcpy(out, in, 8);
      __asm__ volatile("" : "+r"(out)); // not to be recognised as memcpy
    }
    for (; bytes != 0; --bytes) {
      *out++ = *in++;
      __asm__ volatile("" : "+r"(out));
    }
    return;
  }
  __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(bytes) : : "memory");
}
inline void zero(void* to, std::size_t bytes) {
  __asm__ volatile("rep stosb" : "+D"(to), "+c"(bytes) : "a"(0) : "memory");
}
inline std::size_t length(const char* text) {
  std::size_t n = 0;
  for (; text[n] != 0; ++n) __asm__ volatile("" : "+r"(n)); // not to be recognised as strlen
  return n;
}

// The program has rights that its user does not have, by its file (set-user-id and the like).
// The user who starts it chooses its environment and its folder, so neither is used.
inline bool is_privileged() { return getauxval(AT_SECURE) != 0; }
// The value of a variable of the environment. Null if it is not set.
inline const char* environment(const char* name) {
  if (is_privileged()) return nullptr;
  const std::size_t n = length(name);
  for (char** row = environ; row != nullptr && *row != nullptr; ++row) {
    std::size_t i = 0;
    while (i < n && (*row)[i] == name[i]) ++i;
    if (i == n && (*row)[n] == '=') return *row + n + 1;
  }
  return nullptr;
}

inline int pid() { return static_cast<int>(call(SYS_getpid)); }
inline void yield() { call(SYS_sched_yield); }
inline std::uint64_t now_ns() {
  timespec t = {};
  call(SYS_clock_gettime, CLOCK_REALTIME, reinterpret_cast<long>(&t));
  return static_cast<std::uint64_t>(t.tv_sec) * 1'000'000'000u + static_cast<std::uint64_t>(t.tv_nsec);
}

// Blocks all signals but the synchronous ones while it lives.
class BlockSignals {
public:
  BlockSignals() {
    std::uint64_t all = ~std::uint64_t{0};
    for (const int fatal : {4, 5, 7, 8, 11}) all &= ~(std::uint64_t{1} << (fatal - 1)); // ILL TRAP BUS FPE SEGV
    call(SYS_rt_sigprocmask, 0 /* SIG_BLOCK */, reinterpret_cast<long>(&all), reinterpret_cast<long>(&old_), 8);
  }
  ~BlockSignals() { call(SYS_rt_sigprocmask, 2 /* SIG_SETMASK */, reinterpret_cast<long>(&old_), 0, 8); }
  BlockSignals(const BlockSignals&) = delete;
  BlockSignals& operator=(const BlockSignals&) = delete;

private:
  std::uint64_t old_ = 0;
};

// A lock for the runtime's own rare paths. Hold it only with signals blocked.
class SpinLock {
public:
  void lock() {
    for (unsigned spins = 0; __atomic_exchange_n(&held_, 1, __ATOMIC_ACQUIRE) != 0; ++spins) {
      if (spins > 100) yield();
      else __builtin_ia32_pause();
    }
  }
  void unlock() { __atomic_store_n(&held_, 0, __ATOMIC_RELEASE); }
  void reset() { held_ = 0; } // in the child of a fork, where no other thread can hold it

private:
  int held_ = 0;
};
class Guard {
public:
  explicit Guard(SpinLock& lock) : lock_(lock) { lock_.lock(); }
  ~Guard() { lock_.unlock(); }
  Guard(const Guard&) = delete;
  Guard& operator=(const Guard&) = delete;

private:
  BlockSignals signals_; // first in, last out
  SpinLock& lock_;
};

} // namespace sooth::runtime::os
