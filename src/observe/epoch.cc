#include "observe/epoch.h"

#include <algorithm>

#include <fmt/format.h>

#include "observe/wrong.h"

namespace sooth::observe {
namespace {

// What a program sends is never further out of order than this (observing/hook.cc keeps it
// smaller); a stream that is must not fill the observer's memory.
constexpr std::uint64_t kFarthest = 1u << 20;
constexpr std::uint32_t kMostThreadsAtOnce = 1u << 16;
constexpr std::uint64_t kForgetEvery = 256;

} // namespace

Epoch::Epoch(const logic::PropertyFile& file, RunState start, const explore::Options& options,
             std::span<const ThreadAt> threads)
    : monitors_(file, std::move(start)), lattice_(monitors_, options) {
  if (threads.empty()) return;
  bool main_lives = false;
  const auto lives = [&](std::uint32_t number) {
    return std::ranges::any_of(threads, [&](const ThreadAt& t) { return t.thread == number && t.alive; });
  };
  for (const ThreadAt& t : threads) {
    if (!t.alive) continue;
    if (t.thread == 0) main_lives = true;
    else put({.kind = explore::Message::Kind::Fork, .thread = 0, .other = t.thread});
  }
  for (const ThreadAt& t : threads)
    if (t.alive && t.waits && lives(t.other))
      put({.kind = explore::Message::Kind::Waits, .thread = t.thread, .other = t.other});
  if (!main_lives) put({.kind = explore::Message::Kind::End, .thread = 0});
}

void Epoch::put(explore::Message message) {
  message.sequence = received_[message.thread].shift++;
  lattice_.add(message);
}

std::optional<Error> Epoch::check(const Place& place) const {
  if (place.thread >= kMostThreadsAtOnce) return wrong(fmt::format("thread {} is one too many.", place.thread));
  const auto at = received_.find(place.thread);
  const std::uint64_t next = at != received_.end() ? at->second.next : 0;
  if (place.sequence > next && place.sequence - next > kFarthest)
    return wrong(
        fmt::format("message {} of thread {}, of which {} is still missing.", place.sequence, place.thread, next));
  return std::nullopt;
}

bool Epoch::is_new(const Place& place) const {
  const auto at = received_.find(place.thread);
  return at == received_.end() || (place.sequence >= at->second.next && !at->second.beyond.contains(place.sequence));
}

Result<bool> Epoch::take(const Place& place, explore::Message message) {
  Received& own = received_[place.thread];
  message.thread = place.thread;
  message.sequence = place.sequence + own.shift;
  if (const auto error = lattice_.add(message)) return *error;
  own.beyond.insert(place.sequence);
  while (!own.beyond.empty() && *own.beyond.begin() == own.next) {
    own.beyond.erase(own.beyond.begin());
    ++own.next;
  }
  return true;
}

Result<bool> Epoch::add(const EventMessage& message) {
  if (const auto error = check(message.place)) return *error;
  if (!is_new(message.place)) return false;
  const std::uint32_t thread = message.place.thread;
  std::uint32_t own = 0;
  std::vector<causality::Count> components;
  for (const ClockEntry& entry : message.clock) {
    if (entry.thread >= kMostThreadsAtOnce) return wrong(fmt::format("a clock with thread {}.", entry.thread));
    components.resize(std::size_t{entry.thread} + 1);
    components[entry.thread] = entry.count;
    if (entry.thread == thread) own = entry.count;
  }
  // A thread's own component counts its events, and an event is one of its messages.
  if (own == 0 || own > message.place.sequence + 1) return wrong("an event with a clock that does not count it.");
  for (const VariableWrite& write : message.writes)
    if (write.variable >= monitors_.value_words())
      return wrong(fmt::format("a write of variable {}, which is not in the table.", write.variable));
  if (message.position == 0) return wrong("an event without a position.");
  Happening happening{message.position, message.happened, message.site, message.kind, message.writes};
  explore::Message out;
  out.kind = explore::Message::Kind::Event;
  out.position = message.position;
  out.event = monitors_.keep(thread, own - 1, std::move(happening));
  out.clock = std::make_shared<const causality::Clock>(std::move(components));
  with_events_.insert(thread);
  ++since_forgotten_;
  return take(message.place, std::move(out));
}

Result<bool> Epoch::add(const ForkMessage& message) {
  if (const auto error = check(message.place)) return *error;
  if (message.child >= kMostThreadsAtOnce) return wrong(fmt::format("thread {} is one too many.", message.child));
  if (!is_new(message.place)) return false;
  return take(message.place, {.kind = explore::Message::Kind::Fork, .other = message.child});
}

Result<bool> Epoch::add(const EndMessage& message) {
  if (const auto error = check(message.place)) return *error;
  if (!is_new(message.place)) return false;
  return take(message.place, {.kind = explore::Message::Kind::End});
}

Result<bool> Epoch::add(const WaitsMessage& message) {
  if (const auto error = check(message.place)) return *error;
  if (!is_new(message.place)) return false;
  return take(message.place, {.kind = explore::Message::Kind::Waits, .other = message.other});
}

bool Epoch::advance(std::uint64_t levels) {
  const bool went_on = lattice_.advance(levels);
  if (since_forgotten_ < kForgetEvery) return went_on;
  since_forgotten_ = 0;
  for (const std::uint32_t thread : with_events_) monitors_.forget(thread, lattice_.forgotten(thread));
  return went_on;
}

void Epoch::finish() {
  lattice_.finish();
  lattice_.advance();
}

bool Epoch::has_all(std::span<const ThreadAt> threads) const {
  return std::ranges::all_of(threads, [&](const ThreadAt& t) {
    const auto at = received_.find(t.thread);
    return t.sent == 0 || (at != received_.end() && at->second.next >= t.sent);
  });
}

} // namespace sooth::observe
