#include "capture/runtime/observing/threads.h"

#include "capture/runtime/observing/lock.h"
#include "capture/runtime/observing/slots.h"

namespace sooth::runtime::observing {
namespace {

constexpr std::uint32_t kPerBlock = 1024;
constexpr std::uint32_t kBlocks = 1024; // as many threads as the protocol can name
ThreadState** g_blocks[kBlocks];
FutexLock g_threads_lock; // for those who add one

} // namespace

std::uint32_t g_thread_count;

ThreadState* find_thread(std::uint32_t number) {
  if (number >= kBlocks * kPerBlock) return nullptr;
  ThreadState** block = __atomic_load_n(&g_blocks[number / kPerBlock], __ATOMIC_ACQUIRE);
  return block != nullptr ? __atomic_load_n(&block[number % kPerBlock], __ATOMIC_ACQUIRE) : nullptr;
}

ThreadState* thread_state(std::uint32_t number) {
  if (ThreadState* thread = find_thread(number)) return thread;
  if (number >= kBlocks * kPerBlock) return nullptr;
  Locked lock(g_threads_lock);
  if (ThreadState* thread = find_thread(number)) return thread; // its parent or it itself was faster
  ThreadState** block = g_blocks[number / kPerBlock];
  if (block == nullptr) block = static_cast<ThreadState**>(os::pages(kPerBlock * sizeof *block));
  auto* thread = static_cast<ThreadState*>(take_memory(sizeof(ThreadState)));
  if (block == nullptr || thread == nullptr) return nullptr;
  os::zero(thread, sizeof *thread);
  thread->number = number;
  thread->unsent = ~std::uint64_t{0};
  if (!take_slot(*thread)) return nullptr;
  __atomic_store_n(&g_blocks[number / kPerBlock], block, __ATOMIC_RELEASE);
  __atomic_store_n(&block[number % kPerBlock], thread, __ATOMIC_RELEASE);
  if (number >= g_thread_count) __atomic_store_n(&g_thread_count, number + 1, __ATOMIC_RELEASE);
  return thread;
}

std::uint8_t* out_room(ThreadState& thread, std::size_t bytes) {
  if (thread.out_room - thread.out_used < bytes) {
    std::size_t room = thread.out_room != 0 ? thread.out_room : 1024;
    while (room - thread.out_used < bytes) room *= 2;
    auto* larger = static_cast<std::uint8_t*>(take_memory(room));
    if (larger == nullptr) return nullptr;
    if (thread.out != nullptr) {
      os::copy(larger, thread.out, thread.out_used);
      drop_memory(thread.out, thread.out_room);
    }
    thread.out = larger;
    thread.out_room = room;
  }
  return thread.out + thread.out_used;
}

} // namespace sooth::runtime::observing
