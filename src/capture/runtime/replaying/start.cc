// The beginning and the end of a replayed program.
#include "capture/runtime/replaying/state.h"

#include <sys/stat.h>

#include "capture/runtime/inputs/fed.h"
#include "capture/runtime/modules.h"

namespace sooth::runtime {

using replay::ScheduleHeader;

ScheduleHeader* g_schedule;
const replay::ThreadRow* g_thread_rows;
const replay::StepRow* g_step_rows;
ReplayedThread* g_replayed;
bool g_may_look;

namespace {

constexpr std::size_t kMostSites = std::size_t{1} << 22;
std::uint64_t* g_places; // by site; 0: not known yet

// The schedule that the file holds, or null.
ScheduleHeader* map_schedule(const char* path, std::uint64_t& bytes) {
  const long file = os::call(SYS_openat, AT_FDCWD, reinterpret_cast<long>(path), O_RDWR | O_CLOEXEC);
  if (os::failed(file)) return nullptr;
  struct stat info = {};
  const bool known = !os::failed(os::call(SYS_fstat, file, reinterpret_cast<long>(&info)));
  bytes = static_cast<std::uint64_t>(known ? info.st_size : 0);
  auto* header = bytes >= sizeof(ScheduleHeader)
                     ? static_cast<ScheduleHeader*>(os::map_file(static_cast<int>(file), 0, bytes))
                     : nullptr;
  os::call(SYS_close, file);
  const bool whole = header != nullptr && header->magic == replay::kScheduleMagic && header->threads != 0 &&
                     header->threads <= replay::kMostThreads && header->steps <= replay::kMostSteps &&
                     replay::bytes_of_schedule(header->threads, header->steps) <= bytes;
  return whole ? header : nullptr;
}

// The first process that comes follows the schedule; its children run as they are.
bool claim(ScheduleHeader& header) {
  std::uint32_t nobody = 0;
  return __atomic_compare_exchange_n(&header.process, &nobody, static_cast<std::uint32_t>(os::pid()), false,
                                     __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

bool has_processors() {
  std::uint64_t processors[128] = {};
  const long bytes = os::call(SYS_sched_getaffinity, 0, sizeof processors, reinterpret_cast<long>(processors));
  int count = 0;
  for (long i = 0; i < bytes / 8; ++i) count += __builtin_popcountll(processors[i]);
  return count > 1;
}

void make_threads() {
  for (std::uint32_t i = 0; i < g_schedule->threads; ++i)
    g_replayed[i].row = i, g_replayed[i].number = kNoThread, g_replayed[i].step = g_schedule->steps;
  for (std::uint32_t i = g_schedule->steps; i-- > 0;) { // each thread's first step remains
    ReplayedThread& thread = g_replayed[g_step_rows[i].thread];
    thread.step = i;
    thread.left = g_step_rows[i].count;
  }
  g_replayed[0].number = 0;
}

} // namespace

bool replay_is_wanted() {
  const char* path = os::environment("SOOTH_REPLAY");
  return path != nullptr && *path != 0;
}

bool replay_start() {
  std::uint64_t bytes = 0;
  g_schedule = map_schedule(os::environment("SOOTH_REPLAY"), bytes);
  if (g_schedule == nullptr || !claim(*g_schedule)) return false;
  g_thread_rows = reinterpret_cast<const replay::ThreadRow*>(g_schedule + 1);
  g_step_rows = reinterpret_cast<const replay::StepRow*>(g_thread_rows + g_schedule->threads);
  g_replayed = static_cast<ReplayedThread*>(os::pages(g_schedule->threads * sizeof *g_replayed));
  g_places = static_cast<std::uint64_t*>(os::pages(kMostSites * sizeof *g_places));
  bool fits = g_replayed != nullptr && g_places != nullptr;
  for (std::uint32_t i = 0; i < g_schedule->steps; ++i)
    fits = fits && g_step_rows[i].thread < g_schedule->threads && g_step_rows[i].next > i;
  const std::uint64_t steps_end = replay::bytes_of_schedule(g_schedule->threads, g_schedule->steps);
  fits = fits && start_feeding(reinterpret_cast<const std::uint8_t*>(g_schedule) + steps_end, bytes - steps_end);
  if (!fits) {
    end_replay(*g_schedule, replay::State::Diverged, replay::Reason::Unknown);
    return false;
  }
  make_threads();
  g_may_look = has_processors();
  static constexpr Sink kReplay = {
      Mode::Replaying,
      replayed_access,
      replayed_fill,
      replayed_sync,
      replayed_failed,
      [](Thread*, const std::uint64_t*, const std::uint64_t*) {},
      [](Thread*, std::uint32_t) {},
      [](Thread*, std::uint32_t) {}, // pthread_create failed: the schedule waits for the thread in vain
      replayed_finish,
  };
  g_sink = &kReplay;
  return true;
}

std::uint64_t place_of_site(std::uint32_t site) {
  std::uint64_t* known = site < kMostSites ? &g_places[site] : nullptr;
  if (known != nullptr && __atomic_load_n(known, __ATOMIC_RELAXED) != 0) return *known;
  const SiteText text = text_of_site(site);
  const std::uint64_t place = replay::place_hash(text.file, text.line, text.column, text.function);
  if (known != nullptr) __atomic_store_n(known, place, __ATOMIC_RELAXED); // everybody computes the same
  return place;
}

void replayed_finish(trace::EndKind kind, int) {
  if (kind == trace::EndKind::Exec) return; // it may fail
  Quiet quiet;
  diverge(nullptr, replay::Reason::Ended, nullptr);
}

} // namespace sooth::runtime
