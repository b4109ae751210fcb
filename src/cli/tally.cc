#include "cli/tally.h"

#include <algorithm>
#include <cstring>
#include <unordered_map>

#include <absl/container/btree_map.h>
#include <fmt/format.h>

#include "report/event_text.h"
#include "trace/kind_groups.h"

namespace sooth::cli {

using trace::Event;
using trace::EventKind;
using trace::Trace;

namespace {

struct Place {
  std::size_t row;
  std::uint32_t first_thread;
  bool several_threads = false;
  bool written = false;
  bool counted_as_shared = false;
};

class Counter {
public:
  explicit Counter(const Trace& trace) : trace_(trace), narrator_(trace) {
    result_.by_thread.resize(trace.threads.size());
  }

  Tally count() {
    for (std::size_t i = 0; i < trace_.events.size(); ++i) {
      const Event& e = trace_.events[i];
      narrator_.follow(i);
      ++result_.by_kind[static_cast<std::uint8_t>(e.kind)];
      if (e.thread < result_.by_thread.size()) ++result_.by_thread[e.thread];
      event(e);
    }
    finish();
    return std::move(result_);
  }

private:
  void event(const Event& e) {
    if (e.kind == EventKind::ExternalWrite) return; // not an access of a thread
    if (trace::is_access(e.kind)) access(e);
    else if (trace::begins_object(e.kind)) renew(e);
    else if (does_to(trace::ObjectKind::Lock, e.kind, trace::act::kTakes)) acquire(e);
  }

  // Objects begin there: later accesses are accesses of other variables.
  void renew(const Event& e) {
    const auto drop = [&](auto& map) {
      const auto first = map.lower_bound(e.address);
      auto last = first;
      while (last != map.end() && last->first - e.address < e.value) ++last;
      map.erase(first, last);
    };
    drop(places_);
    drop(lock_rows_);
  }

  void access(const Event& e) {
    auto it = places_.find(e.address);
    if (it == places_.end()) {
      const std::size_t row = variable_row(e);
      ++variables_[row].places;
      it = places_.emplace(e.address, Place{row, e.thread}).first;
    }
    Place& place = it->second;
    VariableRow& row = variables_[place.row];
    if (trace::reads_memory(e.kind)) ++row.reads;
    if (trace::writes_memory(e.kind)) ++row.writes, place.written = true;
    ++row.by_thread[e.thread];
    place.several_threads |= e.thread != place.first_thread;
    if (place.several_threads && place.written && !place.counted_as_shared) {
      ++row.shared_places;
      place.counted_as_shared = true;
    }
  }

  std::size_t variable_row(const Event& e) {
    std::string name = narrator_.variable();
    if (name.empty()) name = fmt::format("{:#x}", e.address);
    const auto [it, added] = rows_by_name_.try_emplace(std::move(name), variables_.size());
    if (added) variables_.emplace_back().name = it->first;
    return it->second;
  }

  void acquire(const Event& e) {
    const auto [it, added] = lock_rows_.try_emplace(e.address, result_.locks.size());
    if (added) {
      std::string name = narrator_.name_of(e.address);
      result_.locks.emplace_back().name = name.empty() ? fmt::format("{:#x}", e.address) : std::move(name);
    }
    LockRow& row = result_.locks[it->second];
    if (e.has(trace::kFailed)) {
      ++row.failed;
      return;
    }
    ++(e.kind == EventKind::Acquire ? row.acquires : row.shared_acquires);
    ++row.by_thread[e.thread];
  }

  void finish() {
    result_.variables = variables_.size();
    for (VariableRow& row : variables_)
      if (row.shared_places != 0) result_.shared.push_back(std::move(row));
    std::sort(result_.shared.begin(), result_.shared.end(), [](const VariableRow& a, const VariableRow& b) {
      return a.accesses() != b.accesses() ? a.accesses() > b.accesses() : a.name < b.name;
    });
    std::sort(result_.locks.begin(), result_.locks.end(), [](const LockRow& a, const LockRow& b) {
      const std::uint64_t of_a = a.acquires + a.shared_acquires, of_b = b.acquires + b.shared_acquires;
      return of_a != of_b ? of_a > of_b : a.name < b.name;
    });
  }

  const Trace& trace_;
  report::Narrator narrator_;
  Tally result_;
  std::vector<VariableRow> variables_;
  std::unordered_map<std::string, std::size_t> rows_by_name_;
  absl::btree_map<std::uint64_t, Place> places_;          // by address, of objects that are alive
  absl::btree_map<std::uint64_t, std::size_t> lock_rows_; // by address, of objects that are alive
};

} // namespace

Tally tally(const Trace& trace) { return Counter(trace).count(); }

} // namespace sooth::cli
