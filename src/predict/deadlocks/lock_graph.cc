#include "predict/deadlocks/lock_graph.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "predict/question/components.h"

namespace sooth::predict {
namespace {

// Two threads cannot both have a lock, unless both share it.
bool hold_apart(const Request& a, const Request& b) {
  for (const HeldLock& h : a.held)
    if (const HeldLock* other = b.holding(h.lock); other != nullptr && !(h.shared && other->shared)) return false;
  return true;
}

} // namespace

LockGraph::LockGraph(const causality::Computation& computation, const Requests& requests)
    : computation_(computation), requests_(requests) {
  collect_helps();
  add_classes(in_circles());
  add_lists();
  blockers_.resize(classes_.size());
  waiters_.resize(classes_.size());
}

void LockGraph::collect_helps() {
  for (const auto& [of, helps] : requests_.helps) {
    if (helps.gives.empty()) continue;
    const auto [object, thread] = of;
    helped_by_[thread].push_back({object, helps.gives.back()});
    helpers_[object].push_back({thread, helps.gives.back()});
  }
}

std::vector<bool> LockGraph::in_circles() const {
  const auto objects = static_cast<std::uint32_t>(computation_.locks.size() + requests_.others.size());
  const auto threads = static_cast<std::uint32_t>(computation_.threads.size());
  const auto end_of = [&](std::uint32_t thread) { return objects + thread; };
  const auto line_at = [&](std::uint32_t lock) { return objects + threads + lock; }; // readers behind writers

  std::vector<bool> joined(threads, false);
  for (const Request& r : requests_.all)
    if (r.kind == RequestKind::Join) joined[r.object] = true;

  const auto each_arc = [&](const Request& r, auto&& visit) {
    const std::uint32_t wanted = r.kind == RequestKind::Join ? end_of(r.object) : r.object;
    const auto from = [&](std::uint32_t node) {
      visit(node, wanted);
      if (r.behind_writers) visit(node, line_at(r.object));
    };
    for (const HeldLock& h : r.held) from(h.lock);
    if (r.kind == RequestKind::Exclusive) from(line_at(r.object));
    if (joined[r.thread]) from(end_of(r.thread));
    if (const auto it = helped_by_.find(r.thread); it != helped_by_.end())
      for (const auto& [object, last] : it->second)
        if (last >= std::int64_t{computation_.steps[r.steps.front()].place}) from(object);
  };

  std::vector<std::pair<std::uint32_t, std::uint32_t>> arcs;
  for (const Request& r : requests_.all)
    each_arc(r, [&](std::uint32_t from, std::uint32_t to) { arcs.push_back({from, to}); });
  std::ranges::sort(arcs);
  const auto repeated = std::ranges::unique(arcs);
  arcs.erase(repeated.begin(), repeated.end());
  const std::vector<std::uint32_t> component = components_of(objects + threads + objects, arcs);

  std::vector<bool> kept(requests_.all.size(), false);
  for (std::size_t i = 0; i < kept.size(); ++i)
    each_arc(requests_.all[i], [&](std::uint32_t from, std::uint32_t to) {
      if (component[from] == component[to]) kept[i] = true;
    });
  return kept;
}

void LockGraph::add_classes(const std::vector<bool>& kept) {
  struct Less {
    static auto key(const Request& r) {
      const bool known = r.site != 0;
      const std::uint32_t object = known && r.kind == RequestKind::Join ? 0 : r.object;
      return std::tuple(r.kind, r.site, object, r.behind_writers, known ? 0 : r.thread);
    }
    bool operator()(const Request* a, const Request* b) const {
      const auto x = key(*a), y = key(*b);
      return x != y ? x < y : a->held < b->held;
    }
  };
  std::map<const Request*, ClassId, Less> numbers;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    if (!kept[i]) continue;
    const auto [it, fresh] = numbers.try_emplace(&requests_.all[i], static_cast<ClassId>(classes_.size()));
    if (fresh) classes_.emplace_back();
    classes_[it->second].members.push_back(i);
  }
  for (RequestClass& c : classes_) {
    std::vector<std::uint32_t> threads;
    threads.reserve(c.members.size());
    for (const std::size_t i : c.members) threads.push_back(requests_.all[i].thread);
    std::ranges::sort(threads);
    c.threads = static_cast<std::uint32_t>(std::ranges::unique(threads).begin() - threads.begin());
    if (requests_.all[c.members.front()].kind != RequestKind::Join) continue;
    // A joined thread has joined others before: in the order of the trace a row grows from its end.
    absl::flat_hash_map<std::uint32_t, std::uint32_t> row; // by thread
    for (const std::size_t i : c.members) {
      const auto it = row.find(requests_.all[i].object);
      const std::uint32_t behind = it == row.end() ? 0 : it->second;
      std::uint32_t& mine = row[requests_.all[i].thread];
      mine = std::max(mine, 1 + behind);
      c.in_a_row = std::max(c.in_a_row, mine);
    }
  }
}

void LockGraph::add_lists() {
  for (ClassId id = 0; id < classes_.size(); ++id) {
    const Request& r = shape(id);
    for (const HeldLock& h : r.held) holders_[h.lock].push_back(id);
    if (r.kind == RequestKind::Exclusive) writers_[r.object].push_back(id);
    if (r.kind != RequestKind::Join) waiting_[r.object].push_back(id);
    for (const std::size_t i : classes_[id].members) {
      const Request& member = requests_.all[i];
      of_thread_[member.thread].push_back({id, computation_.steps[member.steps.front()].place});
      if (r.kind == RequestKind::Join) joining_[member.object].push_back(id);
    }
  }
}

// A thread that stands before `holder` blocks one that stands before `waiter`, whose object has an
// owner.
bool LockGraph::owner_blocks(const Request& holder, const Request& waiter) const {
  const HeldLock* held = holder.holding(waiter.object);
  if (held != nullptr && (waiter.kind != RequestKind::Shared || !held->shared)) return true;
  return waiter.behind_writers && holder.kind == RequestKind::Exclusive && holder.object == waiter.object;
}

bool LockGraph::fit_together(ClassId a, ClassId b) const {
  if (classes_[a].threads == 1 && classes_[b].threads == 1 && shape(a).thread == shape(b).thread) return false;
  return hold_apart(shape(a), shape(b));
}

bool LockGraph::waits_for_itself(ClassId id) const {
  if (shape(id).kind != RequestKind::Semaphore) return false;
  return std::ranges::any_of(classes_[id].members, [&](std::size_t i) {
    const Request& r = requests_.all[i];
    return requests_.last_help(r.object, r.thread) >= std::int64_t{computation_.steps[r.steps.front()].place};
  });
}

std::vector<ClassId> LockGraph::ascending(ClassId self, std::vector<ClassId> found) {
  looked_at_ += found.size();
  std::ranges::sort(found);
  const auto repeated = std::ranges::unique(found);
  found.erase(repeated.begin(), repeated.end());
  std::erase_if(found, [&](ClassId other) { return !fit_together(self, other); });
  return found;
}

const std::vector<ClassId>& LockGraph::blockers(ClassId id) {
  if (blockers_[id]) return *blockers_[id];
  std::vector<ClassId> found;
  const Request& r = shape(id);
  const auto add_of = [&](std::uint32_t thread, std::int64_t last) {
    if (const auto it = of_thread_.find(thread); it != of_thread_.end())
      for (const Member& member : it->second)
        if (std::int64_t{member.place} <= last) found.push_back(member.id);
  };
  const auto add_owners = [&](const Lists& lists) {
    if (const auto it = lists.find(r.object); it != lists.end())
      for (const ClassId other : it->second)
        if (owner_blocks(shape(other), r)) found.push_back(other);
  };
  if (r.kind == RequestKind::Join) {
    for (const std::size_t i : classes_[id].members) add_of(requests_.all[i].object, INT64_MAX);
  } else if (!has_owner(r.kind)) {
    if (const auto it = helpers_.find(r.object); it != helpers_.end())
      for (const auto& [thread, last] : it->second) add_of(thread, last);
  } else {
    add_owners(holders_);
    if (r.behind_writers) add_owners(writers_);
  }
  return blockers_[id].emplace(ascending(id, std::move(found)));
}

const std::vector<ClassId>& LockGraph::waiters(ClassId id) {
  if (waiters_[id]) return *waiters_[id];
  std::vector<ClassId> found;
  const Request& r = shape(id);
  const auto add = [&](const Lists& lists, std::uint32_t key, auto&& waits) {
    if (const auto it = lists.find(key); it != lists.end())
      for (const ClassId other : it->second)
        if (waits(shape(other))) found.push_back(other);
  };
  const auto for_owner = [&](const Request& w) { return has_owner(w.kind) && owner_blocks(r, w); };
  for (const HeldLock& h : r.held) add(waiting_, h.lock, for_owner);
  if (r.kind == RequestKind::Exclusive) add(waiting_, r.object, for_owner);
  for (const std::size_t i : classes_[id].members) {
    const Request& member = requests_.all[i];
    add(joining_, member.thread, [](const Request&) { return true; });
    if (const auto it = helped_by_.find(member.thread); it != helped_by_.end())
      for (const auto& [object, last] : it->second)
        if (last >= std::int64_t{computation_.steps[member.steps.front()].place})
          add(waiting_, object, [](const Request& w) { return !has_owner(w.kind); });
  }
  return waiters_[id].emplace(ascending(id, std::move(found)));
}

} // namespace sooth::predict
