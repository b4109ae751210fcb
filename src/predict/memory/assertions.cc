#include "predict/memory/assertions.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "predict/atomicity/changed_runs.h"
#include "predict/atomicity/critical_sections.h"
#include "predict/question/must_order.h"
#include "predict/question/witness_of.h"
#include "trace/contents.h"
#include "trace/program/checks.h"
#include "trace/program/initial_contents.h"

namespace sooth::predict {

namespace {

using trace::Event;
using witness::FindingKind;
using witness::Role;

constexpr std::size_t kMaxOfCheck = 16; // of one check whose values may fail
constexpr std::size_t kMaxPoints = 64;  // about one of them
constexpr std::size_t kMaxAsked = 32;   // for one point
constexpr std::size_t kMaxPlaces = 12;  // where a thread stands, so that a write is not made

// A check as it was met once.
struct Instance {
  const trace::Check& check;
  std::vector<std::uint32_t> loads;     // events
  StepId step = kNoStep;                // of the first one
  std::vector<std::uint32_t> locations; // of all loads
};

// The write that the load is to see.
struct Point {
  StepId done = kNoStep; // the last write of the locations; none: nobody has written them
  StepId next = kNoStep; // the same thread's next one
};

// What the loads see at the end of a run.
struct Seen {
  std::vector<std::uint64_t> values;
  StepId writer = kNoStep; // the last write of one of the locations
};

class Assertions {
public:
  Assertions(const trace::Trace& trace, const Computation& computation, const Feasibility& feasibility,
             Coverage& coverage)
      : trace_(trace), c_(computation), feasibility_(feasibility), index_(feasibility.index()), sections_(computation),
        coverage_(coverage) {}

  std::vector<witness::Finding> run() {
    for (std::uint32_t i = trace_.standing; i < trace_.events.size(); ++i)
      if (failed_as_recorded(i)) found_.insert(trace_.events[i].site); // a crash (crashes.h), not a prediction
    for (std::uint32_t i = trace_.standing; i < trace_.events.size(); ++i) {
      const std::uint32_t site = trace_.events[i].site;
      if (trace_.sites[site].check == 0 || found_.contains(site)) continue;
      if (!trace::is_failure(trace_.process, trace_.checks[trace_.sites[site].check])) continue;
      if (const auto instance = instance_at(i)) look_at(*instance, site);
    }
    return std::move(findings_);
  }

private:
  bool failed_as_recorded(std::uint32_t event) const {
    const std::uint32_t number = trace_.sites[trace_.events[event].site].check;
    if (number == 0) return false;
    std::vector<std::uint64_t> values;
    for (const std::uint32_t load : trace::loads_of(trace_, event)) {
      const trace::Contents seen = seen_by(trace_.bytes, trace_.events[load]);
      if (seen.is_opaque() || seen.size() > 8) return false;
      values.push_back(seen.word(0, 0, static_cast<unsigned>(seen.size())));
    }
    return trace::fails(trace_.checks[number], values).value_or(false);
  }

  std::optional<Instance> instance_at(std::uint32_t event) const {
    const StepId step = c_.step_of_event[event];
    if (step == kNoStep || c_.steps[step].event != event) return {};
    if (c_.steps[step].place >= index_.trusted[c_.steps[step].thread]) return {};
    Instance out{
        trace_.checks[trace_.sites[trace_.events[event].site].check], trace::loads_of(trace_, event), step, {}};
    if (out.loads.empty()) return {};
    for (const std::uint32_t load : out.loads) {
      const StepId own = c_.step_of_event[load];
      if (own == kNoStep || trace_.events[load].size > 8) return {};
      for (const Operation& o : c_.operations_of(own))
        if (o.kind == OperationKind::Read) out.locations.push_back(o.object);
    }
    std::ranges::sort(out.locations);
    out.locations.erase(std::unique(out.locations.begin(), out.locations.end()), out.locations.end());
    return out.locations.empty() ? std::nullopt : std::optional(std::move(out));
  }

  // What is still to be tried for one point.
  struct Tries {
    std::size_t left = kMaxAsked;
    bool open = false; // something was not tried, so that nothing is proved
  };

  void look_at(const Instance& instance, std::uint32_t site) {
    std::vector<Point> points = points_of(instance);
    std::erase_if(points, [&](const Point& point) { return cannot_be(instance, point); });
    if (points.empty()) return;
    ++coverage_.candidates;
    if (instances_[site]++ >= kMaxOfCheck) return undecided(instance, "more calls of one check than are looked at");
    const auto nearest_first = [&](const Point& point) {
      const StepId other = point.done != kNoStep ? point.done : 0;
      return std::pair(other > instance.step ? other - instance.step : instance.step - other, other);
    };
    std::ranges::sort(points, {}, nearest_first);
    if (points.size() > kMaxPoints) {
      undecided(instance, "more values of one variable than are tried");
      points.resize(kMaxPoints);
    }
    Tries tries;
    for (const Point& point : points) {
      Question question{{instance.step}, {}, {}, {}};
      if (point.done != kNoStep) question.done.push_back(point.done);
      if (ask(instance, point, question, tries)) return;
      tries.left = kMaxAsked;
    }
    if (tries.open || mixes_threads(instance))
      undecided(instance, "more orders of the writes of what a check looks at are possible than were tried");
  }

  // Values of several variables come from several threads: which combinations there are is not
  // asked.
  bool mixes_threads(const Instance& instance) const {
    if (instance.loads.size() < 2) return false;
    std::set<std::uint32_t> writers;
    for (const std::uint32_t location : instance.locations)
      for (const ThreadAccesses& own : index_.locations[location].threads)
        if (!own.writes.empty()) writers.insert(own.thread);
    return writers.size() > 1;
  }

  // Each write of the other threads, and the last one of its own: or, if there is none, what was
  // there first.
  std::vector<Point> points_of(const Instance& instance) const {
    std::map<std::uint32_t, std::set<StepId>> writes; // by thread
    const std::uint32_t thread = c_.steps[instance.step].thread;
    for (const std::uint32_t location : instance.locations)
      for (const ThreadAccesses& some : index_.locations[location].threads)
        for (const Access& access : some.writes)
          if (some.thread != thread || access.step < instance.step) writes[some.thread].insert(access.step);
    std::vector<Point> out = {{writes[thread].empty() ? kNoStep : *writes[thread].rbegin(), kNoStep}};
    writes.erase(thread);
    for (const auto& [other, steps] : writes)
      for (auto step = steps.begin(); step != steps.end(); ++step)
        out.push_back({*step, std::next(step) == steps.end() ? kNoStep : *std::next(step)});
    return out;
  }

  bool cannot_be(const Instance& instance, const Point& point) const {
    if (point.done != kNoStep && feasibility_.must(trace_).precedes(instance.step, point.done)) return true;
    if (point.next != kNoStep && comes_before(point.next, instance.step)) return true;
    // One load: the value that it would see alone decides.
    return instance.loads.size() == 1 && !fails_with(instance, point.done);
  }
  // In every run, when the thread stands before `step`. That is, before the last one that it has
  // done by then.
  bool comes_before(StepId other, StepId step) const {
    const std::uint32_t place = c_.steps[step].place;
    if (place == 0) return false;
    return feasibility_.must(trace_).precedes(other, c_.threads[c_.steps[step].thread].steps[place - 1]);
  }
  bool fails_with(const Instance& instance, StepId write) const {
    Memory memory(*this);
    if (write != kNoStep) memory.take(write);
    const auto value = memory.value(trace_.events[instance.loads.front()]);
    if (!value) return write != kNoStep; // it may; what was there first is known, or nothing can be shown
    return trace::fails(instance.check, std::span(&*value, 1)).value_or(false);
  }
  // Memory after some steps: byte by byte, who wrote it.
  class Memory {
  public:
    explicit Memory(const Assertions& of) : of_(of) {}
    void take(StepId step) {
      const causality::Step& s = of_.c_.steps[step];
      for (std::uint32_t i = s.event; i <= s.last_event; ++i) {
        const Event& e = of_.trace_.events[i];
        if (of_.c_.step_of_event[i] == step && trace::writes_memory(e.kind)) writers_.push_back(&e);
      }
    }
    std::optional<std::uint64_t> value(const Event& load) const {
      std::uint64_t out = 0;
      for (std::uint64_t i = 0; i < load.size; ++i) {
        const auto byte = byte_at(load.address + i);
        if (!byte) return {};
        out |= std::uint64_t{*byte} << 8 * i;
      }
      return out;
    }

  private:
    std::optional<std::uint8_t> byte_at(std::uint64_t address) const {
      for (auto writer = writers_.rbegin(); writer != writers_.rend(); ++writer) {
        const Event& e = **writer;
        if (address < e.address || address - e.address >= e.size) continue;
        const trace::Contents contents = written_by(of_.trace_.bytes, e);
        return contents.is_opaque() ? std::nullopt : std::optional(contents.byte(address - e.address));
      }
      return trace::initial_byte(of_.trace_, address);
    }
    const Assertions& of_;
    std::vector<const Event*> writers_; // in their order
  };

  std::optional<Seen> seen_after(const Instance& instance, const std::vector<StepId>& run) const {
    Memory memory(*this);
    Seen out;
    for (const StepId step : run) {
      const bool writes = std::ranges::any_of(c_.operations_of(step), [&](const Operation& o) {
        return o.kind == OperationKind::Write && std::ranges::binary_search(instance.locations, o.object);
      });
      if (!writes) continue;
      memory.take(step);
      out.writer = step;
    }
    for (const std::uint32_t load : instance.loads) {
      const auto value = memory.value(trace_.events[load]);
      if (!value) return {};
      out.values.push_back(*value);
    }
    return out;
  }

  // Whether a run of this kind fails.
  bool ask(const Instance& instance, const Point& point, const Question& question, Tries& tries) {
    if (tries.left == 0) return tries.open = true, false;
    --tries.left;
    ++coverage_.questions;
    const Answer answer = feasibility_.ask(question);
    if (answer.truth == Truth::Undecided) undecided(instance, answer.reason);
    if (answer.truth != Truth::Yes) return false;
    std::vector<StepId> run = answer.run;
    StepId spoiler = kNoStep;
    for (const bool whole : {true, false}) {
      if (!whole) run = shortest(index_, std::move(run), question);
      const auto seen = seen_after(instance, run);
      if (!seen) return undecided(instance, "a value that a check looks at is not known"), false;
      if (trace::fails(instance.check, seen->values).value_or(false)) return add(instance, run, *seen, answer.tier);
      spoiler = seen->writer;
    }
    if (spoiler == point.done) return false; // it has the value that is wanted
    if (spoiler == kNoStep || always_between(instance, spoiler, point)) return false;
    return std::ranges::any_of(without(spoiler, point, question, tries),
                               [&](const Question& other) { return ask(instance, point, other, tries); });
  }

  // In every run that has the write, the spoiler comes behind it and before the check: by orders
  // and values, or because both are in one critical section of a lock that the checking thread has.
  bool always_between(const Instance& instance, StepId spoiler, const Point& point) const {
    if (point.done == kNoStep) return comes_before(spoiler, instance.step);
    if (feasibility_.must(trace_).precedes(point.done, spoiler) && comes_before(spoiler, instance.step)) return true;
    return std::ranges::any_of(sections_.at(point.done), [&](const CriticalSections::Held& held) {
      if (!sections_.has(spoiler, held) || spoiler < point.done) return false;
      return std::ranges::any_of(sections_.at(instance.step), [&](const CriticalSections::Held& own) {
        return own.lock == held.lock && (own.exclusive || held.exclusive);
      });
    });
  }

  // The same question, but the write that spoils it comes earlier, or its thread stands at or
  // before it.
  std::vector<Question> without(StepId spoiler, const Point& point, const Question& question, Tries& tries) const {
    std::vector<Question> out;
    const auto thread_of = [&](StepId step) { return c_.steps[step].thread; };
    const bool of_the_same = point.done != kNoStep && thread_of(spoiler) == thread_of(point.done);
    if (point.done != kNoStep && !of_the_same) {
      out.push_back(question);
      out.back().sequence.push_back({spoiler, point.done});
    }
    const std::uint32_t thread = thread_of(spoiler);
    if (thread == thread_of(question.before.front())) return out; // its own: it has done that
    const StepId latest = of_the_same && point.next != kNoStep ? point.next : spoiler;
    const std::uint32_t last = c_.steps[latest].place;
    const std::uint32_t first = of_the_same ? c_.steps[point.done].place + 1 : 0;
    for (std::uint32_t place = last + 1; place-- > first;) {
      if (last - place == kMaxPlaces) return tries.open = true, out;
      out.push_back(question);
      std::erase_if(out.back().before, [&](StepId step) { return thread_of(step) == thread; });
      out.back().before.push_back(c_.threads[thread].steps[place]);
    }
    return out;
  }

  bool add(const Instance& instance, const std::vector<StepId>& run, const Seen& seen, const char* tier) {
    witness::Finding finding;
    finding.kind = FindingKind::Assertion;
    finding.engine = tier;
    finding.places = {{instance.loads.front(), Role::Access}};
    if (seen.writer != kNoStep && (c_.steps[seen.writer].flags & causality::kMergedStep) == 0)
      finding.places.push_back({c_.steps[seen.writer].event, Role::Access});
    std::string values;
    for (std::size_t i = 0; i < seen.values.size(); ++i) {
      const Event& load = trace_.events[instance.loads[i]];
      const std::string& name = trace_.sites[load.site].variable;
      values += fmt::format("{}`{}` is {}", i == 0 ? "" : " and ", name.empty() ? "the value" : name,
                            number_text(seen.values[i], load.size));
    }
    const std::uint32_t status = trace::exit_status(instance.check);
    finding.note = fmt::format("In that run {} there, and the program calls {}{}.", values, instance.check.fails,
                               status == 0 ? "" : fmt::format(", and ends with status {}", status));
    finding.witness = witness_of(c_, trace_, run, {instance.loads.front()});
    found_.insert(trace_.events[instance.loads.front()].site);
    findings_.push_back(std::move(finding));
    return true;
  }
  // Small negative numbers are more likely than huge ones.
  static std::string number_text(std::uint64_t value, std::uint64_t bytes) {
    const unsigned unused = 64 - 8 * static_cast<unsigned>(bytes);
    const std::int64_t with_sign = static_cast<std::int64_t>(value << unused) >> unused;
    return with_sign < 0 && with_sign > -1'000'000 ? fmt::format("{}", with_sign) : fmt::format("{}", value);
  }

  void undecided(const Instance& instance, const std::string& reason) {
    coverage_.undecided_about(FindingKind::Assertion, {{instance.loads.front(), Role::Access}}, reason);
  }

  const trace::Trace& trace_;
  const Computation& c_;
  const Feasibility& feasibility_;
  const Index& index_;
  const CriticalSections sections_;
  Coverage& coverage_;
  std::set<std::uint32_t> found_;                  // sites
  std::map<std::uint32_t, std::size_t> instances_; // by site
  std::vector<witness::Finding> findings_;
};

} // namespace

std::vector<witness::Finding> find_assertions(const trace::Trace& trace, const Computation& computation,
                                              const Feasibility& feasibility, witness::Model model,
                                              const Limits& limits, Coverage& coverage) {
  if (trace.checks.size() < 2 || model < witness::Model::Maximal || feasibility.is_sliced()) return {};
  // All values are known in the runs of `maximal`, and all of them are runs of `full`.
  std::unique_ptr<Feasibility> own;
  if (model != witness::Model::Maximal) own = make_feasibility(computation, witness::Model::Maximal, limits);
  return Assertions(trace, computation, own ? *own : feasibility, coverage).run();
}

} // namespace sooth::predict
