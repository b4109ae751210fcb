#include "survey/histories.h"

#include <algorithm>
#include <iterator>

namespace sooth::survey {

namespace {

std::string key_of(const std::vector<Span>& spans) {
  std::string out;
  for (const Span& span : spans) {
    const std::uint32_t words[] = {span.thread,
                                   static_cast<std::uint32_t>(span.kind) << 2 |
                                       static_cast<std::uint32_t>(span.fresh) << 1 |
                                       static_cast<std::uint32_t>(span.atomic),
                                   span.first, span.last, span.locks};
    out.append(reinterpret_cast<const char*>(words), sizeof words);
  }
  return out;
}

bool same_kind(const Span& a, const Span& b) {
  return a.thread == b.thread && a.kind == b.kind && a.fresh == b.fresh && a.atomic == b.atomic;
}

bool is_access(const Span& span) { return span.kind == UseKind::Read || span.kind == UseKind::Write; }
bool is_of_lock(const Span& span) { return span.kind >= UseKind::Lock; }
bool changes(const Span& span) { return span.kind != UseKind::Read; }

bool precedes(const Span& a, const Span& b, const StrongOrder& order) {
  return order.before({a.thread, a.last}, {b.thread, b.first});
}

// `end` comes before `use` in every run. Did the thread of `use` begin the object anew in between?
// If not, `use` may be a use after free.
bool renewed_between(const Span& end, const Span& use, const std::vector<Span>& spans, const StrongOrder& order) {
  if (use.fresh) return true; // begun in the epoch of `use`, which lies after `end` as a whole
  return std::any_of(spans.begin(), spans.end(), [&](const Span& begin) {
    return begin.kind == UseKind::Begin && begin.thread == use.thread && begin.last < use.first &&
           precedes(end, begin, order);
  });
}

// For two uses by different threads, at least one of which changes the memory.
bool may_constrain(const Span& a, const Span& b, const std::vector<Span>& spans, const StrongOrder& order) {
  const bool forward = precedes(a, b, order);
  if (!forward && !precedes(b, a, order)) return true;
  const Span& first = forward ? a : b;
  const Span& second = forward ? b : a;
  return first.kind == UseKind::End && is_access(second) && !renewed_between(first, second, spans, order);
}

// The object, or the lock, ends with `end`. May another thread's `use` come after it, or a second
// end?
bool may_come_after(const Span& end, const Span& use, const std::vector<Span>& spans, const StrongOrder& order) {
  if (end.kind == UseKind::Destroy) return is_of_lock(use) && !precedes(use, end, order);
  if (use.kind == UseKind::Destroy || precedes(use, end, order)) return false;
  if (!precedes(end, use, order)) return true;
  return use.kind != UseKind::Begin && !renewed_between(end, use, spans, order);
}

// May one thread initialise a lock while another one uses, initialises or destroys it?
bool may_be_half_made(const std::vector<Span>& spans, const StrongOrder& order) {
  for (const Span& init : spans) {
    if (init.kind != UseKind::Init) continue;
    for (const Span& use : spans)
      if (use.thread != init.thread && is_of_lock(use) && !precedes(init, use, order) && !precedes(use, init, order))
        return true;
  }
  return false;
}

bool may_be_used_after_end(const std::vector<Span>& spans, const StrongOrder& order) {
  for (const Span& end : spans) {
    if (end.kind != UseKind::End && end.kind != UseKind::Destroy) continue;
    for (const Span& use : spans)
      if (use.thread != end.thread && may_come_after(end, use, spans, order)) return true;
  }
  return false;
}

} // namespace

Histories::Histories(LockSets& locks) : locks_(locks), histories_(2), judged_(2) {
  ids_.emplace("", kUnused);
  judged_[kUnused] = {true, {Verdict::OneThread, false, false}};
  judged_[kMany] = {true, {}};
}

std::uint32_t Histories::use(const Span& use) {
  const auto [it, added] = use_ids_.try_emplace(key_of({use}), static_cast<std::uint32_t>(uses_.size()));
  if (added) uses_.push_back(use);
  return it->second;
}

Histories::Id Histories::look_up(std::uint64_t key) {
  const auto history = static_cast<Id>(key >> 32);
  if (history == kMany) return kMany;
  const auto [it, added] = after_.try_emplace(key, kMany);
  if (added) it->second = add(history, uses_[static_cast<std::uint32_t>(key)]);
  return it->second;
}

Histories::Id Histories::add(Id history, const Span& use) {
  Spans spans = histories_[history];
  const auto [begin, end] = [&] {
    const auto first = std::find_if(spans.begin(), spans.end(), [&](const Span& s) { return same_kind(s, use); });
    const auto last = std::find_if_not(first, spans.end(), [&](const Span& s) { return same_kind(s, use); });
    return std::pair(first - spans.begin(), last - spans.begin());
  }();
  for (auto i = begin; i < end; ++i) {
    const Span& known = spans[static_cast<std::size_t>(i)];
    if (known.first <= use.first && use.last <= known.last && locks_.contains(use.locks, known.locks)) return history;
  }
  spans.insert(std::upper_bound(spans.begin(), spans.end(), use), use);
  if (static_cast<std::size_t>(end - begin) == kMaxSpansOfKind) join_nearest(spans, use);
  if (spans.size() > kMaxSpans) return kMany;
  std::string key = key_of(spans);
  if (const auto it = ids_.find(key); it != ids_.end()) return it->second;
  if (histories_.size() == kMaxHistories) return kMany;
  const auto id = static_cast<Id>(histories_.size());
  ids_.emplace(std::move(key), id);
  histories_.push_back(std::move(spans));
  judged_.push_back({});
  return id;
}

// Joins two neighbours among the spans of this kind: those with the fewest epochs between them, and
// with the same locks if possible.
void Histories::join_nearest(Spans& spans, const Span& use) {
  const auto own = std::ranges::find_if(spans, [&](const Span& s) { return same_kind(s, use); });
  const auto distance = [](auto it) {
    const std::uint32_t gap = it[1].first > it->last ? it[1].first - it->last : 0;
    return std::pair(gap, it->locks != it[1].locks);
  };
  auto nearest = own;
  for (auto it = own; it != own + kMaxSpansOfKind; ++it)
    if (distance(it) < distance(nearest)) nearest = it;
  nearest->last = std::max(nearest->last, nearest[1].last);
  nearest->locks = locks_.common(nearest->locks, nearest[1].locks);
  spans.erase(nearest + 1);
}

const Suspicions& Histories::judge(Id history, const StrongOrder& order) {
  Judged& judged = judged_[history];
  if (judged.known) return judged.suspicions;
  const Spans& all = histories_[history];
  Spans memory;
  std::ranges::copy_if(all, std::back_inserter(memory), [](const Span& span) { return !is_of_lock(span); });
  judged.known = true;
  judged.suspicions.verdict = verdict(memory, order);
  judged.suspicions.race =
      (judged.suspicions.verdict == Verdict::Constrains && may_race(memory, order)) || may_be_half_made(all, order);
  judged.suspicions.memory = may_be_used_after_end(all, order);
  return judged.suspicions;
}

bool Histories::may_race(const Spans& spans, const StrongOrder& order) const {
  for (std::size_t i = 0; i < spans.size(); ++i)
    for (std::size_t j = i + 1; j < spans.size(); ++j) {
      const Span &a = spans[i], &b = spans[j];
      if (a.thread == b.thread || !is_access(a) || !is_access(b)) continue;
      if ((!changes(a) && !changes(b)) || (a.atomic && b.atomic)) continue;
      if (!locks_.exclude(a.locks, b.locks) && !precedes(a, b, order) && !precedes(b, a, order)) return true;
    }
  return false;
}

bool Histories::is_one_lock(Id history, const StrongOrder& order) const {
  if (history == kMany) return false;
  const Spans& spans = histories_[history];
  return std::ranges::all_of(spans, [&](const Span& begin) {
    return begin.kind != UseKind::Begin || std::ranges::all_of(spans, [&](const Span& use) {
             return use.kind != UseKind::Lock || use.thread == begin.thread || precedes(begin, use, order);
           });
  });
}

Verdict Histories::verdict(const Spans& spans, const StrongOrder& order) {
  const bool one = std::ranges::none_of(spans, [&](const Span& span) { return span.thread != spans.front().thread; });
  if (one) return Verdict::OneThread;
  if (std::none_of(spans.begin(), spans.end(), changes)) return Verdict::ReadOnly;
  for (std::size_t i = 0; i < spans.size(); ++i)
    for (std::size_t j = i + 1; j < spans.size(); ++j) {
      const Span &a = spans[i], &b = spans[j];
      if (a.thread == b.thread || (!changes(a) && !changes(b))) continue;
      if (may_constrain(a, b, spans, order)) return Verdict::Constrains;
    }
  return Verdict::Ordered;
}

} // namespace sooth::survey
