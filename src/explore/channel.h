// One thread's messages, put in order: all that a Lattice knows of a thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>

#include "explore/lattice.h"

namespace sooth::explore {

class Channel {
public:
  struct Event {
    EventName name = 0;
    std::uint64_t position = 0;
    causality::SharedClock clock; // null for events that every cut has
    bool glued = false;
  };

  // Takes a message of this thread; `forked` gets the children that became known. An empty string:
  // fine.
  template <typename Forked>
  std::string take(const Message& message, Forked forked) {
    if (message.sequence < next_ || early_.contains(message.sequence)) return {}; // seen before
    if (closed_) return "a message after the end of its thread";
    clock_bytes_ += bytes_of(message.clock);
    if (message.sequence != next_) {
      early_.emplace(message.sequence, message);
      return {};
    }
    std::string wrong = use(message, forked);
    for (auto first = early_.begin(); wrong.empty() && first != early_.end() && first->first == next_;
         first = early_.erase(first))
      wrong = use(first->second, forked);
    if (wrong.empty() && closed_ && !early_.empty()) return "a message after the end of its thread";
    return wrong;
  }
  // Nothing more will come, wherever it stands.
  void cut_off() {
    if (!closed_) was_cut_off_ = true;
    closed_ = true;
    lost_ += early_.size();
    early_.clear();
  }

  Count arrived() const { return first_ + static_cast<Count>(events_.size()); }
  bool closed() const { return closed_; }
  bool was_cut_off() const { return was_cut_off_ || lost_ != 0; }
  std::optional<ThreadNumber> waits_for() const { return waits_for_; }
  std::uint64_t version() const { return next_; } // changes with every message that is used
  std::uint64_t early() const { return early_.size(); }

  const Event& event(Count index) const { return events_[index - first_]; }
  Count first() const { return first_; }
  // Clocks of events below `index` are not needed any more, names below `names` neither.
  void forget(Count index, Count names) {
    for (Count k = std::max(first_, clocks_from_); k < index; ++k) {
      clock_bytes_ -= bytes_of(events_[k - first_].clock);
      events_[k - first_].clock = nullptr;
    }
    clocks_from_ = std::max(clocks_from_, index);
    for (; first_ < names; ++first_) events_.pop_front();
  }
  std::uint64_t bytes() const {
    return events_.size() * sizeof(Event) + early_.size() * (sizeof(Message) + 48) + clock_bytes_;
  }

private:
  static std::uint64_t bytes_of(const causality::SharedClock& clock) {
    return clock == nullptr ? 0 : clock->components().size() * sizeof(Count);
  }
  template <typename Forked>
  std::string use(const Message& message, Forked forked) {
    ++next_;
    waits_for_.reset();
    switch (message.kind) {
    case Message::Kind::Event: return use_event(message);
    case Message::Kind::Fork: forked(message.other); return {};
    case Message::Kind::End: closed_ = true; return {};
    case Message::Kind::Waits: waits_for_ = message.other; return {};
    }
    return "a message of unknown kind";
  }
  std::string use_event(const Message& message) {
    if (message.clock == nullptr || (*message.clock)[message.thread] != arrived() + 1)
      return "an event's clock does not count its own thread's events";
    if (last_ != nullptr && !message.clock->covers(*last_)) return "a thread's clock went back";
    last_ = message.clock;
    events_.push_back({message.event, message.position, message.clock, message.glued});
    return {};
  }

  std::uint64_t next_ = 0; // sequence number that is to come
  std::map<std::uint64_t, Message> early_;
  bool closed_ = false;
  bool was_cut_off_ = false;
  std::uint64_t lost_ = 0; // messages beyond a gap
  std::optional<ThreadNumber> waits_for_;
  std::deque<Event> events_; // [first_, arrived())
  Count first_ = 0;
  Count clocks_from_ = 0;
  std::uint64_t clock_bytes_ = 0; // of all clocks that are here
  causality::SharedClock last_;
};

} // namespace sooth::explore
