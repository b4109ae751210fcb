#include "predict/races/initialisations.h"

#include <algorithm>

#include <absl/container/flat_hash_map.h>
#include <absl/container/inlined_vector.h>

#include "predict/question/unrecorded.h"
#include "predict/races/call_races.h"
#include "predict/races/synchronises_with.h"
#include "trace/effects.h"
#include "trace/kind_groups.h"

namespace sooth::predict {
namespace {

using trace::Event;
using trace::EventKind;
using witness::Finding;

constexpr const char* kInitNote =
    "It is initialised while another thread uses it: that thread may find it half made, or lose it again.";
constexpr std::uint32_t kNoInit = 0xffffffff;

bool is_of_this_process(const Event& e) {
  if (e.kind == EventKind::SemInit || e.kind == EventKind::BarrierInit) return e.value >> 32 == 0;
  const bool lock = e.kind == EventKind::LockInit || e.kind == EventKind::LockDestroy;
  return !lock || (e.value & (trace::kLockAnnotated | trace::kLockProcessShared)) == 0;
}

class Initialisations {
public:
  Initialisations(const trace::Trace& trace, const causality::Computation& computation, const Feasibility& feasibility,
                  Coverage& coverage)
      : trace_(trace), coverage_(coverage), order_(trace),
        races_(trace, computation, feasibility, coverage, "more initialisations at one place than are tried") {}

  std::vector<Finding> run() {
    for (std::uint32_t i = 0; i < trace_.events.size(); ++i) {
      const Event& e = trace_.events[i];
      look(i); // before the event itself orders anything
      order_.arrive(e);
      order_.depart(e);
    }
    return races_.take();
  }

private:
  struct Touch {
    std::uint32_t event = 0;
    SharedCounts::Count piece = 0; // of its thread
  };
  struct Life {
    Touch init{kNoInit, 0};
    absl::InlinedVector<std::uint32_t, 2> since; // threads that have used it since
    absl::InlinedVector<Touch, 4> touches;       // the last of each thread at each site, oldest first
  };

  void look(std::uint32_t i) {
    const Event& e = trace_.events[i];
    if (trace::begins_or_ends_object(e.kind)) return forget(e);
    if (!is_primitive(object_of(e.kind)) || !is_called_by_program(trace_, e)) return;
    if (trace::begins_primitive(e.kind)) {
      if (is_of_this_process(e)) initialise(i);
    } else if (trace::destroys_primitive(e.kind)) {
      if (is_of_this_process(e) && !e.has(trace::kFailed)) destroy(i);
    } else trace::for_primitives_used(e, [&](std::uint64_t address) { touch(i, address); });
  }

  void initialise(std::uint32_t i) {
    Life& life = lives_[trace_.events[i].address];
    for (const Touch& earlier : life.touches) compare(earlier, i);
    const Touch now = touch_of(i);
    life = {now, {}, {now}};
  }

  // Earlier uses against the destruction are another engine's (memory/primitive_lives.h).
  void destroy(std::uint32_t i) {
    Life& life = lives_[trace_.events[i].address];
    if (life.init.event != kNoInit) compare(life.init, i);
    life = {{kNoInit, 0}, {}, {touch_of(i)}};
  }

  // Later uses of the same thread are ordered if the first one is.
  void touch(std::uint32_t i, std::uint64_t address) {
    const Event& e = trace_.events[i];
    Life& life = lives_[address];
    if (life.init.event != kNoInit && std::ranges::find(life.since, e.thread) == life.since.end()) {
      life.since.push_back(e.thread);
      compare(life.init, i);
    }
    const auto same = std::ranges::find_if(life.touches, [&](const Touch& other) {
      const Event& o = trace_.events[other.event];
      return o.thread == e.thread && o.site == e.site && o.kind == e.kind;
    });
    if (same != life.touches.end()) life.touches.erase(same);
    else if (life.touches.size() == kMaxTouches) {
      if (forgotten_++ == 0) coverage_.undecided_because("a primitive was used at more places than are remembered");
      life.touches.erase(life.touches.begin());
    }
    life.touches.push_back(touch_of(i));
  }

  void compare(const Touch& first, std::uint32_t second) {
    const Event &a = trace_.events[first.event], &b = trace_.events[second];
    if (a.thread == b.thread) return;
    if (first.piece > order_.clock(b.thread)[a.thread]) races_.observed(first.event, second, kInitNote);
    else races_.ask(first.event, second, kInitNote);
  }

  Touch touch_of(std::uint32_t i) const { return {i, order_.piece(trace_.events[i].thread)}; }

  // Other primitives may come to be there.
  void forget(const Event& e) {
    absl::erase_if(lives_, [&](const auto& life) { return life.first - e.address < e.value; });
  }

  const trace::Trace& trace_;
  Coverage& coverage_;
  SynchronisesWith order_;
  CallRaces races_;
  absl::flat_hash_map<std::uint64_t, Life> lives_; // by address
  std::size_t forgotten_ = 0;
};

} // namespace

std::vector<Finding> find_initialisation_races(const trace::Trace& trace, const causality::Computation& computation,
                                               const Feasibility& feasibility, Coverage& coverage) {
  const bool any = std::ranges::any_of(trace.events, [](const Event& e) { return begins_primitive(e.kind); });
  if (!any) return {};
  return Initialisations(trace, computation, feasibility, coverage).run();
}

} // namespace sooth::predict
