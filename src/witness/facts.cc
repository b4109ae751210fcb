#include "witness/facts.h"

#include <algorithm>
#include <limits>

#include "trace/restore/holds.h"

namespace sooth::witness::checking {

using trace::Event;
using trace::EventKind;
using trace::kFailed;

Facts::Facts(const trace::Trace& t, const trace::ObjectTable* moved) : trace(t), objects(moved), memory(t) {
  threads();
  orders();
  held();
  locks();
  semaphores();
  believed = believed_events(trace, memory, place);
}

bool clings(const Event& e) {
  if (e.has(trace::kTicket)) return false;
  return e.kind == EventKind::Enter || e.kind == EventKind::Exit || e.kind == EventKind::Branch;
}

bool Facts::glued(EventNumber number) const {
  const Event& e = trace.events[number];
  if (e.kind == EventKind::ExternalWrite) return true; // it stands for what the next event found
  return (e.kind == EventKind::Read || e.kind == EventKind::Write) && e.has(trace::kGlued);
}

void Facts::threads() {
  of_thread.resize(trace.threads.size());
  place.resize(trace.events.size());
  for (EventNumber number = 0; number < trace.events.size(); ++number) {
    auto& mine = of_thread[trace.events[number].thread];
    place[number] = static_cast<std::uint32_t>(mine.size());
    mine.push_back(number);
  }
}

void Facts::orders() {
  absl::flat_hash_map<std::uint64_t, std::uint32_t> tags, barriers; // address -> sequence
  absl::flat_hash_map<std::uint64_t, std::uint32_t> left; // barrier -> arrivals when the first of a group left
  absl::flat_hash_map<std::uint64_t, bool> known_size;
  std::vector<std::uint32_t> done(of_thread.size()); // events so far, by thread
  EventNumber receive = kNoEvent;                    // what goes out may depend on all that came in
  const auto sequence = [&](auto& of, std::uint64_t address) -> std::uint32_t {
    const auto [found, fresh] = of.try_emplace(address, static_cast<std::uint32_t>(sequences.size()));
    if (fresh) sequences.emplace_back();
    return found->second;
  };
  // The group of an arrival: arrivals up to the first leave that follows it.
  absl::flat_hash_map<std::pair<std::uint64_t, std::uint32_t>, std::uint32_t> arrived; // (barrier, thread) -> rank
  for (const Event& e : trace.events)
    if (e.kind == EventKind::BarrierInit) known_size[e.address] = e.value >> 32 == 0;

  for (EventNumber number = 0; number < trace.events.size(); ++number) {
    const Event& e = trace.events[number];
    const bool names_thread = e.value < of_thread.size() && e.value != e.thread && !e.has(kFailed);
    switch (e.kind) {
    case EventKind::Fork:
      if (names_thread && done[e.value] == 0 && !of_thread[e.value].empty())
        after[of_thread[e.value].front()].push_back(number);
      break;
    case EventKind::Cancel:
      if (names_thread) cancelled(number, done[e.value]);
      break;
    case EventKind::Join:
      if (names_thread) joins[number] = {static_cast<std::uint32_t>(e.value), done[e.value]};
      break;
    case EventKind::Receive: receive = number; break;
    case EventKind::Send:
      if (receive != kNoEvent) after[number].push_back(receive);
      break;
    case EventKind::HbRelease: sequences[sequence(tags, e.address)].push_back(number); break;
    case EventKind::HbAcquire: {
      const std::uint32_t s = sequence(tags, e.address);
      follows[number] = {s, static_cast<std::uint32_t>(sequences[s].size())};
      break;
    }
    case EventKind::BarrierArrive:
      if (!known_size[e.address]) {
        auto& arrivals = sequences[sequence(barriers, e.address)];
        arrived[{e.address, e.thread}] = static_cast<std::uint32_t>(arrivals.size());
        arrivals.push_back(number);
      }
      break;
    case EventKind::BarrierLeave:
      if (const auto mine = arrived.find({e.address, e.thread}); mine != arrived.end()) {
        const std::uint32_t s = barriers[e.address];
        std::uint32_t& complete = left[e.address];
        if (complete <= mine->second) complete = static_cast<std::uint32_t>(sequences[s].size());
        follows[number] = {s, complete};
        arrived.erase(mine);
      }
      break;
    default: break;
    }
    ++done[e.thread];
  }
}

// The thread has done so many events by then.
void Facts::cancelled(EventNumber cancel, std::uint32_t done) {
  const std::vector<EventNumber>& own = of_thread[trace.events[cancel].value];
  for (; done < own.size() && clings(trace.events[own[done]]); ++done)
    if (done > 0) unwinds.try_emplace(own[done], cancel);
  if (done == own.size()) return;
  std::vector<EventNumber>& before = after[own[done]];
  const auto cancels = [&](EventNumber number) { return trace.events[number].kind == EventKind::Cancel; };
  if (std::ranges::none_of(before, cancels)) before.push_back(cancel); // a second one changes nothing
}

void Facts::held() {
  struct Open {
    EventNumber event;
    std::size_t index; // in holds[event]
  };
  std::vector<absl::flat_hash_map<std::uint32_t, Open>> open(of_thread.size()); // by thread, by piece
  for (EventNumber number = 0; number < trace.events.size(); ++number) {
    const Event& e = trace.events[number];
    auto& mine = open[e.thread];
    if (trace::ends_segment(e)) {
      for (const auto& [piece, hold] : mine) holds[hold.event][hold.index].until = place[number];
      mine.clear();
    }
    if (!touches_memory(e.kind) || e.kind == EventKind::ExternalWrite) continue;
    if (mine.empty() && !e.has(trace::kHeld)) continue;
    const MemoryMap::Pieces pieces = memory.pieces(number);
    for (std::uint32_t piece = pieces.first; piece < pieces.end; ++piece) {
      if (const auto found = mine.find(piece); found != mine.end()) {
        holds[found->second.event][found->second.index].until = place[number] + (e.has(trace::kMerged) ? 1 : 0);
        mine.erase(found);
      }
      if (!e.has(trace::kHeld)) continue;
      auto& list = holds[number];
      mine[piece] = {number, list.size()};
      // Open at the end of the trace: later accesses of these bytes are not known.
      list.push_back({piece, e.thread, std::numeric_limits<std::uint32_t>::max(), trace::writes_memory(e.kind)});
    }
  }
}

void Facts::locks() {
  Locks state;
  for (EventNumber number = 0; number < trace.events.size(); ++number) {
    const Event& e = trace.events[number];
    if (const auto [action, address] = lock_use(e); action != LockAction::None) {
      const LockState& lock = state.at(address);
      before[number] = {lock.uses, lock.others_exclude(e.thread, action == LockAction::RefusedShared),
                        lock.exclusive_uses};
    }
    state.apply(e, number);
  }
  all_released = state.all_free();
}

void Facts::semaphores() {
  absl::flat_hash_map<std::uint64_t, std::int64_t> balance; // of semaphores without a known first count
  absl::flat_hash_map<std::uint64_t, std::uint32_t> uses;
  absl::flat_hash_map<std::uint64_t, bool> known;
  for (EventNumber number = 0; number < trace.events.size(); ++number) {
    const Event& e = trace.events[number];
    if (e.kind == EventKind::SemInit) known[e.address] = e.value >> 32 == 0;
    if (e.kind != EventKind::SemPost && e.kind != EventKind::SemWait) continue;
    before[number] = {uses[e.address]++, false, 0};
    if (known[e.address] || e.has(kFailed)) continue;
    std::int64_t& sum = balance[e.address];
    sum += e.kind == EventKind::SemPost ? 1 : -1;
    std::uint64_t& least = least_count[e.address];
    if (sum < 0 && static_cast<std::uint64_t>(-sum) > least) least = static_cast<std::uint64_t>(-sum);
  }
}

} // namespace sooth::witness::checking
