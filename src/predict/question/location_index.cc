// The part of index.h that is about memory.
#include <algorithm>
#include <utility>

#include <absl/container/flat_hash_map.h>

#include "predict/question/index.h"

namespace sooth::predict {

namespace {

// f(step, number of the operation, operation) for every operation, in the observed order.
template <typename F>
void each_operation(const Computation& c, F&& f) {
  for (StepId id = 0; id < c.steps.size(); ++id) {
    const causality::Step& step = c.steps[id];
    for (std::uint32_t n = step.first_operation; n < step.first_operation + step.operations; ++n)
      f(id, n, c.operations[n]);
  }
}

// Where the parts of an array begin, by location, and where the last one ends.
using Begins = std::vector<std::uint32_t>; // operations are numbered with 32 bits
template <typename Counts>
Begins begins_of(const Computation& c, Counts&& counts) {
  Begins out(c.locations.size() + 1, 0);
  each_operation(c, [&](StepId, std::uint32_t, const Operation& o) {
    if (counts(o.kind)) ++out[o.object + 1];
  });
  for (std::size_t i = 1; i < out.size(); ++i) out[i] += out[i - 1];
  return out;
}

bool is_access(OperationKind kind) { return kind == OperationKind::Read || kind == OperationKind::Write; }

// Puts the accesses of one location into groups: by thread, in the order of their first accesses,
// and of each thread the reads before the writes.
class ThreadGroups {
public:
  explicit ThreadGroups(const Computation& c) : computation_(c) {}

  void make(std::span<Access> accesses) {
    keyed_.clear();
    ranks_.clear();
    for (const Access& access : accesses) {
      const bool write = computation_.operations[access.operation].kind == OperationKind::Write;
      keyed_.push_back({rank(computation_.steps[access.step].thread) << 1 | (write ? 1u : 0u), access});
    }
    std::ranges::sort(keyed_, [](const Keyed& a, const Keyed& b) {
      return a.key != b.key ? a.key < b.key : a.access.operation < b.access.operation;
    });
    for (std::size_t i = 0; i < accesses.size(); ++i) accesses[i] = keyed_[i].access;
  }
  // The end of the group that begins at `from`.
  std::size_t end(std::size_t from) const {
    std::size_t to = from;
    while (to < keyed_.size() && keyed_[to].key == keyed_[from].key) ++to;
    return to;
  }
  bool is_of_writes(std::size_t at) const { return (keyed_[at].key & 1) != 0; }
  std::uint32_t thread(std::size_t at) const { return computation_.steps[keyed_[at].access.step].thread; }

private:
  struct Keyed {
    std::uint32_t key;
    Access access;
  };
  std::uint32_t rank(std::uint32_t thread) {
    return ranks_.try_emplace(thread, static_cast<std::uint32_t>(ranks_.size())).first->second;
  }

  const Computation& computation_;
  std::vector<Keyed> keyed_;
  absl::flat_hash_map<std::uint32_t, std::uint32_t> ranks_; // by thread
};

} // namespace

LocationIndexes::LocationIndexes(const Computation& c) : locations_(c.locations.size()) {
  add_accesses(c);
  add_holds(c);
}

void LocationIndexes::add_accesses(const Computation& c) {
  const Begins begins = begins_of(c, [](OperationKind kind) { return is_access(kind); });
  const Begins writes = begins_of(c, [](OperationKind kind) { return kind == OperationKind::Write; });
  accesses_.resize(begins.back());
  by_value_.resize(writes.back());
  Begins next = begins;
  each_operation(c, [&](StepId step, std::uint32_t n, const Operation& o) {
    if (is_access(o.kind)) accesses_[next[o.object]++] = {step, o.value, n};
  });
  ThreadGroups groups(c);
  Begins threads;
  threads.reserve(locations_.size() + 1);
  threads.push_back(0);
  threads_.reserve(accesses_.size()); // what is not used is never touched
  for (std::size_t location = 0; location < locations_.size(); ++location) {
    const std::span<Access> own =
        std::span(accesses_).subspan(begins[location], begins[location + 1] - begins[location]);
    const std::span<Access> sorted =
        std::span(by_value_).subspan(writes[location], writes[location + 1] - writes[location]);
    groups.make(own);
    auto written = sorted.begin();
    for (std::size_t from = 0, to = 0; from < own.size(); from = to) {
      to = groups.end(from);
      if (threads_.size() == threads.back() || threads_.back().thread != groups.thread(from))
        threads_.push_back({groups.thread(from), {}, {}});
      const std::span<const Access> group = own.subspan(from, to - from);
      (groups.is_of_writes(from) ? threads_.back().writes : threads_.back().reads) = group;
      if (groups.is_of_writes(from)) written = std::ranges::copy(group, written).out;
    }
    std::ranges::sort(sorted, [](const Access& a, const Access& b) {
      return a.value != b.value ? a.value < b.value : a.step < b.step;
    });
    locations_[location].by_value = sorted;
    threads.push_back(static_cast<std::uint32_t>(threads_.size()));
  }
  threads_until_.resize(threads_.size());
  for (std::size_t location = 0; location < locations_.size(); ++location) {
    const std::size_t begin = threads[location], count = threads[location + 1] - begin;
    StepId last = 0;
    for (std::size_t i = begin; i < begin + count; ++i) threads_until_[i] = last = std::max(last, threads_[i].last());
    locations_[location].threads = std::span(threads_).subspan(begin, count);
    locations_[location].threads_until = std::span(threads_until_).subspan(begin, count);
  }
}

void LocationIndexes::add_holds(const Computation& c) {
  const Begins begins = begins_of(c, [](OperationKind kind) { return kind == OperationKind::HoldBegin; });
  holds_.resize(begins.back());
  holds_until_.resize(begins.back());
  Begins next = begins;
  each_operation(c, [&](StepId step, std::uint32_t, const Operation& o) {
    const std::uint32_t thread = c.steps[step].thread;
    if (o.kind == OperationKind::HoldBegin) holds_[next[o.object]++] = {step, kNoStep, thread, o.value != 0};
    if (o.kind != OperationKind::HoldEnd) return;
    for (std::size_t i = next[o.object]; i-- > begins[o.object];) {
      if (holds_[i].thread != thread) continue;
      holds_[i].end = step; // a thread has at most one open hold of a location: its last one
      break;
    }
  });
  for (std::size_t location = 0; location < locations_.size(); ++location) {
    StepId until = 0;
    for (std::size_t i = begins[location]; i < begins[location + 1]; ++i)
      holds_until_[i] = until = std::max(until, holds_[i].end);
    const std::size_t count = begins[location + 1] - begins[location];
    locations_[location].holds = std::span(holds_).subspan(begins[location], count);
    locations_[location].holds_until = std::span(holds_until_).subspan(begins[location], count);
  }
}

} // namespace sooth::predict
