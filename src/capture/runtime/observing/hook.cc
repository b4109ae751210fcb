#include "capture/runtime/observing/hook.h"

#include "capture/runtime/modules.h"
#include "capture/runtime/observing/ask.h"
#include "capture/runtime/observing/channel.h"
#include "capture/runtime/observing/collect.h"
#include "capture/runtime/observing/names.h"
#include "capture/runtime/observing/own_pages.h"
#include "capture/runtime/observing/section.h"
#include "capture/runtime/observing/slots.h"
#include "capture/runtime/observing/symbols.h"
#include "capture/runtime/os.h"
#include "capture/runtime/recording/cells.h"

namespace sooth::runtime::observing {

namespace wire = observe::wire;

Counts g_counts;
bool g_quick;
constinit thread_local ThreadState* g_own = nullptr;

namespace {

bool g_closed; // no more messages are sent
bool g_handlers;
std::uint64_t g_position; // of the newest event: events take their positions from here
constinit thread_local std::uint32_t g_depth = 0;

// A thread that is silent for so many events of others would make the observer wait for it, and
// keep all those events in memory. The runtime then orders it behind them (docs/protocol.md,
// horizon).
constexpr std::uint64_t kHorizon = 1u << 14;
constexpr std::uint64_t kHorizonStep = 1u << 10;
// At most this many events may overtake a thread that is slow to send: the observer has to keep
// them.
constexpr std::uint64_t kMaxAhead = 1u << 14;
constexpr std::uint64_t kAheadStep = 1u << 8;

constexpr std::size_t kSmallFrame = 256;

void note_unsent(ThreadState& self, std::uint64_t position) {
  if (self.unsent == ~std::uint64_t{0}) __atomic_store_n(&self.unsent, position, __ATOMIC_RELEASE);
}

ThreadState* own_state(const Thread* t) { return g_own != nullptr ? g_own : thread_state(t->number); }

// A frame under construction at the end of the thread's messages.
class Frame {
public:
  Frame(ThreadState& self, wire::Type type, std::size_t room) : self_(self) {
    std::uint8_t* at = out_room(self, room);
    if (at == nullptr) return;
    begin_ = at;
    out_ = {at + wire::kLengthBytes, at + room};
    out_.byte(static_cast<std::uint8_t>(type));
  }
  // Without memory, or if it is too large for a frame, the message is lost: nothing after it could
  // be trusted.
  ~Frame() {
    const std::size_t bytes = begin_ != nullptr ? static_cast<std::size_t>(out_.at - begin_) : 0;
    if (begin_ == nullptr || !out_.ok || bytes - wire::kLengthBytes > wire::kMaxFrame) {
      end_messages();
      return;
    }
    wire::put_length(begin_, bytes - wire::kLengthBytes);
    self_.out_used += bytes;
    note_unsent(self_, newest_position());
    __atomic_store_n(&self_.sent, self_.sent + 1, __ATOMIC_RELAXED); // a count
  }
  Frame(const Frame&) = delete;
  Frame& operator=(const Frame&) = delete;

  void number(std::uint64_t value) {
    if (begin_ != nullptr) out_.number(value);
  }
  void place(ThreadState& of) { place(of, of.sequence++); }
  void place(const ThreadState& of, std::uint64_t sequence) {
    number(g_epoch);
    number(of.number);
    number(sequence);
  }

private:
  ThreadState& self_;
  std::uint8_t* begin_ = nullptr;
  wire::Out out_ = {nullptr, nullptr};
};

void send_out(ThreadState& self) {
  send_frames(self.number % kDataChannels, self.out, self.out_used);
  self.out_used = 0;
  __atomic_store_n(&self.unsent, ~std::uint64_t{0}, __ATOMIC_RELEASE);
}

// Whether some thread's message has not been sent for too many events.
bool is_too_far_ahead() {
  const std::uint64_t now = newest_position();
  const std::uint32_t threads = __atomic_load_n(&g_thread_count, __ATOMIC_ACQUIRE);
  for (std::uint32_t i = 0; i < threads; ++i)
    if (const ThreadState* other = find_thread(i)) {
      const std::uint64_t unsent = __atomic_load_n(&other->unsent, __ATOMIC_ACQUIRE);
      if (unsent < now && now - unsent > kMaxAhead) return true;
    }
  return false;
}

struct EventPlace {
  std::uint64_t sequence;
  std::uint64_t position;
  ClockNumber clock;
};

// An event of the thread `of`, sent by `self`.
void put_event_at(ThreadState& self, const ThreadState& of, const EventPlace& place, trace::EventKind kind,
                  std::uint32_t site, std::uint64_t happened, const std::uint32_t* written, std::size_t written_count) {
  const VectorClock* found = find_clock(place.clock);
  if (found == nullptr) return end_messages(); // no memory for it
  const ClockEntries clock = entries_of(self, *found);
  if (clock.at == nullptr) return end_messages();
  self.asks = self.asks || asks_for(happened);
  for (std::size_t i = 0; i < written_count; ++i) self.asks = self.asks || variable(written[i]).asks;
  Frame frame(self, wire::Type::Event, kSmallFrame + 20 * (clock.count + written_count));
  frame.place(of, place.sequence);
  frame.number(place.position);
  frame.number(static_cast<std::uint64_t>(kind));
  frame.number(site);
  frame.number(happened);
  frame.number(written_count);
  for (std::size_t i = 0; i < written_count; ++i) {
    frame.number(written[i]);
    frame.number(variable(written[i]).value);
  }
  frame.number(clock.count);
  for (std::size_t i = 0; i < clock.count; ++i) {
    frame.number(clock.at[i].thread);
    frame.number(clock.at[i].count);
  }
}

// The newest event of the thread `of`.
void put_event(ThreadState& self, ThreadState& of, trace::EventKind kind, std::uint32_t site, std::uint64_t happened,
               const std::uint32_t* written, std::size_t written_count) {
  put_event_at(self, of, {of.sequence++, of.last_position, of.clock}, kind, site, happened, written, written_count);
}

// Everything so far happens before the silent thread's next event.
void put_behind_all(ThreadState& self, ThreadState& silent) {
  see_everything(silent);
  const std::uint64_t unsent = silent.unsent;
  begin_relevant(silent);
  silent.unsent = unsent; // this thread sends it
  add_to(g_counts.horizons);
  put_event(self, silent, trace::EventKind::None, 0, 0, nullptr, 0);
}

bool is_silent(const ThreadState& self, const ThreadState& other) {
  if (&other == &self || !other.alive || !other.in_epoch || other.waits) return false;
  const std::uint64_t last = __atomic_load_n(&other.last_position, __ATOMIC_RELAXED);
  const std::uint64_t now = newest_position();
  return now > last && now - last > kHorizon;
}

template <typename Body>
void for_silent_threads(const ThreadState& self, Body body) {
  const std::uint32_t threads = __atomic_load_n(&g_thread_count, __ATOMIC_ACQUIRE);
  for (std::uint32_t i = 0; i < threads; ++i)
    if (ThreadState* other = find_thread(i); other != nullptr && is_silent(self, *other)) body(*other);
}

} // namespace

void new_module() { __atomic_store_n(&g_quick, false, __ATOMIC_RELEASE); }

void end_messages() {
  __atomic_store_n(&g_closed, true, __ATOMIC_RELEASE);
  __atomic_store_n(&g_quick, false, __ATOMIC_RELEASE);
}
void handlers_in_use() {
  if (__atomic_exchange_n(&g_handlers, true, __ATOMIC_ACQ_REL)) return;
  __atomic_store_n(&g_quick, false, __ATOMIC_RELEASE);
  be_alone(nullptr); // hooks that began before, and do not block signals, are over
  stop_own_pages();
  leave_alone();
}

Hook::Hook(Thread* t, bool stores) : t_(t) {
  if (t == nullptr) return;
  ++__sooth_thread.quiet;
  outermost_ = g_depth++ == 0;
  if (__atomic_load_n(&g_closed, __ATOMIC_ACQUIRE) || !observer_is_there()) return;
  if (outermost_ && __atomic_load_n(&g_handlers, __ATOMIC_ACQUIRE)) {
    std::uint64_t all = ~std::uint64_t{0};
    for (const int fatal : {4, 5, 7, 8, 11}) all &= ~(std::uint64_t{1} << (fatal - 1)); // as os::BlockSignals
    os::call(SYS_rt_sigprocmask, 0, reinterpret_cast<long>(&all), reinterpret_cast<long>(&mask_), 8);
    blocked_ = true;
  }
  self_ = own_state(t);
  if (self_ == nullptr) end_messages();
  if (self_ == nullptr || !outermost_) return;
  enter(*self_);
  if (!stores) __atomic_store_n(&self_->storing_bytes, 0, __ATOMIC_RELEASE); // its last store is done
  if (has_new_modules()) {
    alone();
    end_all_own(); // the table of variables may change
    send_new_modules(*self_);
    g_quick = has_table() && !wants_calls() && !g_handlers && !g_closed;
  }
  if (!has_table() && module_count() != 0) add_to(g_counts.early); // before its first module, a program is starting
}

void Hook::alone() {
  if (self_->alone) return;
  send_before_leaving();
  leave(*self_);
  be_alone(self_);
  self_->alone = true;
}

// Who asks the observer waits for the messages of those that are outside (ask.cc).
void Hook::send_before_leaving() {
  if (wants_answers() && self_->out_used != 0) send_out(*self_);
}

void Hook::step_aside() {
  send_before_leaving();
  if (self_->alone) leave_alone();
  else leave(*self_);
  const StoringBreak lets_go(*self_);
  os::yield();
  if (self_->alone) be_alone(self_);
  else enter(*self_);
}

// What the hook has made necessary, and its messages.
void Hook::end() {
  ThreadState& self = *self_;
  if (self.learned) knows_more(t_, self);
  if (self.looks_for_silence) {
    self.looks_for_silence = false;
    bool any = false;
    for_silent_threads(self, [&](ThreadState&) { any = true; });
    if (any) {
      alone();
      for_silent_threads(self, [&](ThreadState& silent) { put_behind_all(self, silent); });
    }
  }
  if (should_collect()) {
    alone();
    if (should_collect()) collect_clocks();
  }
  if (self.asks) {
    alone();
    tell_all_starts(self); // the observer cannot go past them
    self.asks = false;
    if (self.out_used != 0) send_out(self);
    calls_ = ask(self, newest_position());
  }
  const bool has_something = self.out_used != 0;
  if (!has_something) __atomic_store_n(&self.unsent, ~std::uint64_t{0}, __ATOMIC_RELEASE); // a start that waits
  if (g_own == nullptr && self.alive) begin_segment(self);
  if (!self.alive) end_segments();
  g_own = self.alive ? &self : nullptr;
  if (self.stops) __atomic_store_n(&self.ended, true, __ATOMIC_RELEASE);
  if (self.alone) {
    self.alone = false;
    leave_alone();
  } else {
    leave(self);
  }
  if (!has_something) return;
  const StoringBreak lets_go(self);
  send_out(self);
  if (self.sent % kAheadStep == 0)
    while (observer_is_there() && is_too_far_ahead()) os::yield();
}

Hook::~Hook() {
  if (t_ == nullptr) return;
  --g_depth;
  if (outermost_ && self_ != nullptr) end();
  if (blocked_) os::call(SYS_rt_sigprocmask, 2, reinterpret_cast<long>(&mask_), 0, 8);
  --__sooth_thread.quiet;
  if (calls_ == nullptr) return;
  const StoringBreak lets_go(*self_); // the functions may wait for anybody
  make_calls(calls_);
}

void knows_more(Thread* t, ThreadState& self) {
  self.learned = false;
  if (__sooth_thread.abi.detail == 0) void_cells(t); // what they leave out would teach something now
  begin_segment(self);
}

void see_everything(ThreadState& self) {
  const std::uint32_t threads = __atomic_load_n(&g_thread_count, __ATOMIC_ACQUIRE);
  for (std::uint32_t i = 0; i < threads; ++i)
    if (const ThreadState* other = find_thread(i); other != nullptr && other->in_epoch)
      learn(self, __atomic_load_n(&other->clock, __ATOMIC_ACQUIRE));
}

void begin_relevant(ThreadState& self) {
  const std::uint64_t position = __atomic_add_fetch(&g_position, 1, __ATOMIC_ACQ_REL);
  note_unsent(self, position);
  __atomic_store_n(&self.last_position, position, __ATOMIC_RELAXED); // others only compare it
  raise_clock(self, ++self.count);
  if (position % kHorizonStep == 0) self.looks_for_silence = true;
}

void send_event(ThreadState& self, trace::EventKind kind, std::uint32_t site, std::uint64_t happened,
                const std::uint32_t* written, std::size_t written_count) {
  put_event(self, self, kind, site, happened, written, written_count);
  tell_old_starts(self);
}

std::uint64_t newest_position() { return __atomic_load_n(&g_position, __ATOMIC_ACQUIRE); }

// A start that no property asks for only gives order.
void send_start(ThreadState& self, ThreadState& of, std::uint64_t happened) {
  const auto kind = happened != 0 ? trace::EventKind::ThreadStart : trace::EventKind::None;
  put_event_at(self, of, {of.start_sequence, of.start_position, of.start_clock}, kind, 0, happened, nullptr, 0);
}

void send_fork(ThreadState& self, ThreadState& parent, std::uint32_t child) {
  Frame frame(self, wire::Type::Fork, kSmallFrame);
  frame.place(parent);
  frame.number(child);
}

void send_end(ThreadState& self, ThreadState& of) {
  Frame frame(self, wire::Type::End, kSmallFrame);
  frame.place(of);
}

void send_waits(ThreadState& self, std::uint32_t other) {
  Frame frame(self, wire::Type::Waits, kSmallFrame);
  frame.place(self);
  frame.number(other);
}

void send_checkpoint(ThreadState& self, wire::CheckpointKind kind, std::uint32_t site) {
  tell_all_starts(self);
  end_all_own();
  std::uint32_t threads = 0;
  for (std::uint32_t i = 0; i < g_thread_count; ++i)
    if (const ThreadState* other = find_thread(i)) threads += other->in_epoch;
  {
    Frame frame(self, wire::Type::Checkpoint, kSmallFrame + 40 * std::size_t{threads});
    frame.number(g_epoch);
    frame.number(kind);
    frame.number(site);
    frame.number(self.number);
    frame.number(threads);
    for (std::uint32_t i = 0; i < g_thread_count; ++i) {
      const ThreadState* other = find_thread(i);
      if (other == nullptr || !other->in_epoch) continue;
      frame.number(i);
      frame.number(other->sequence);
      frame.number(other->alive);
      frame.number(other->alive && other->waits);
      frame.number(other->other);
    }
  }
  ++g_epoch;
  clear_floor();
  for (std::uint32_t i = 0; i < g_thread_count; ++i) {
    ThreadState* other = find_thread(i);
    if (other == nullptr) continue;
    other->in_epoch = other->alive;
    other->sequence = other->count = 0;
    other->clock = 0;
    other->last_position = g_position;
  }
  if (kind == wire::kGiveUp) end_messages();
}

} // namespace sooth::runtime::observing
