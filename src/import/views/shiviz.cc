// A Trace to a vector-clock log.
#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include "import/views/event_words.h"
#include "import/views/views.h"
#include "trace/effects.h"

namespace sooth::import {

namespace {

using trace::Event;
using trace::EventKind;
using trace::ObjectKind;
using trace::Trace;

using Clock = std::map<std::uint32_t, std::uint64_t>; // by thread; without zeros

void join(const Clock& other, Clock& clock) {
  for (const auto& [thread, time] : other) clock[thread] = std::max(clock[thread], time);
}

// As one line of text: what stands there comes from the program.
std::string one_line(std::string text) {
  for (char& letter : text)
    if (static_cast<unsigned char>(letter) < ' ') letter = ' ';
  return text;
}

// The orders that an event makes, as it takes and gives.
class Orders {
public:
  explicit Orders(std::size_t threads) : clocks_(threads) {}

  const Clock& follow(const Event& e) {
    Clock& own = clocks_[e.thread];
    if (e.kind == EventKind::ThreadStart) join(created_[e.thread], own);
    struct Takes : trace::EffectVisitor {
      Orders& all;
      Clock& own;
      Takes(Orders& a, Clock& o) : all(a), own(o) {}
      void takes(const trace::Affected& object) {
        if (orders(object.kind)) join(all.objects_[object.address], own);
      }
      void joins(std::uint64_t thread) {
        if (thread < all.clocks_.size()) join(all.clocks_[thread], own);
      }
    };
    for_each_effect(e, Takes(*this, own));
    if (is_atomic(e.kind) && trace::reads_memory(e.kind)) join(objects_[e.address], own);
    ++own[e.thread];
    struct Gives : trace::EffectVisitor {
      Orders& all;
      const Clock& own;
      Gives(Orders& a, const Clock& o) : all(a), own(o) {}
      void gives(const trace::Affected& object) {
        if (orders(object.kind)) join(own, all.objects_[object.address]);
      }
      void creates(std::uint64_t thread) {
        if (thread < all.clocks_.size()) all.created_[static_cast<std::uint32_t>(thread)] = own;
      }
    };
    for_each_effect(e, Gives(*this, own));
    if (is_atomic(e.kind) && trace::writes_memory(e.kind)) join(own, objects_[e.address]);
    return own;
  }

private:
  static bool orders(ObjectKind kind) {
    return trace::is_primitive(kind) || kind == ObjectKind::Tag || kind == ObjectKind::Futex;
  }
  static bool is_atomic(EventKind kind) { return trace::does(kind, trace::act::kAtomic); }

  std::vector<Clock> clocks_; // by thread
  absl::flat_hash_map<std::uint64_t, Clock> objects_;
  absl::flat_hash_map<std::uint32_t, Clock> created_; // by thread: what its creator knew
};

bool is_shown(EventKind kind) {
  const ObjectKind object = trace::object_of(kind);
  return object != ObjectKind::Call && object != ObjectKind::Region && kind != EventKind::ThreadName;
}

} // namespace

Exported write_shiviz(const Trace& trace, std::ostream& out) {
  Exported result;
  trace::AddressNames names(trace);
  Orders orders(trace.threads.size());
  std::vector<std::string> hosts;
  for (std::uint32_t thread = 0; thread < trace.threads.size(); ++thread) hosts.push_back(host_name(trace, thread));
  for (const Event& e : trace.events) {
    names.follow(e);
    if (!is_shown(e.kind) || e.thread >= hosts.size()) {
      ++result.left_out[std::string(trace::kind_name(e.kind))];
      continue;
    }
    std::string clock;
    for (const auto& [thread, time] : orders.follow(e))
      clock += fmt::format("{}\"{}\":{}", clock.empty() ? "" : ",", hosts[thread], time);
    const std::string place = place_of(trace, e), target = target_name(trace, e, names);
    out << fmt::format("{} {{{}}}\n{}{}{}{}{}\n", hosts[e.thread], clock, trace::kind_name(e.kind),
                       target.empty() ? "" : " ", one_line(target), place.empty() ? "" : " at ", one_line(place));
    ++result.lines;
  }
  return result;
}

} // namespace sooth::import
