// A barrier is left only when its group is complete.
//
// A group is its own object: the first thread out may destroy the barrier, or arrive again, while
// others of its group have not left yet. Without a barrier-init the group's size is unknown: then
// only "arrive, then leave" is judged.
#include <cstdint>
#include <memory>
#include <vector>

#include <absl/container/btree_map.h>
#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include "trace/legality/judge.h"

namespace sooth::trace::legality {

namespace {

struct Group {
  std::uint64_t needed = 0; // 0: unknown
  std::uint64_t arrived = 0;
  bool complete() const { return needed == 0 || arrived >= needed; }
};

class Barriers final : public Family {
public:
  explicit Barriers(Judge& judge) : Family(judge), arrivals_(judge.trace.threads.size()) {}
  // The barrier and the arrived threads share a group; the copy gets groups of its own.
  Barriers(const Barriers& other) : Family(other), groups_(other.groups_), arrivals_(other.arrivals_) {
    absl::flat_hash_map<const Group*, std::shared_ptr<Group>> own;
    const auto take_over = [&own](std::shared_ptr<Group>& group) {
      if (group == nullptr) return;
      std::shared_ptr<Group>& copied = own[group.get()];
      if (copied == nullptr) copied = std::make_shared<Group>(*group);
      group = copied;
    };
    for (auto& [address, group] : groups_) take_over(group);
    for (Arrivals& thread : arrivals_)
      for (auto& [address, groups] : thread)
        for (std::shared_ptr<Group>& group : groups) take_over(group);
  }
  Barriers& operator=(const Barriers&) = delete;

  std::unique_ptr<Family> copy() const override { return std::make_unique<Barriers>(*this); }
  bool wants(EventKind kind) const override {
    return kind == EventKind::BarrierInit || kind == EventKind::BarrierArrive || kind == EventKind::BarrierLeave ||
           renews_memory(kind);
  }

  void step(const Event& e) override {
    if (renews_memory(e.kind)) return forget_range(groups_, e);
    switch (e.kind) {
    case EventKind::BarrierInit: return init(e);
    case EventKind::BarrierArrive: return arrive(e);
    default: return leave(e);
    }
  }

private:
  void init(const Event& e) {
    std::uint64_t needed = e.value;
    // The upper half says that other processes may arrive, too; their arrivals are not in this
    // trace.
    if (needed >> 32 != 0) {
      needed = 0;
      judge_.remark("Barriers shared with other processes were judged only within this one.");
    }
    groups_[e.address] = std::make_shared<Group>(Group{needed, 0});
  }

  void arrive(const Event& e) {
    auto& group = groups_[e.address];
    if (!group) {
      group = std::make_shared<Group>();
      judge_.remark("The number of threads of some barriers is unknown, so their groups were not judged.");
    }
    ++group->arrived;
    arrivals_[e.thread][e.address].push_back(group);
    if (group->needed != 0 && group->complete()) group = std::make_shared<Group>(Group{group->needed, 0});
  }

  void leave(const Event& e) {
    const auto it = arrivals_[e.thread].find(e.address);
    if (it == arrivals_[e.thread].end()) {
      judge_.object(Rule::BarrierNoArrive, [&] {
        return fmt::format("{} leaves the barrier {}, but had not arrived at it.", judge_.thread_name(e.thread),
                           judge_.name_of(e.address));
      });
      return;
    }
    const std::shared_ptr<Group> group = it->second.back();
    it->second.pop_back();
    if (it->second.empty()) arrivals_[e.thread].erase(it);
    if (!group->complete())
      judge_.object(Rule::BarrierEarly, [&] {
        return fmt::format("{} leaves the barrier {} when only {} of {} threads have arrived.",
                           judge_.thread_name(e.thread), judge_.name_of(e.address), group->arrived, group->needed);
      });
  }

  using Arrivals = absl::flat_hash_map<std::uint64_t, std::vector<std::shared_ptr<Group>>>;
  absl::btree_map<std::uint64_t, std::shared_ptr<Group>> groups_; // the group that is filling up, by barrier
  std::vector<Arrivals> arrivals_;                                // by thread: groups not left yet, by barrier
};

} // namespace

std::unique_ptr<Family> make_barriers(Judge& judge) { return std::make_unique<Barriers>(judge); }

} // namespace sooth::trace::legality
