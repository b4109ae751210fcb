// The frame around every hook of the observing layer. Hooks run beside each other (section.h), and
// send their messages when they end.
#pragma once

#include "capture/runtime/observing/observing.h"
#include "capture/runtime/observing/table.h"
#include "capture/runtime/observing/threads.h"
#include "observe/wire.h"

namespace sooth::runtime::observing {

struct AskedCall; // ask.h

// Counts for the end of the report. Add to them with `add_to`.
struct Counts {
  std::uint64_t external_writes;
  std::uint64_t horizons;
  std::uint64_t forks;
  std::uint64_t unsupported;
  std::uint64_t early;       // hooks that ran before the observer knew all names of the property
  std::uint64_t handed_over; // times that a thread learned a clock that is only guessed (own_pages.h)
  std::uint64_t late_names;  // threads that got their names after their start had to be sent
};
extern Counts g_counts;
inline void add_to(std::uint64_t& count) { __atomic_fetch_add(&count, 1, __ATOMIC_RELAXED); }

// The thread is inside while it lives. Nested hooks do nothing. Meanwhile nothing is recorded, and
// no signal handler runs a hook. At the end it sends the thread's messages; if the observer has to
// answer, the thread is alone until then, and what the observer wants to be called is called last.
class Hook {
public:
  // Null: does nothing. `stores`: the store that is under way is this hook's own.
  explicit Hook(Thread* t, bool stores = false);
  ~Hook();
  Hook(const Hook&) = delete;
  Hook& operator=(const Hook&) = delete;

  // Null if there is nothing to do: the observer is gone, nothing can be predicted any more, or the
  // program has ended.
  ThreadState* self() const { return self_; }
  // From now on, until the hook ends, no other thread is inside. Others may have run hooks before
  // this returns: hold no line, and look again.
  void alone();
  // Lets others run their hooks. Hold no line.
  void step_aside();

private:
  void end();
  void send_before_leaving();
  Thread* t_;
  ThreadState* self_ = nullptr;
  bool outermost_ = false;
  bool blocked_ = false;
  std::uint64_t mask_ = 0;
  AskedCall* calls_ = nullptr; // what the observer wants to be called when the hook is over
};

// The calling thread's state, while the observer knows the thread.
extern constinit thread_local ThreadState* g_own;

// Whether hooks may take the quick paths of quick.h: there is an observer, it knows all names, and
// no property needs more than that.
extern bool g_quick;

// The thread's clock has changed in this hook.
void knows_more(Thread* t, ThreadState& self);

// Step 1 of Algorithm A: the thread's next event is relevant. It takes its position in the observed
// run. Call it with everything held that the event touches, before the clocks of these move.
void begin_relevant(ThreadState& self);
// Step 4: the message. `written`: indexes of variables. Their values are those in the table.
void send_event(ThreadState& self, trace::EventKind kind, std::uint32_t site, std::uint64_t happened,
                const std::uint32_t* written, std::size_t written_count);
// The position of the newest event.
std::uint64_t newest_position();
// Sends the start of the thread `of`, as `of` keeps it.
void send_start(ThreadState& self, ThreadState& of, std::uint64_t happened);
// Everything so far happens before this thread's next event.
void see_everything(ThreadState& self);
void send_fork(ThreadState& self, ThreadState& parent, std::uint32_t child);
void send_end(ThreadState& self, ThreadState& of);
void send_waits(ThreadState& self, std::uint32_t other);
// Everything sent so far happens before everything that follows. Counts restart. Only alone.
void send_checkpoint(ThreadState& self, observe::wire::CheckpointKind kind, std::uint32_t site);

// No more messages: the program ends, or nothing after this could be trusted.
void end_messages();

} // namespace sooth::runtime::observing
