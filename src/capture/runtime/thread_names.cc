// Maps pthread_t to thread number, for join, detach and cancel. A pthread_t may be reused after its
// thread is gone.
#include <sys/types.h>

#include "capture/runtime/os.h"
#include "capture/runtime/thread.h"

namespace sooth::runtime {
namespace {

struct Row {
  unsigned long pthread; // 0: free
  std::uint32_t number;
};
constexpr std::size_t kRows = std::size_t{1} << 16; // open addressing; live and unjoined threads only
Row g_rows[kRows];
std::size_t g_used;
constexpr std::uint32_t kNumbers = 1u << 24;
std::uint64_t g_bound[kNumbers / 64]; // a bit for each thread number that was ever bound
os::SpinLock g_lock;

std::size_t home(unsigned long pthread) {
  return static_cast<std::size_t>((pthread >> 6) * 0x9e3779b97f4a7c15u >> 48) % kRows;
}

std::size_t find(unsigned long pthread) {
  std::size_t i = home(pthread);
  while (g_rows[i].pthread != 0 && g_rows[i].pthread != pthread) i = (i + 1) % kRows;
  return i;
}

} // namespace

void thread_bind(unsigned long pthread, std::uint32_t number) {
  os::Guard guard(g_lock);
  if (number >= kNumbers || (g_bound[number / 64] >> (number % 64) & 1) != 0) return;
  g_bound[number / 64] |= std::uint64_t{1} << (number % 64);
  Row& row = g_rows[find(pthread)];
  if (row.pthread == 0 && g_used >= kRows / 2) return unsupported("more than 32768 unjoined threads");
  g_used += row.pthread == 0;
  row = {pthread, number};
}

std::uint32_t thread_of(unsigned long pthread) {
  os::Guard guard(g_lock);
  const Row& row = g_rows[find(pthread)];
  return row.pthread == 0 ? kNoThread : row.number;
}

void thread_unbind(unsigned long pthread, std::uint32_t number) {
  os::Guard guard(g_lock);
  std::size_t hole = find(pthread);
  if (g_rows[hole].pthread == 0 || g_rows[hole].number != number) return;
  --g_used;
  // Rows behind the hole move up, so that probing never meets a gap.
  for (std::size_t i = (hole + 1) % kRows; g_rows[i].pthread != 0; i = (i + 1) % kRows) {
    const std::size_t wish = home(g_rows[i].pthread);
    if ((i - wish) % kRows < (i - hole) % kRows) continue;
    g_rows[hole] = g_rows[i];
    hole = i;
  }
  g_rows[hole].pthread = 0;
}

void forget_thread_names() {
  g_lock.reset();
  os::zero(g_rows, sizeof g_rows);
  os::zero(g_bound, sizeof g_bound);
  g_used = 0;
}

} // namespace sooth::runtime
