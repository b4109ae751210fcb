#include "capture/runtime/recording/hand_over.h"

#include <linux/membarrier.h>

#include "capture/runtime/os.h"
#include "capture/runtime/recording/buffer.h"
#include "capture/runtime/recording/clock.h"
#include "capture/runtime/recording/file.h"

namespace sooth::runtime {
namespace {

constexpr std::size_t kRowsBytes = 64 * 1024;
constexpr std::uint32_t kRows = (kRowsBytes - sizeof(trace::ChunkHeader)) / sizeof(trace::MoveRow);

// Pages of the file itself, as the threads' buffers are: a row is in the file before any event that
// relies on it.
struct Rows {
  trace::MoveRow* rows;
  std::uint32_t used;
};
Rows g_rows, g_next_rows;
os::SpinLock g_rows_lock;
bool g_no_rows; // the file has no room for more
bool g_can_pass_barrier;

bool make_rows(Rows& out) {
  std::uint64_t offset = 0;
  trace::ChunkHeader* header = map_live(kRowsBytes, offset);
  if (header == nullptr) return false;
  header->type = static_cast<std::uint32_t>(trace::ChunkType::Moves);
  header->state = 1;
  out = {reinterpret_cast<trace::MoveRow*>(header + 1), 0};
  return true;
}

void write_row(Thread* t, const trace::MoveRow& row) {
  os::Guard guard(g_rows_lock);
  if (g_rows.used == kRows) g_rows = g_next_rows, g_next_rows = {};
  if (g_rows.rows == nullptr || g_rows.used == kRows) return stop_for_lack_of_room(t);
  trace::MoveRow& out = g_rows.rows[g_rows.used++];
  out.block = row.block;
  out.number = row.number;
  out.owner = row.owner;
  out.epoch = row.epoch;
  __atomic_store_n(&out.from, row.from, __ATOMIC_RELEASE); // last: a row is whole or not there
  if (g_next_rows.rows == nullptr && g_rows.used > kRows / 2 && !make_rows(g_next_rows))
    __atomic_store_n(&g_no_rows, true, __ATOMIC_RELAXED);
}

// A number above all that any thread has given so far. The numbers after it are the calling
// thread's, and every plain access that begins from now on gets a larger one.
std::uint64_t number_above_all(Thread* t) {
  catch_up(t);
  reading(t);
  const std::uint64_t above = t->clock + 1;
  t->clock = t->raised = above + 1;
  raise(g_time, t->clock);
  return above;
}

// The stores that the owner had begun are made before anybody goes on. One that never ends (its
// handler jumped away) is not waited for.
void wait_for_stores(std::uint32_t owner) {
  constexpr unsigned kMost = 4096; // about a quarter of a second
  for (unsigned i = 0; i < kMost; ++i) {
    if (!store_is_under_way(owner)) return;
    if (i < 1024) os::yield();
    else {
      const timespec moment = {0, 60'000};
      os::call(SYS_nanosleep, reinterpret_cast<long>(&moment), 0);
    }
  }
  forget_store(owner);
  count(Defect::DroppedEvents);
}

} // namespace

bool can_hand_over() {
  g_can_pass_barrier = !os::failed(os::call(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0));
  return g_can_pass_barrier;
}
bool can_pass_barrier() { return g_can_pass_barrier; }
void pass_barrier() { os::call(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0); }

bool has_rows_left() {
  if (__atomic_load_n(&g_no_rows, __ATOMIC_RELAXED)) return false;
  if (__builtin_expect(__atomic_load_n(&g_rows.rows, __ATOMIC_RELAXED) != nullptr, 1)) return true;
  os::Guard guard(g_rows_lock);
  if (g_rows.rows != nullptr) return true;
  Rows made = {};
  if (!make_rows(made)) {
    __atomic_store_n(&g_no_rows, true, __ATOMIC_RELAXED);
    return false;
  }
  g_rows.used = 0;
  __atomic_store_n(&g_rows.rows, made.rows, __ATOMIC_RELAXED);
  return true;
}

void forget_rows() {
  g_rows = g_next_rows = {};
  g_no_rows = false;
  g_rows_lock.reset();
}

void hand_over_in_order(Thread* t, std::uint64_t block, std::uint32_t owner, std::uint32_t epoch) {
  const std::uint64_t number = number_above_all(t);
  write_row(t, {block, number, owner, epoch, number + 1});
}

// Why two barriers: after the first one the owner leaves nothing more out, so its clock is above
// all events before its last omitted access. After the second one its plain accesses get numbers
// above `number`. So if no store is under way then, all those of its events before `number` are
// made, and no glued block of it lies on both sides.
void hand_over_now(Thread* t, std::uint64_t block, std::uint32_t owner) {
  constexpr unsigned kTries = 16;
  pass_barrier();
  std::uint64_t number = 0;
  for (unsigned tries = 0; tries < kTries; ++tries) {
    number = number_above_all(t);
    pass_barrier();
    if (!store_is_under_way(owner)) break;
    wait_for_stores(owner);
  }
  write_row(t, {block, number, owner, 0, number + 1});
}

void give_up(Thread* t, std::uint64_t block) {
  const std::uint64_t number = number_above_all(t);
  write_row(t, {block, number, t->number, 0, number + 1});
}

} // namespace sooth::runtime
