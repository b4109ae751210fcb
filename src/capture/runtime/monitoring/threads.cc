// Threads of a monitored program. The creator makes a child's state, and hands on its knowledge.
// The state lives until the thread is joined, or has ended detached. Then its room and its place in
// the vectors go to another thread.
#include "capture/runtime/modules.h"
#include "capture/runtime/monitoring/state.h"
#include "capture/runtime/os.h"
#include "knowledge/places.h"

namespace sooth::runtime::monitoring {
namespace {

constexpr std::size_t kRows = 1024;
os::SpinLock g_lock;        // all of these
ThreadState* g_rows[kRows]; // by number: threads that exist, and those that ended and may still be joined
ThreadState* g_free;
knowledge::Places g_places;
// Names of threads that are gone: reports may still mention them. Each row has the latest.
struct FormerName {
  std::uint32_t number;
  std::uint32_t name; // 0: none
} g_former_names[kRows];
knowledge::Faults g_faults; // of threads whose state is gone

ThreadState** find(std::uint32_t number) {
  ThreadState** link = &g_rows[number % kRows];
  while (*link != nullptr && (*link)->number != number) link = &(*link)->next;
  return link;
}

// Needs the lock.
ThreadState* make_state(std::uint32_t number, const knowledge::Thread* creator) {
  constexpr std::size_t header = (sizeof(ThreadState) + 63) / 64 * 64;
  const std::size_t words = g_setup.thread_words();
  const std::size_t touches = g_setup.compiled.variable_count() + kMostPieces;
  ThreadState* fresh = g_free;
  if (fresh != nullptr) {
    g_free = fresh->next;
  } else {
    fresh = static_cast<ThreadState*>(
        os::pages(header + touches * sizeof(knowledge::Touch) + words * sizeof(knowledge::Word)));
    if (fresh == nullptr) return nullptr;
  }
  *fresh = {};
  fresh->number = number;
  fresh->touches = reinterpret_cast<knowledge::Touch*>(reinterpret_cast<std::uint8_t*>(fresh) + header);
  auto* memory = reinterpret_cast<knowledge::Word*>(fresh->touches + touches);
  const std::uint32_t place = g_setup.ranges ? g_places.take(g_setup, creator, number) : knowledge::kNoPlace;
  fresh->core = knowledge::make_thread(g_setup, memory, number, place);
  note_roles(*fresh);
  ThreadState** link = find(number);
  fresh->next = nullptr;
  *link = fresh;
  return fresh;
}

// Needs the lock. `joined`: another thread has all of its knowledge.
void drop_state(ThreadState* state, bool joined) {
  ThreadState** link = find(state->number);
  if (*link != state) return;
  *link = state->next;
  if (state->name != 0) g_former_names[state->number % kRows] = {state->number, state->name};
  if (state->core->place != knowledge::kNoPlace) {
    if (joined) g_places.joined(state->core->place, state->number);
    else g_places.ended_detached(state->core->place, state->number);
  }
  g_faults += state->core->faults;
  knowledge::release_thread(g_setup, *state->core);
  state->next = g_free;
  g_free = state;
}

void fork_child(ThreadState& self, std::uint32_t number, std::uint32_t site) {
  knowledge::Outcome outcome;
  {
    os::Guard guard(g_lock);
    ThreadState* child = make_state(number, self.core);
    if (child == nullptr) return;
    outcome = knowledge::fork(g_setup, *self.core, *child->core);
  }
  judged(self, outcome, site);
}

void join_child(ThreadState& self, std::uint32_t number, std::uint32_t site) {
  knowledge::Outcome outcome;
  {
    os::Guard guard(g_lock);
    ThreadState* child = *find(number);
    if (child == nullptr || !child->ended || child == &self) return;
    outcome = knowledge::join(g_setup, *self.core, *child->core);
    drop_state(child, true);
  }
  judged(self, outcome, site);
}

void detach_child(std::uint32_t number) {
  os::Guard guard(g_lock);
  ThreadState* child = *find(number);
  if (child == nullptr) return;
  child->detached = true;
  if (child->ended) drop_state(child, false);
}

} // namespace

bool make_threads() {
  if (!g_setup.ranges) return true;
  auto* memory = static_cast<knowledge::Word*>(os::pages(2 * g_setup.layout.places * sizeof(knowledge::Word)));
  if (memory == nullptr) return false;
  g_places.begin(memory, g_setup.layout.places);
  return true;
}

ThreadState* state_of(Thread* t) {
  if (__builtin_expect(t->monitored != nullptr, 1)) return t->monitored;
  os::Guard guard(g_lock);
  ThreadState* state = *find(t->number);
  if (state == nullptr) state = make_state(t->number, nullptr); // no thread announced it
  t->monitored = state;
  return state;
}

void thread_event(Thread* t, ThreadState& self, EventKind kind, std::uint64_t value, std::uint32_t site) {
  const auto number = static_cast<std::uint32_t>(value);
  switch (kind) {
  case EventKind::Fork: return fork_child(self, number, site);
  case EventKind::Join: return join_child(self, number, site);
  case EventKind::Detach: return detach_child(number);
  case EventKind::ThreadStart: return judged(self, knowledge::start(g_setup, *self.core), site);
  case EventKind::ThreadEnd: {
    judged(self, knowledge::end(g_setup, *self.core), site);
    t->monitored = nullptr;
    os::Guard guard(g_lock);
    self.ended = true;
    if (self.detached) drop_state(&self, false);
    return;
  }
  default: return;
  }
}

void no_child(Thread*, std::uint32_t number) {
  os::Guard guard(g_lock);
  if (ThreadState* child = *find(number)) drop_state(child, true);
}

void name_thread(ThreadState& self, std::uint32_t name, std::uint64_t whose, std::uint32_t site) {
  if (whose == 0) {
    self.name = name;
    const knowledge::Outcome outcome = knowledge::take_name(g_setup, *self.core, name_of(name));
    note_roles(self);
    return judged(self, outcome, site);
  }
  os::Guard guard(g_lock);
  if (ThreadState* other = *find(static_cast<std::uint32_t>(whose - 1)))
    __atomic_store_n(&other->named_by, name + 1, __ATOMIC_RELEASE);
}

void take_given_name(ThreadState& self, std::uint32_t site) {
  const std::uint32_t name = __atomic_exchange_n(&self.named_by, 0, __ATOMIC_ACQUIRE);
  if (name != 0) name_thread(self, name - 1, 0, site);
}

void hold_all_threads() { g_lock.lock(); }
void let_go_all_threads() { g_lock.unlock(); }

void forget_other_threads(ThreadState& self) {
  os::Guard guard(g_lock);
  for (ThreadState*& row : g_rows) {
    for (ThreadState* state = row; state != nullptr;) {
      ThreadState* next = state->next;
      if (state != &self) {
        knowledge::forget_thread(g_setup, *self.core, *state->core);
        drop_state(state, true);
      }
      state = next;
    }
  }
  g_faults = self.core->faults = {}; // a child counts its own
}

void tell_places() {
  os::Guard guard(g_lock);
  if (g_places.given_early() + g_places.refused() != 0)
    complain_about_places(g_places.given_early(), g_places.refused());
}

void tell_faults() {
  os::Guard guard(g_lock);
  knowledge::Faults all = g_faults;
  for (const ThreadState* state : g_rows)
    for (; state != nullptr; state = state->next) all += state->core->faults; // of running threads: as of now
  if (all.any()) complain_about_faults(all);
}

const char* thread_name(std::uint32_t number) {
  os::Guard guard(g_lock);
  if (const ThreadState* state = *find(number)) return name_of(__atomic_load_n(&state->name, __ATOMIC_RELAXED));
  const FormerName& former = g_former_names[number % kRows];
  return former.number == number ? name_of(former.name) : "";
}

} // namespace sooth::runtime::monitoring
