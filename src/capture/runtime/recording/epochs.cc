#include "capture/runtime/recording/epochs.h"

#include "capture/runtime/os.h"
#include "capture/runtime/recording/ownership.h"

namespace sooth::runtime {
namespace {

struct Moment {
  std::uint32_t thread, epoch; // epoch 0: none
};
// `created`: the creator, and its epoch that ends with the fork. `joined`: the joiner, and its
// epoch that begins with the join.
struct Life {
  Moment created, joined;
};
Life* g_lives; // by thread
constexpr unsigned kMaxSteps = 64;

Moment load(const Moment& moment) {
  std::uint64_t both;
  both = __atomic_load_n(reinterpret_cast<const std::uint64_t*>(reinterpret_cast<std::uintptr_t>(&moment)),
                         __ATOMIC_RELAXED);
  Moment out;
  __builtin_memcpy(&out, &both, sizeof out);
  return out;
}
void store(Moment& moment, Moment value) {
  std::uint64_t both;
  __builtin_memcpy(&both, &value, sizeof both);
  __atomic_store_n(reinterpret_cast<std::uint64_t*>(reinterpret_cast<std::uintptr_t>(&moment)), both, __ATOMIC_RELAXED);
}

void next_epoch(Thread* t) {
  ++t->strong_epoch;
  use_own_word(t);
}

} // namespace

bool make_lives() {
  g_lives = static_cast<Life*>(os::pages(kMostOwners * sizeof(Life)));
  return g_lives != nullptr;
}

void forget_lives() {
  if (g_lives != nullptr) os::empty_pages(g_lives, kMostOwners * sizeof(Life));
}

void epoch_fork(Thread* t, std::uint64_t child) {
  if (g_lives == nullptr) return void(++t->strong_epoch);
  if (child < kMostOwners) store(g_lives[child].created, {t->number, t->strong_epoch});
  next_epoch(t);
}

void epoch_join(Thread* t, std::uint64_t child) {
  if (g_lives == nullptr) return void(++t->strong_epoch);
  next_epoch(t);
  if (child < kMostOwners && load(g_lives[child].joined).epoch == 0)
    store(g_lives[child].joined, {t->number, t->strong_epoch});
}

// Both are read without locks: a moment that proves something was stored before the newcomer began
// its epoch, in an order that it has seen.
bool is_before(std::uint32_t thread, std::uint32_t epoch, const Thread* t) {
  if (g_lives == nullptr) return false;
  Moment above[kMaxSteps]; // moments that come before now, nearest first
  unsigned count = 0;
  for (Moment at = {t->number, t->strong_epoch}; count < kMaxSteps;) {
    above[count++] = at;
    if (at.thread >= kMostOwners) break;
    at = load(g_lives[at.thread].created);
    if (at.epoch == 0) break;
  }
  Moment at = {thread, epoch};
  for (unsigned step = 0; step < kMaxSteps; ++step) {
    for (unsigned i = 0; i < count; ++i)
      if (above[i].thread == at.thread) return at.epoch <= above[i].epoch;
    if (at.thread >= kMostOwners) return false;
    at = load(g_lives[at.thread].joined);
    if (at.epoch == 0) return false;
  }
  return false;
}

} // namespace sooth::runtime
