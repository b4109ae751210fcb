#include "cli/memory_guard.h"

#include <cstdlib>

#include <malloc.h>

#include "base/budget.h"

namespace sooth::cli {
namespace {

constexpr std::size_t kLarge = 16 << 10;      // bytes of an allocation that may be refused
constexpr std::uint64_t kBetweenLooks = 128;  // that part of the memory is allocated before the next look
constexpr unsigned kKeptBefore = 7, kOf = 10; // of the events, in the next attempt
constexpr std::uint64_t kForOthers = 8;       // that part is for threads without a guard
constexpr std::size_t kFewest = 1000;         // events; with fewer ones something else takes the memory

thread_local constinit std::uint64_t limit = 0;
thread_local constinit std::uint64_t unseen = 0; // bytes in large allocations since the last look

void look(std::size_t bytes) {
  unseen += bytes;
  if (unseen < limit / kBetweenLooks) return;
  unseen = 0;
  const auto fits = [&] { return resident_memory() + bytes <= limit; };
  if (fits()) return;
  malloc_trim(0); // what was freed may still be counted
  if (!fits()) throw MemorySpent();
}

void* allocate(std::size_t bytes) {
  if (bytes >= kLarge && limit != 0) look(bytes);
  return std::malloc(bytes == 0 ? 1 : bytes);
}

} // namespace

MemoryGuard::MemoryGuard(std::uint64_t bytes) {
  limit = bytes - bytes / kForOthers;
  unseen = 0;
}
MemoryGuard::~MemoryGuard() { limit = 0; }

MemoryGuard::Pause::Pause() : bytes_(limit) { limit = 0; }
MemoryGuard::Pause::~Pause() { limit = bytes_; }

Attempt first_attempt(std::uint64_t bytes) {
  Attempt attempt;
  attempt.bytes = bytes;
  return attempt;
}

Attempt next_attempt(const Attempt& failed) {
  malloc_trim(0);
  Attempt next;
  next.again = true;
  next.most = failed.events / kOf * kKeptBefore;
  next.bytes = failed.bytes;
  if (next.most < kFewest) next.most = next.bytes = 0; // then there is nothing that fewer events could help
  return next;
}

} // namespace sooth::cli

// All of the program's, for there is no other way to see what the containers of the libraries allocate.
void* operator new(std::size_t bytes) {
  if (void* memory = sooth::cli::allocate(bytes)) return memory;
  throw std::bad_alloc();
}
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  try {
    return sooth::cli::allocate(bytes);
  } catch (const sooth::cli::MemorySpent&) {
    return nullptr;
  }
}
void* operator new[](std::size_t bytes) { return operator new(bytes); }
void* operator new[](std::size_t bytes, const std::nothrow_t& nothrow) noexcept { return operator new(bytes, nothrow); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
