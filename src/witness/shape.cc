#include "witness/shape.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "trace/contents.h"
#include "trace/program/checks.h"
#include "trace/program/initial_contents.h"
#include "witness/circle.h"
#include "witness/cxx_order.h"
#include "witness/deadlock.h"
#include "witness/frame_end.h"

namespace sooth::witness::checking {

namespace {

using trace::Event;
using trace::EventKind;
using trace::kFailed;

bool is_atomic(EventKind kind) {
  return kind == EventKind::AtomicRead || kind == EventKind::AtomicWrite || kind == EventKind::AtomicRmw;
}
bool is_signal(EventKind kind) { return kind == EventKind::Signal || kind == EventKind::Broadcast; }

class Shape {
public:
  Shape(const Finding& finding, const Facts& facts, const Replay& replay)
      : finding_(finding), facts_(facts), replay_(replay), trace_(facts.trace) {}

  Objection judge() {
    if (auto objection = form()) return objection;
    switch (finding_.kind) {
    case FindingKind::Race: return race();
    case FindingKind::Deadlock: return deadlock(finding_, facts_, replay_);
    case FindingKind::LostWakeup: return lost_wakeup();
    case FindingKind::Atomicity: return atomicity();
    case FindingKind::UseAfterFree: return use_after_free();
    case FindingKind::DoubleFree: return double_free();
    case FindingKind::Crash: return crash();
    case FindingKind::Misuse: return misuse();
    case FindingKind::Assertion: return assertion();
    case FindingKind::ThreadLeak: return thread_leak();
    case FindingKind::SignalUnsafe:
    case FindingKind::SignalErrno: return in_handler();
    case FindingKind::Property:
    case FindingKind::Monitor:
    case FindingKind::PossibleLiveness: return {}; // what the run does to the property is the monitor's to say
    }
    return "The finding is of an unknown kind.";
  }

private:
  // Rules for every finding: its events exist, none is merged (rule 2), and threads stand where it
  // says.
  Objection form() const {
    for (const Place& place : finding_.places) {
      if (place.event >= trace_.events.size())
        return fmt::format("The finding is about event {}, which is not in the trace.", place.event);
      if (merged(place.event))
        return fmt::format("The finding is about {}, which stands for several writes.", describe(trace_, place.event));
    }
    std::vector<std::uint32_t> threads;
    for (const EventNumber next : finding_.witness.next) {
      if (next >= trace_.events.size())
        return fmt::format("The witness ends before event {}, which is not in the trace.", next);
      if (merged(next))
        return fmt::format("The witness ends before {}, which stands for several writes.", describe(trace_, next));
      if (auto objection = replay_.stands_before(next)) return objection;
      const std::uint32_t thread = trace_.events[next].thread;
      if (std::find(threads.begin(), threads.end(), thread) != threads.end())
        return fmt::format("The witness ends with thread {} before two events.", thread);
      threads.push_back(thread);
    }
    return {};
  }

  // The recorded run comes to an event with which its program dies.
  Objection crash() const {
    if (finding_.status != Status::Observed || finding_.places.empty()) return "A crash is observed, somewhere.";
    const EventNumber number = finding_.places.front().event;
    if (event(number).kind != EventKind::Crash || finding_.places.front().role != Role::End)
      return fmt::format("{} is no crash.", describe(trace_, number));
    if (number >= finding_.witness.observed) return "The recorded run does not come to the crash.";
    if (trace_.process.end != trace::EndKind::Signal) return "The program was not ended by a signal.";
    return {};
  }

  // The recorded run comes to the event. That it is one too many, is not for a model to say.
  Objection misuse() const {
    if (finding_.status != Status::Observed || finding_.places.empty()) return "A misuse is observed, somewhere.";
    const Place& use = finding_.places.front();
    if (use.role != Role::Use || use.event >= finding_.witness.observed)
      return "The recorded run does not come to the misuse.";
    for (const Place& place : finding_.places)
      if (place.event > use.event) return "What explains a misuse comes before it.";
    return {};
  }

  // The program exits, the thread has ended, and no event joins or detaches it.
  Objection thread_leak() const {
    if (finding_.status != Status::Observed || finding_.places.size() != 2) return "A leak is observed, of one thread.";
    const Event& fork = event(finding_.places[0].event);
    const Event& end = event(finding_.places[1].event);
    if (fork.kind != EventKind::Fork || fork.has(kFailed) || end.kind != EventKind::ThreadEnd ||
        end.thread != fork.value)
      return "A leak is about the creation and the end of one thread.";
    if (trace_.process.end != trace::EndKind::Exit || finding_.witness.observed != trace_.events.size())
      return "The recorded run does not come to the program's exit.";
    for (EventNumber number = 0; number < trace_.events.size(); ++number) {
      const Event& e = event(number);
      if ((e.kind == EventKind::Join || e.kind == EventKind::Detach) && e.value == fork.value && !e.has(kFailed))
        return fmt::format("{} takes care of the thread.", describe(trace_, number));
    }
    return {};
  }

  // The recorded run comes to the event, in a handler that some other signal than the thread's own
  // started.
  Objection in_handler() const {
    if (finding_.status != Status::Observed || finding_.places.size() != 2) return "A handler is observed, somewhere.";
    const EventNumber use = finding_.places[0].event, signal = finding_.places[1].event;
    if (use >= finding_.witness.observed || signal >= use) return "The recorded run does not come to it.";
    if (event(signal).kind != EventKind::SignalEnter || event(signal).has(trace::kFill) ||
        event(signal).thread != event(use).thread)
      return fmt::format("{} begins no handler that may come at any time.", describe(trace_, signal));
    int handlers = 0;
    for (EventNumber number = signal; number < use; ++number) {
      if (event(number).thread != event(use).thread) continue;
      handlers += event(number).kind == EventKind::SignalEnter  ? 1
                  : event(number).kind == EventKind::SignalExit ? -1
                                                                : 0;
      if (handlers == 0) return fmt::format("The handler has ended before {}.", describe(trace_, use));
    }
    const bool changed = event(use).kind == EventKind::SignalExit && event(use).has(kFailed);
    if (finding_.kind == FindingKind::SignalErrno && (!changed || handlers != 1))
      return fmt::format("errno is the same at {}.", describe(trace_, use));
    return {};
  }

  // Definition 4: both threads stand directly before conflicting accesses.
  Objection race() const {
    if (finding_.engine == "memory-model") return unordered();
    const auto& next = finding_.witness.next;
    if (next.size() != 2) return "A race is between two accesses.";
    if (is_descriptor(next[0]) || is_descriptor(next[1])) return descriptor_race(next[0], next[1]);
    if (initialises(event(next[0]).kind) || initialises(event(next[1]).kind)) return init_race(next[0], next[1]);
    for (const EventNumber access : next) {
      if (!has_place(access, Role::Access))
        return fmt::format("The witness ends before {}, which the finding is not about.", describe(trace_, access));
      if (auto objection = alive(access)) return objection;
    }
    return conflict(next[0], next[1]);
  }

  bool is_descriptor(EventNumber number) const {
    return event(number).kind == EventKind::FdUse || event(number).kind == EventKind::FdClose;
  }
  Objection descriptor_race(EventNumber first, EventNumber second) const {
    const Event &a = event(first), &b = event(second);
    if (!is_descriptor(first) || !is_descriptor(second) || a.address != b.address)
      return "The two calls are not about one file descriptor.";
    if (!has_place(first, Role::Access) || !has_place(second, Role::Access))
      return "The witness ends before calls that the finding is not about.";
    if (a.kind != EventKind::FdClose && b.kind != EventKind::FdClose) return "Neither of the two calls closes it.";
    const auto [from, to] = std::minmax(first, second);
    for (EventNumber number = from + 1; number < to; ++number)
      if (event(number).kind == EventKind::FdClose && event(number).address == a.address)
        return fmt::format("{} closes it in between: the number may be another file's.", describe(trace_, number));
    return {};
  }

  // One initialises a primitive, the other uses, initialises or destroys it; and it is one object.
  Objection init_race(EventNumber first, EventNumber second) const {
    if (first > second) std::swap(first, second);
    if (!has_place(first, Role::Access) || !has_place(second, Role::Access))
      return "The witness ends before calls that the finding is not about.";
    if (event(first).thread == event(second).thread) return "Both calls are of the same thread.";
    const std::uint64_t object = event(initialises(event(first).kind) ? first : second).address;
    for (const EventNumber call : {first, second}) {
      const Event& e = event(call);
      const std::vector<std::uint64_t> used = primitives_of(e);
      const bool ours = initialises(e.kind) || (destroys(e.kind) && !e.has(kFailed));
      if (ours ? e.address != object : std::ranges::find(used, object) == used.end())
        return fmt::format("{} is not about the primitive that is initialised.", describe(trace_, call));
    }
    for (EventNumber number = first + 1; number < second; ++number) {
      const Event& e = event(number);
      const bool region = begins_object(e.kind) || ends_object(e.kind);
      const bool renews = initialises(e.kind) || (destroys(e.kind) && !e.has(kFailed));
      if (region ? object - e.address < e.value : renews && e.address == object)
        return fmt::format("{} comes in between: it may be another object.", describe(trace_, number));
    }
    return {};
  }

  // A race of the recorded run by the C++ memory model: two conflicting accesses that
  // happens-before leaves unordered.
  Objection unordered() const {
    if (finding_.places.size() < 2) return "A race is between two accesses.";
    const EventNumber first = std::min(finding_.places[0].event, finding_.places[1].event);
    const EventNumber second = std::max(finding_.places[0].event, finding_.places[1].event);
    if (second >= finding_.witness.observed) return "The recorded run does not come to the second access.";
    if (event(first).thread == event(second).thread) return handler_race(first, second);
    const bool init = initialises(event(first).kind) || initialises(event(second).kind);
    if (auto objection = init ? init_race(first, second) : conflict(first, second)) return objection;
    if (happens_before(trace_, first, second, !init)) // what the primitive itself orders comes too late
      return fmt::format("{} happens before {}.", describe(trace_, first), describe(trace_, second));
    return {};
  }

  // The second access is in a handler that interrupted the thread, and nothing that the thread did
  // in between can have ordered the signal behind the first.
  Objection handler_race(EventNumber first, EventNumber second) const {
    if (auto objection = overlapping(first, second)) return objection;
    const Event &a = event(first), &b = event(second);
    const auto is_sig_atomic = [](const Event& e) { return e.has(trace::kVolatile) && e.size == 4; };
    if (is_sig_atomic(a) && is_sig_atomic(b)) return "Both accesses are of a volatile sig_atomic_t.";
    EventNumber signal = kNoEvent;
    int handlers = 0;
    for (EventNumber number = first; number < second; ++number) {
      const Event& e = event(number);
      if (e.thread != a.thread) continue;
      if (signal == kNoEvent && e.kind == EventKind::SignalEnter) {
        if (e.has(trace::kFill)) return fmt::format("{} does not come at any time.", describe(trace_, number));
        signal = number;
      }
      if (signal == kNoEvent && number != first && orders_signals(e))
        return fmt::format("{} may order the signal.", describe(trace_, number));
      handlers += e.kind == EventKind::SignalEnter ? 1 : e.kind == EventKind::SignalExit ? -1 : 0;
      if (signal != kNoEvent && handlers != 1)
        return fmt::format("At {} the handler has ended, or was interrupted.", describe(trace_, number));
    }
    return signal == kNoEvent ? Objection("No signal comes between the two accesses.") : Objection();
  }
  // Anything but calls, branches and reads, and writes of plain variables.
  static bool orders_signals(const Event& e) {
    if (e.kind == EventKind::Write) return e.has(trace::kVolatile);
    return e.kind != EventKind::Enter && e.kind != EventKind::Exit && e.kind != EventKind::Branch &&
           e.kind != EventKind::Read && e.kind != EventKind::AtomicRead && e.kind != EventKind::ExternalWrite;
  }

  Objection conflict(EventNumber first, EventNumber second) const {
    if (event(first).thread == event(second).thread) return "Both accesses are of the same thread.";
    return overlapping(first, second);
  }
  Objection overlapping(EventNumber first, EventNumber second) const {
    const Event& a = event(first);
    const Event& b = event(second);
    for (const EventNumber access : {first, second})
      if (!touches_memory(event(access).kind) || event(access).kind == EventKind::ExternalWrite)
        return fmt::format("A race cannot be about {}, which is no access.", describe(trace_, access));
    if (!trace::overlap(a, b)) return "The two accesses touch different bytes.";
    if (!trace::writes_memory(a.kind) && !trace::writes_memory(b.kind)) return "Neither of the two accesses writes.";
    if (is_atomic(a.kind) && is_atomic(b.kind)) return "Both accesses are atomic.";
    return {};
  }

  // The object is there, as it was when the access happened.
  Objection alive(EventNumber access) const {
    const auto met = facts_.memory.met(access);
    const std::uint32_t first = facts_.memory.pieces(access).first;
    for (std::uint32_t i = 0; i < met.size(); ++i)
      if (replay_.memory(first + i).life != met[i].life)
        return fmt::format("When the witness ends, the object of {} is not there.", describe(trace_, access));
    return {};
  }

  // The thread stands before the loads of a check, and memory holds what it fails with.
  Objection assertion() const {
    const auto& next = finding_.witness.next;
    if (finding_.status == Status::Observed || next.size() != 1)
      return "An assertion fails in another run, at one load.";
    const std::vector<EventNumber> loads = trace::loads_of(trace_, next[0]);
    if (loads.empty() || !has_place(next[0], Role::Access))
      return fmt::format("{} does not decide whether the program fails.", describe(trace_, next[0]));
    const trace::Check& check = trace_.checks[trace_.sites[event(next[0]).site].check];
    if (!trace::is_failure(trace_.process, check)) return "The recorded run itself did not end well.";
    std::vector<std::uint64_t> values;
    for (const EventNumber load : loads) {
      if (auto objection = alive(load)) return objection;
      const auto value = value_at_end(load);
      if (!value) return fmt::format("When the witness ends, what {} would see is not known.", describe(trace_, load));
      values.push_back(*value);
    }
    if (!trace::fails(check, values).value_or(false))
      return fmt::format("The program goes on with what {} would see.", describe(trace_, next[0]));
    return {};
  }
  // What the load would see when the witness ends.
  std::optional<std::uint64_t> value_at_end(EventNumber load) const {
    const Event& e = event(load);
    if (e.size == 0 || e.size > 8) return {};
    const MemoryMap::Pieces pieces = facts_.memory.pieces(load);
    std::uint64_t out = 0;
    for (std::uint64_t i = 0; i < e.size; ++i) {
      std::uint32_t piece = pieces.first;
      while (piece + 1 < pieces.end && facts_.memory.address(piece + 1) <= e.address + i) ++piece;
      const auto byte = byte_of(replay_.memory(piece).writer, e.address + i);
      if (!byte) return {};
      out |= std::uint64_t{*byte} << 8 * i;
    }
    return out;
  }
  std::optional<std::uint8_t> byte_of(EventNumber writer, std::uint64_t address) const {
    if (writer == kNoEvent) return trace::initial_byte(trace_, address);
    if (!trace::writes_memory(event(writer).kind) || replay_.tainted(writer)) return {};
    const trace::Contents contents = written_by(trace_.bytes, event(writer));
    const std::uint64_t offset = address - event(writer).address;
    if (contents.is_opaque() || offset >= contents.size()) return {};
    return contents.byte(offset);
  }

  // A wait that begins after the last signal.
  Objection lost_wakeup() const {
    const auto& next = finding_.witness.next;
    if (next.empty()) return "A lost wake-up is about a wait.";
    const Event& wait = event(next[0]);
    if (wait.kind != EventKind::Wait && (wait.kind != EventKind::Wake || wait.has(kFailed)))
      return fmt::format("{} is no wait.", describe(trace_, next[0]));
    if (wait.kind == EventKind::Wake && !no_signal_since_wait(finding_.witness, trace_, next[0]))
      return fmt::format("A signal comes after the wait that {} ends.", describe(trace_, next[0]));
    bool lost = false;
    for (EventNumber number = 0; number < trace_.events.size(); ++number) {
      const Event& e = trace_.events[number];
      if (!is_signal(e.kind) || e.address != wait.address) continue;
      if (replay_.done(number)) lost = true;
      else if (e.thread != wait.thread) return fmt::format("{} may still come.", describe(trace_, number));
    }
    if (!lost) return "No signal was lost.";
    for (std::uint32_t thread = 0; thread < facts_.of_thread.size(); ++thread)
      if (thread != wait.thread && !is_over(thread) && !joins(thread, wait.thread))
        return fmt::format("Thread {} has not ended, and may signal again.", thread);
    return {};
  }
  // The trace has its end; or it never began.
  bool is_over(std::uint32_t thread) const {
    const auto& own = facts_.of_thread[thread];
    if (own.empty())
      return std::ranges::none_of(trace_.events,
                                  [&](const Event& e) { return e.kind == EventKind::Fork && e.value == thread; });
    return std::ranges::any_of(own, [&](EventNumber number) { return event(number).kind == EventKind::ThreadEnd; });
  }
  // It stands before the join of a thread that waits for ever, or of one that stands before such a
  // join.
  bool joins(std::uint32_t thread, std::uint32_t waiter) const {
    for (std::size_t steps = 0; thread != waiter; ++steps) {
      const auto& own = facts_.of_thread[thread];
      if (steps == facts_.of_thread.size() || replay_.progress(thread) >= own.size()) return false;
      const Event& next = event(own[replay_.progress(thread)]);
      if (next.kind != EventKind::Join || next.has(kFailed) || next.value >= facts_.of_thread.size()) return false;
      thread = static_cast<std::uint32_t>(next.value);
    }
    return true;
  }

  // The other thread's event comes between the begin and the end of the block.
  Objection atomicity() const {
    const Place *begin = nullptr, *end = nullptr;
    for (const Place& place : finding_.places) {
      if (place.role == Role::BlockBegin && begin == nullptr) begin = &place;
      if (place.role == Role::BlockEnd && end == nullptr) end = &place;
    }
    if (begin == nullptr || end == nullptr) return "A finding about a block has its begin and its end.";
    const std::uint32_t thread = event(begin->event).thread;
    if (event(end->event).thread != thread || facts_.place[end->event] < facts_.place[begin->event])
      return "The block's begin and end do not belong together.";
    if (!replay_.done(begin->event))
      return fmt::format("The witness does not begin the block at {}.", describe(trace_, begin->event));
    const std::size_t from = position(begin->event);
    const std::size_t to = replay_.done(end->event) ? position(end->event) : SIZE_MAX;
    bool interleaved = false;
    for (const Place& place : finding_.places) {
      if (place.role != Role::Interleaved) continue;
      interleaved = true;
      const bool next = std::find(finding_.witness.next.begin(), finding_.witness.next.end(), place.event) !=
                        finding_.witness.next.end();
      if (event(place.event).thread == thread)
        return fmt::format("{} is in the block's own thread.", describe(trace_, place.event));
      if (!replay_.done(place.event) ? !(next && to == SIZE_MAX)
                                     : position(place.event) < from || position(place.event) > to)
        return fmt::format("In the witness {} is not inside the block.", describe(trace_, place.event));
    }
    if (!interleaved) return "No event of another thread is inside the block.";
    if (finding_.status == Status::Observed) return {};
    for (const EventNumber next : finding_.witness.next)
      if (event(next).thread == thread && has_place(next, Role::Access) && sees_something_else(next)) return {};
    const bool looks = std::ranges::any_of(finding_.witness.next, [&](EventNumber next) {
      return event(next).thread == thread && !trace::writes_memory(event(next).kind);
    });
    if (!looks && comes_back_into_block(finding_, facts_)) return {};
    return "The block would go on as it did in the recorded run.";
  }

  bool sees_something_else(EventNumber read) const {
    if (!trace::reads_memory(event(read).kind)) return false;
    const auto met = facts_.memory.met(read);
    const std::uint32_t first = facts_.memory.pieces(read).first;
    for (std::uint32_t i = 0; i < met.size(); ++i) {
      const EventNumber writer = replay_.memory(first + i).writer;
      if (replay_.tainted(writer)) continue; // model full: its value is not known
      if (!facts_.memory.same_contents(writer, met[i].writer, first + i)) return true;
    }
    return false;
  }

  Objection use_after_free() const {
    const Place* free = nullptr;
    for (const Place& place : finding_.places)
      if (place.role == Role::Free) free = &place;
    if (free != nullptr && finding_.engine == "memory-model") return unordered_free(free->event);
    if (free != nullptr && destroys(event(free->event).kind)) return use_after_destroy(free->event);
    const bool returns = free != nullptr && event(free->event).kind == EventKind::Exit;
    if (free == nullptr || (!returns && !ends_object(event(free->event).kind)))
      return "No event ends the object's life.";
    if (finding_.witness.next.size() != 1) return "A use after free is one access.";
    const EventNumber use = finding_.witness.next[0];
    if (!has_place(use, Role::Use)) return fmt::format("The finding is not about {}.", describe(trace_, use));
    if (!touches_memory(event(use).kind)) {
      for (const std::uint64_t address : primitives_of(event(use)))
        if (address - event(free->event).address < event(free->event).value && is_gone(address, free->event)) return {};
      return fmt::format("{} is no use of what was freed.", describe(trace_, use));
    }
    if (returns) return use_after_return(facts_, replay_, use, free->event);
    const MemoryMap::Pieces pieces = facts_.memory.pieces(use);
    for (std::uint32_t piece = pieces.first; piece < pieces.end; ++piece)
      if (replay_.memory(piece).life == free->event) return {};
    if (is_stale(use, free->event)) return {};
    return fmt::format("When the witness ends, {} has not ended the object of {}.", describe(trace_, free->event),
                       describe(trace_, use));
  }

  // The primitives that an event uses and that have to be there. A thread that
  // leaves a condition or a barrier does not need it any more.
  static std::vector<std::uint64_t> primitives_of(const Event& e) {
    switch (e.kind) {
    case EventKind::Acquire:
    case EventKind::AcquireShared:
    case EventKind::Release:
    case EventKind::ReleaseShared:
      if ((e.value & (trace::kLockAnnotated | trace::kLockProcessShared)) != 0) return {};
      return {e.address};
    case EventKind::Signal:
    case EventKind::Broadcast:
    case EventKind::BarrierArrive:
    case EventKind::SemPost:
    case EventKind::SemWait:
    case EventKind::OnceBegin:
    case EventKind::OnceEnd:
    case EventKind::OnceWait: return {e.address};
    case EventKind::Wait:
      if (e.value == 0) return {e.address};
      return {e.address, e.value};
    case EventKind::Wake:
      if (e.value == 0) return {};
      return {e.value};
    default: return {};
    }
  }
  static bool destroys(EventKind kind) {
    return kind == EventKind::LockDestroy || kind == EventKind::SemDestroy || kind == EventKind::BarrierDestroy;
  }
  static bool initialises(EventKind kind) {
    return kind == EventKind::LockInit || kind == EventKind::SemInit || kind == EventKind::BarrierInit;
  }

  // The free was the last thing that happened to the life of this byte.
  bool is_gone(std::uint64_t address, EventNumber free) const {
    const MemoryMap::Pieces pieces = facts_.memory.pieces(free);
    std::uint32_t piece = pieces.first;
    while (piece + 1 < pieces.end && facts_.memory.address(piece + 1) <= address) ++piece;
    return piece < pieces.end && replay_.memory(piece).life == free;
  }

  // The primitive was destroyed, and not initialised since; and what initialised it for this use
  // came before.
  Objection use_after_destroy(EventNumber destroy) const {
    if (finding_.witness.next.size() != 1) return "A use after a destruction is one use.";
    const EventNumber use = finding_.witness.next[0];
    const std::uint64_t address = event(destroy).address;
    const std::vector<std::uint64_t> used = primitives_of(event(use));
    if (!has_place(use, Role::Use) || std::ranges::find(used, address) == used.end())
      return fmt::format("{} does not use what was destroyed.", describe(trace_, use));
    if (event(destroy).has(kFailed) || !replay_.done(destroy))
      return fmt::format("When the witness ends, {} has not happened.", describe(trace_, destroy));
    EventNumber begin = kNoEvent; // for this use
    for (EventNumber number = 0; number < trace_.events.size(); ++number) {
      if (!initialises(event(number).kind) || event(number).address != address) continue;
      if (number < use) begin = number;
      if (replay_.done(number) && position(number) > position(destroy))
        return fmt::format("{} initialises it again.", describe(trace_, number));
    }
    if (begin != kNoEvent && !replay_.done(begin))
      return fmt::format("{} has not initialised it.", describe(trace_, begin));
    return {};
  }

  // By the C++ memory model: the access is not ordered before the free.
  Objection unordered_free(EventNumber free) const {
    const EventNumber use = finding_.places.front().event;
    const Event &a = event(use), &b = event(free);
    if (finding_.status != Status::Observed || finding_.places.front().role != Role::Use || use >= free ||
        free >= finding_.witness.observed)
      return "The recorded run does not come to the access, and then to the free.";
    if (!touches_memory(a.kind) || a.kind == EventKind::ExternalWrite || b.kind != EventKind::Free ||
        a.thread == b.thread)
      return "This is not an access and another thread's free.";
    if (a.address >= b.address + b.value || b.address >= a.address + a.size)
      return "The access does not touch what was freed.";
    if (happens_before(trace_, use, free))
      return fmt::format("{} happens before {}.", describe(trace_, use), describe(trace_, free));
    return {};
  }

  // The free made the address free, and nothing was allocated there since: a thread that has the
  // number has it from before.
  bool is_stale(EventNumber use, EventNumber free) const {
    const std::uint64_t address = facts_.original(event(use).address);
    const auto covers = [&](const Event& object) {
      return address - facts_.original(object.address) < std::max<std::uint64_t>(object.value, 1);
    };
    if (event(free).kind != EventKind::Free || !replay_.done(free) || !covers(event(free))) return false;
    for (EventNumber number = 0; number < trace_.events.size(); ++number) {
      if (!begins_object(event(number).kind) || !replay_.done(number) || !covers(event(number))) continue;
      const MemoryMap::Pieces pieces = facts_.memory.pieces(number);
      for (std::uint32_t piece = pieces.first; piece < pieces.end; ++piece)
        if (replay_.memory(piece).life == number) return false; // it is alive
    }
    return true;
  }

  Objection double_free() const {
    if (finding_.witness.next.size() != 1) return "A double free ends before the second one.";
    const EventNumber second = finding_.witness.next[0];
    if (event(second).kind != EventKind::Free) return fmt::format("{} is no free.", describe(trace_, second));
    for (const Place& place : finding_.places) {
      if (place.event == second || event(place.event).kind != EventKind::Free) continue;
      if (is_stale(second, place.event)) return {};
      if (event(place.event).address != event(second).address || !replay_.done(place.event)) continue;
      const MemoryMap::Pieces pieces = facts_.memory.pieces(place.event);
      if (pieces.first < pieces.end && replay_.memory(pieces.first).life == place.event) return {};
    }
    return fmt::format("When the witness ends, the object of {} was not freed.", describe(trace_, second));
  }

  // Of an event that was done.
  std::size_t position(EventNumber number) const {
    const Witness& w = finding_.witness;
    if (number < w.observed) return number;
    return w.observed + static_cast<std::size_t>(std::find(w.steps.begin(), w.steps.end(), number) - w.steps.begin());
  }
  const Event& event(EventNumber number) const { return trace_.events[number]; }
  bool merged(EventNumber number) const {
    return touches_memory(event(number).kind) && event(number).has(trace::kMerged);
  }
  bool has_place(EventNumber number, Role role) const {
    return std::any_of(finding_.places.begin(), finding_.places.end(),
                       [&](const Place& place) { return place.event == number && place.role == role; });
  }

  const Finding& finding_;
  const Facts& facts_;
  const Replay& replay_;
  const trace::Trace& trace_;
};

} // namespace

Objection shape(const Finding& finding, const Facts& facts, const Replay& replay) {
  return Shape(finding, facts, replay).judge();
}

} // namespace sooth::witness::checking
