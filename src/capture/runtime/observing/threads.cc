#include "capture/runtime/observing/threads.h"

#include "capture/runtime/os.h"

namespace sooth::runtime::observing {
namespace {

constexpr std::uint32_t kPerBlock = 1024;
constexpr std::uint32_t kBlocks = 1024; // as many threads as the protocol can name
ThreadState** g_blocks[kBlocks];

} // namespace

std::uint64_t g_hook;
std::uint32_t g_thread_count;

ThreadState* find_thread(std::uint32_t number) {
  if (number >= kBlocks * kPerBlock || g_blocks[number / kPerBlock] == nullptr) return nullptr;
  return g_blocks[number / kPerBlock][number % kPerBlock];
}

ThreadState* thread_state(std::uint32_t number) {
  if (ThreadState* thread = find_thread(number)) return thread;
  if (number >= kBlocks * kPerBlock) return nullptr;
  ThreadState**& block = g_blocks[number / kPerBlock];
  if (block == nullptr) block = static_cast<ThreadState**>(os::pages(kPerBlock * sizeof *block));
  auto* thread = static_cast<ThreadState*>(take_memory(sizeof(ThreadState)));
  if (block == nullptr || thread == nullptr) return nullptr;
  os::zero(thread, sizeof *thread);
  thread->number = number;
  thread->unsent = ~std::uint64_t{0};
  block[number % kPerBlock] = thread;
  if (number >= g_thread_count) g_thread_count = number + 1;
  return thread;
}

bool has_gone_on(std::uint32_t number, std::uint64_t hook) {
  const ThreadState* thread = find_thread(number);
  return thread == nullptr || newest_hook(*thread) > hook;
}

std::uint64_t next_hook(std::uint32_t number, std::uint64_t hook) {
  const ThreadState* thread = find_thread(number);
  if (thread == nullptr) return 0;
  std::uint64_t found = ~std::uint64_t{0};
  for (const std::uint64_t other : thread->hooks)
    if (other > hook && other < found) found = other;
  return found;
}

void end_hook(ThreadState& thread) {
  if (newest_hook(thread) == g_hook) return;
  thread.newest = (thread.newest + 1) % ThreadState::kHooks;
  thread.hooks[thread.newest] = g_hook;
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
