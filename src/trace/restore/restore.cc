#include "trace/restore/restore.h"

#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <utility>

#include "trace/contents.h"
#include "trace/kind_groups.h"
#include "trace/restore/hand_over.h"
#include "trace/restore/memory_history.h"
#include "trace/restore/merge.h"
#include "trace/restore/order_builder.h"
#include "trace/sifter.h"

namespace sooth::trace {
namespace {

constexpr unsigned kMaxMovable = 64;     // events of one thread that may go back together
constexpr unsigned kMaxTail = 8;         // writes of one thread that may go forward together
constexpr std::uint64_t kMaxScan = 4096; // events looked at for one repair
constexpr std::uint64_t kMaxAhead = 512; // events of one thread looked at ahead of their turn
constexpr std::uint64_t kMaxLook = 4096; // bytes of a read for which others are looked at ahead
constexpr std::uint64_t kTotalAhead = std::uint64_t{1} << 28;

// Also a ticketed write: it took its ticket before it wrote.
bool is_plain_write(const Event& e) { return e.kind == EventKind::Write; }

// Touches a byte of the access `write`.
bool meets(const Event& e, const Event& write) {
  if (reads_memory(e.kind) || writes_memory(e.kind)) return overlap(e, write);
  if (!begins_or_ends_object(e.kind)) return false;
  return write.address < e.address ? e.address - write.address < write.size : write.address - e.address < e.value;
}

constexpr std::size_t kMargin = 1 << 17; // events not handed out yet: a repair may still change them

class Restorer final : public Order {
public:
  Restorer(std::vector<EventStream>& streams, Trace& trace, Sieve* sieve, std::size_t expected)
      : streams_(streams), trace_(trace), sifter_(streams, trace, sieve), queue_(streams, false),
        threads_(streams.size()) {
    for (std::size_t i = 0; i < streams.size(); ++i) stream_of_.emplace(streams[i].thread(), i);
    order_.reserve(expected);
    begin();
  }

  std::vector<Event> next(std::size_t most, const std::function<bool()>& stop) override {
    const std::uint64_t until = most > ~order_.begin() - kMargin ? ~std::uint64_t{0} : order_.begin() + most;
    const auto step = [this](std::size_t thread) {
      now_ = std::max(now_, streams_[thread].peek()->counter);
      sifter_.take(thread, [&](const Event& e) { place(thread, e, true); });
    };
    over_ = queue_.run(stop, [&] { return until < order_.end() && order_.end() - until >= kMargin; }, step);
    return order_.hand_out(until);
  }
  bool is_over() const override { return over_ && order_.begin() == order_.end(); }
  void each_waiting(const std::function<void(Event&)>& f) override {
    order_.each_event(f);
    for (EventStream& stream : streams_) stream.each_waiting(f);
  }

private:
  // The events of a thread that can still be moved. All of them are after its last fixed event.
  struct ThreadState {
    std::uint64_t floor = 0;            // the earliest slot for its next event, if `movable` goes along
    std::vector<std::uint64_t> movable; // positions >= floor of its last events: reads, and what touches no memory
    std::vector<std::uint64_t> tail;    // positions of its last events, if these are plain writes
  };

  // Puts the thread's next event at the end, or further back if it fits only there.
  void place(std::size_t thread, const Event& e, bool may_look_ahead) {
    std::vector<Event> delayed;
    if (reads_memory(e.kind)) {
      if (!fits(e)) {
        if (e.kind != EventKind::AtomicRmw && go_back(thread, e)) return;
        if (!delay_writes(thread, e, delayed)) {
          replace(delayed);
          if (!fits(e) && !(may_look_ahead && bring_forward(thread, e))) put_external_write(thread, e);
        }
      }
      memory_.define(e.address, seen(e), order_.end());
    }
    put(thread, e);
    replace(delayed);
  }

  // Made anew each time, because looking ahead decodes, and then Trace::bytes may move.
  Contents seen(const Event& e) const { return seen_by(trace_.bytes, e); }
  bool fits(const Event& e) { return memory_.fits(e.address, seen(e)); }

  // The contents of globals at the start are known; a first read that saw something else comes
  // after a write.
  void begin() {
    if (!trace_.initial_known) return;
    for (const InitialContents& held : trace_.initial)
      memory_.define(held.address, Contents::stored(held.bytes.data(), held.bytes.size()), 0);
    for (const Global& global : trace_.globals) // the other bytes were zero
      memory_.define(global.address, Contents::filled(0, std::min(global.bytes, kMaxInitial)), 0);
  }

  void put(std::size_t thread, const Event& e) {
    const std::uint64_t position = order_.end();
    order_.append(e);
    if (writes_memory(e.kind)) {
      memory_.write(e.address, written_by(trace_.bytes, e), position);
    } else if (begins_or_ends_object(e.kind)) {
      memory_.reset(e.address, e.value, e.has(kFill), position);
    }
    ThreadState& state = threads_[thread];
    const bool movable = !e.has(kTicket) && !writes_memory(e.kind) && !begins_or_ends_object(e.kind) &&
                         state.movable.size() < kMaxMovable;
    if (movable) {
      state.movable.push_back(position);
    } else {
      state.floor = position + 1;
      state.movable.clear();
    }
    if (!is_plain_write(e) || state.tail.size() == kMaxTail) state.tail.clear();
    if (is_plain_write(e)) state.tail.push_back(position);
  }

  // 1. The read goes back, with the events before it that have to go along.
  bool go_back(std::size_t thread, const Event& e) {
    ThreadState& state = threads_[thread];
    const auto slot = memory_.latest_fit(e.address, seen(e), std::max(state.floor, order_.begin()));
    if (!slot) return false;
    state.tail.clear();
    std::size_t gone = 0;
    bool fits = true;
    for (; gone < state.movable.size(); ++gone) {
      const std::uint64_t position = state.movable[gone];
      if (position < *slot) continue; // stands before it as it is
      const Event companion = order_.at(position);
      if (!(fits = fits_back(companion, *slot))) break;
      insert_back(companion, *slot);
      order_.take_out(position);
    }
    // Events that went back on the way stay there, fitting or not: that is legal, too.
    state.movable.erase(state.movable.begin(), state.movable.begin() + static_cast<std::ptrdiff_t>(gone));
    state.floor = std::max(state.floor, *slot);
    if (!fits || !fits_back(e, *slot)) return false;
    insert_back(e, *slot);
    return true;
  }
  bool fits_back(const Event& e, std::uint64_t slot) {
    return !reads_memory(e.kind) || memory_.fits_at(e.address, seen(e), slot);
  }
  void insert_back(const Event& e, std::uint64_t slot) {
    if (reads_memory(e.kind)) memory_.define_at(e.address, seen(e), slot);
    order_.insert(slot, e);
  }

  // 2. Takes writes that the read must not see out of the order, into `delayed`. True if it fits
  //    then.
  bool delay_writes(std::size_t thread, const Event& e, std::vector<Event>& delayed) {
    for (unsigned tries = 0; tries < 4; ++tries) {
      const auto position = memory_.wrong_change(e.address, seen(e));
      if (!position || !take_tail(thread, *position, delayed)) return false;
      if (fits(e)) return true;
    }
    return false;
  }
  bool take_tail(std::size_t reader, std::uint64_t position, std::vector<Event>& delayed) {
    if (position < order_.begin()) return false;
    const std::size_t writer = stream_of_.at(order_.at(position).thread);
    ThreadState& state = threads_[writer];
    const auto first = std::find(state.tail.begin(), state.tail.end(), position);
    if (writer == reader || first == state.tail.end() || seen_since(writer, position)) return false;
    std::vector<std::uint64_t> writes(first, state.tail.end());
    for (std::size_t i = writes.size(); i-- > 0;) {
      const Event& e = order_.at(writes[i]);
      if (memory_.take_back(e.address, e.size, writes[i])) continue;
      for (++i; i < writes.size(); ++i) { // some write must stay: put back those that were taken
        const Event& again = order_.at(writes[i]);
        memory_.write(again.address, written_by(trace_.bytes, again), writes[i]);
      }
      return false;
    }
    for (const std::uint64_t write : writes) {
      delayed.push_back(order_.at(write));
      order_.take_out(write);
    }
    state.tail.erase(state.tail.end() - static_cast<std::ptrdiff_t>(writes.size()), state.tail.end());
    return true;
  }
  // Has another thread touched bytes that `writer` wrote from `position` on?
  bool seen_since(std::size_t writer, std::uint64_t position) {
    if (order_.end() - position > kMaxScan) return true;
    const std::vector<std::uint64_t>& tail = threads_[writer].tail;
    const auto touched = [&](const Event& e) {
      return e.thread != streams_[writer].thread() && std::any_of(tail.begin(), tail.end(), [&](std::uint64_t w) {
               return w >= position && meets(e, order_.at(w));
             });
    };
    for (std::uint64_t i = position + 1; i < order_.end(); ++i) {
      if (touched(order_.at(i))) return true;
    }
    const auto& insertions = order_.insertions();
    for (auto at = insertions.rbegin(); at != insertions.rend() && at->made > position; ++at) {
      if (at - insertions.rbegin() > static_cast<std::ptrdiff_t>(kMaxScan) ||
          (at->slot > position && touched(at->event)))
        return true;
    }
    return false;
  }
  void replace(std::vector<Event>& delayed) {
    for (const Event& e : delayed) put(stream_of_.at(e.thread), e);
    delayed.clear();
  }

  // 3. Looks for a thread that comes to a fitting write through plain events, and lets it go that
  //    far.
  bool bring_forward(std::size_t reader, const Event& e) {
    if (e.size > kMaxLook) return false;
    std::uint64_t budget = kMaxScan;
    for (std::size_t i = 0; i < streams_.size() && budget != 0; ++i) {
      // Starting at another thread each time, so that many idle threads cannot use up every budget.
      const std::size_t other = (next_other_ + i) % streams_.size();
      --budget;
      if (other == reader) continue;
      const std::size_t steps = steps_to_fit(other, e, budget);
      if (steps == 0) continue;
      next_other_ = other;
      for (std::size_t step = 0; step < steps; ++step)
        sifter_.take(other, [&](const Event& next) { place(other, next, false); });
      queue_.moved(other);
      return fits(e);
    }
    next_other_ = streams_.empty() ? 0 : (next_other_ + 1) % streams_.size();
    return false;
  }
  // How many events of the thread must come first for the read to fit; 0: no number helps.
  std::size_t steps_to_fit(std::size_t other, const Event& e, std::uint64_t& budget) {
    std::vector<Event> writes; // of that thread, on the way
    for (std::size_t ahead = 0; ahead < kMaxAhead && budget != 0 && total_ahead_ != 0; ++ahead) {
      const StampedEvent* next = streams_[other].peek(ahead);
      if (next == nullptr || (next->event.has(kTicket) && !may_come_forward(next->event))) return 0;
      --budget;
      --total_ahead_;
      const Event& step = next->event;
      if (reads_memory(step.kind)) {
        if (!fits_after(writes, step) && !memory_.latest_fit(step.address, seen(step), threads_[other].floor)) return 0;
      } else if (writes_memory(step.kind)) {
        writes.push_back(step);
        if (overlap(step, e) && fits_after(writes, e)) return ahead + 1;
      }
    }
    return 0;
  }
  // A thread takes a block whose owner's part has been placed.
  bool may_come_forward(const Event& e) const {
    return is_hand_over(e) && e.kind == EventKind::HbAcquire && e.value <= now_;
  }
  // Does a read fit memory with these writes on top?
  bool fits_after(const std::vector<Event>& writes, const Event& e) {
    const Contents wanted = seen(e);
    if (wanted.is_opaque()) return true;
    if (std::none_of(writes.begin(), writes.end(), [&](const Event& w) { return overlap(w, e); })) return fits(e);
    if (e.size > kMaxLook) return false;
    for (std::uint64_t i = 0; i < e.size; ++i) {
      const std::uint64_t address = e.address + i;
      const auto last =
          std::find_if(writes.rbegin(), writes.rend(), [&](const Event& w) { return address - w.address < w.size; });
      int byte = 0;
      if (last == writes.rend()) {
        byte = memory_.byte(address);
      } else {
        const Contents written = written_by(trace_.bytes, *last);
        byte = written.is_opaque() ? -1 : written.byte(address - last->address);
      }
      if (byte >= 0 && byte != wanted.byte(i)) return false;
    }
    return true;
  }

  // 4. Memory changed without a recorded event.
  void put_external_write(std::size_t thread, const Event& e) {
    Event write;
    write.address = e.address;
    write.value = e.kind == EventKind::AtomicRmw && !e.has(kPayload) ? e.extra : e.value;
    if (e.has(kPayload)) {
      write.extra = e.extra; // the same bytes of the trace
      write.value = seen(e).word(0, 0, 8);
    }
    write.size = e.size;
    write.thread = e.thread;
    write.kind = EventKind::ExternalWrite;
    write.flags = e.flags & (kPayload | kFill);
    put(thread, write);
    ++trace_.defects[static_cast<unsigned>(Defect::ExternalWrites)];
  }

  std::vector<EventStream>& streams_;
  Trace& trace_;
  OrderBuilder order_;
  Sifter sifter_;
  MergeQueue queue_;
  MemoryHistory memory_;
  std::vector<ThreadState> threads_;                          // by stream
  absl::flat_hash_map<std::uint32_t, std::size_t> stream_of_; // by thread number
  std::uint64_t now_ = 0;                                     // the largest number that was placed
  std::size_t next_other_ = 0;
  std::uint64_t total_ahead_ = kTotalAhead;
  bool over_ = false;
};

class FrozenOrder final : public Order {
public:
  FrozenOrder(std::vector<EventStream>& streams, Trace& trace, Sieve* sieve, std::size_t expected)
      : streams_(streams), sifter_(streams, trace, sieve), queue_(streams, true) {
    rest_.reserve(expected);
  }

  std::vector<Event> next(std::size_t most, const std::function<bool()>& stop) override {
    std::vector<Event> out = std::exchange(rest_, {});
    over_ = queue_.run(
        stop, [&] { return out.size() >= most; },
        [&](std::size_t stream) { sifter_.take(stream, [&](const Event& e) { out.push_back(e); }); });
    if (out.size() > most) {
      rest_.assign(out.begin() + static_cast<std::ptrdiff_t>(most), out.end());
      out.resize(most);
    }
    return out;
  }
  bool is_over() const override { return over_ && rest_.empty(); }
  void each_waiting(const std::function<void(Event&)>& f) override {
    for (Event& e : rest_) f(e);
    for (EventStream& stream : streams_) stream.each_waiting(f);
  }

private:
  std::vector<EventStream>& streams_;
  Sifter sifter_;
  MergeQueue queue_;
  std::vector<Event> rest_;
  bool over_ = false;
};

} // namespace

std::unique_ptr<Order> restored_order(std::vector<EventStream>& streams, Trace& trace, Sieve* sieve,
                                      std::size_t expected) {
  return std::make_unique<Restorer>(streams, trace, sieve, expected);
}

std::unique_ptr<Order> frozen_order(std::vector<EventStream>& streams, Trace& trace, Sieve* sieve,
                                    std::size_t expected) {
  return std::make_unique<FrozenOrder>(streams, trace, sieve, expected);
}

} // namespace sooth::trace
