#include "survey/histories.h"

#include <algorithm>

namespace sooth::survey {

namespace {

std::string key_of(const std::vector<Span>& spans) {
  std::string out;
  for (const Span& span : spans) {
    const std::uint32_t words[] = {span.thread,
                                   static_cast<std::uint32_t>(span.kind) << 1 | static_cast<std::uint32_t>(span.fresh),
                                   span.first, span.last};
    out.append(reinterpret_cast<const char*>(words), sizeof words);
  }
  return out;
}

bool same_kind(const Span& a, const Span& b) { return a.thread == b.thread && a.kind == b.kind && a.fresh == b.fresh; }

bool is_access(const Span& span) { return span.kind == UseKind::Read || span.kind == UseKind::Write; }
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

} // namespace

Histories::Histories() : histories_(2), judged_(2) {
  ids_.emplace("", kUnused);
  judged_[kUnused] = {true, Verdict::OneThread};
  judged_[kMany] = {true, Verdict::Constrains};
}

std::uint32_t Histories::use(std::uint32_t thread, std::uint32_t epoch, UseKind kind, bool fresh) {
  const std::uint64_t key = std::uint64_t{thread} << 35 | std::uint64_t{epoch} << 3 |
                            static_cast<std::uint64_t>(kind) << 1 | static_cast<std::uint64_t>(fresh);
  const auto [it, added] = use_ids_.try_emplace(key, static_cast<std::uint32_t>(uses_.size()));
  if (added) uses_.push_back({thread, kind, fresh, epoch, epoch});
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
  for (auto i = begin; i < end; ++i)
    if (spans[static_cast<std::size_t>(i)].first <= use.first && use.last <= spans[static_cast<std::size_t>(i)].last)
      return history;
  spans.insert(std::upper_bound(spans.begin(), spans.end(), use), use);
  if (static_cast<std::size_t>(end - begin) == kMaxSpansOfKind) {
    const auto own = std::find_if(spans.begin(), spans.end(), [&](const Span& s) { return same_kind(s, use); });
    auto nearest = own;
    for (auto it = own; it != own + kMaxSpansOfKind; ++it)
      if (it[1].first - it->last < nearest[1].first - nearest->last) nearest = it;
    nearest->last = nearest[1].last;
    spans.erase(nearest + 1);
  }
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

Verdict Histories::verdict(Id history, const StrongOrder& order) {
  Judged& judged = judged_[history];
  if (!judged.known) judged = {true, judge(histories_[history], order)};
  return judged.verdict;
}

Verdict Histories::judge(const Spans& spans, const StrongOrder& order) {
  const bool one =
      std::none_of(spans.begin(), spans.end(), [&](const Span& span) { return span.thread != spans.front().thread; });
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
