#include "survey/sharing.h"

#include <algorithm>

#include "base/address_ranges.h"
#include "trace/kind_groups.h"

namespace sooth::survey {

using trace::Contents;
using trace::Event;
using trace::EventKind;

namespace {

// Ranges up to this size are marked granule by granule, even where no page exists yet. For larger
// ranges the file would decide how much memory we need.
constexpr std::uint64_t kMarkedBytes = 1 << 16;

bool has_extent(const Event& e) { return e.size != 0 && e.size <= ~e.address; }

// The part of an access that is in its granule at `base`, as offsets from there. Ends are inclusive
// on the way: the granule may be the last one of the address space.
struct InGranule {
  unsigned from, to;
};
InGranule in_granule(const Event& e, std::uint64_t base) {
  const std::uint64_t last = e.address + (e.size - 1);
  return {static_cast<unsigned>(std::max(e.address, base) - base),
          static_cast<unsigned>(std::min(last, base | 7) - base) + 1};
}

} // namespace

bool Sharing::begin(const trace::Trace& trace) {
  if (trace.is_fit_for_dependence()) return false;
  own_frame_.clear();
  for (const trace::Site& site : trace.sites) own_frame_.push_back((site.flags & trace::kSiteOwnFrame) != 0);
  values_recorded_ = (trace.flags & trace::kNoValues) == 0;
  values_.begin(trace);
  return true;
}

// --- pages ---------------------------------------------------------------------------------------

Sharing::Page* Sharing::find(std::uint64_t number) const {
  if (number == last_number_) return last_page_;
  const auto it = pages_.find(number);
  if (it == pages_.end()) return nullptr;
  last_number_ = number;
  return last_page_ = it->second.get();
}

Sharing::Page& Sharing::page(std::uint64_t number) {
  if (Page* known = find(number)) return *known;
  auto& made = pages_[number];
  made = std::make_unique<Page>();
  const std::uint64_t begin = number << kPageBits, last = begin + ((std::uint64_t{1} << kPageBits) - 1);
  made->dead_of = large_dead_of_;
  for (auto it = first_overlapping(large_dead_, begin); it != large_dead_.end() && it->first <= last; ++it)
    for (std::size_t i = 0; i < kGranules; ++i)
      if (const std::uint64_t at = begin + (i << kGranuleBits); (at | 7) >= it->first && at < it->second.end)
        made->dead[i] = true;
  last_number_ = number;
  return *(last_page_ = made.get());
}

// f(page, index in it) for each granule of the range.
template <typename F>
void Sharing::each_granule(std::uint64_t address, std::uint64_t bytes, F&& f) {
  const std::uint64_t last = (address + bytes - 1) >> kGranuleBits;
  for (std::uint64_t granule = address >> kGranuleBits; granule <= last;) {
    Page& at = page(granule / kGranules);
    const std::uint64_t end = std::min(last, granule | (kGranules - 1));
    for (; granule <= end; ++granule) f(at, static_cast<std::size_t>(granule % kGranules));
  }
}

// The same, but only where a page exists: for ranges of any size.
template <typename F>
void Sharing::each_known_granule(std::uint64_t address, std::uint64_t bytes, F&& f) {
  const std::uint64_t last_byte = address + bytes - 1;
  const auto visit = [&](std::uint64_t number) {
    const std::uint64_t begin = std::max(address, number << kPageBits);
    const std::uint64_t end = std::min(last_byte, (number << kPageBits) + ((std::uint64_t{1} << kPageBits) - 1));
    each_granule(begin, end - begin + 1, f);
  };
  const std::uint64_t first_page = address >> kPageBits, last_page = last_byte >> kPageBits;
  if (last_page - first_page < pages_.size()) {
    for (std::uint64_t number = first_page; number <= last_page; ++number)
      if (pages_.contains(number)) visit(number);
  } else {
    std::vector<std::uint64_t> there; // each_granule must not run during a walk through the map
    for (const auto& [number, page] : pages_)
      if (first_page <= number && number <= last_page) there.push_back(number);
    for (const std::uint64_t number : there) visit(number);
  }
}

// --- the first pass ------------------------------------------------------------------------------

void Sharing::survey(const Event& e) {
  if (is_access(e.kind)) {
    if (has_extent(e)) use(e);
    return;
  }
  if (trace::begins_object(e.kind)) begin_object(e);
  else if (trace::ends_object(e.kind)) end_object(e);
  else if (e.kind == EventKind::AtomicBegin) has_blocks_ = true;
  else order_.see(e);
}

std::uint32_t Sharing::use_number(std::uint32_t thread, UseKind kind, bool fresh) {
  const std::uint32_t epoch = order_.epoch(thread);
  if (thread != use_thread_ || epoch != use_epoch_) {
    use_thread_ = thread;
    use_epoch_ = epoch;
    for (unsigned i = 0; i < use_numbers_.size(); ++i)
      use_numbers_[i] = histories_.use(thread, epoch, static_cast<UseKind>(i >> 1), (i & 1) != 0);
  }
  return use_numbers_[static_cast<unsigned>(kind) << 1 | static_cast<unsigned>(fresh)];
}

bool Sharing::is_first_of_frame(const Event& e) {
  if (e.site >= own_frame_.size() || own_frame_[e.site] == 0) return false;
  return frame_pages_.insert((e.address >> kPageBits) << 20 | e.thread).second;
}

void Sharing::add(std::uint32_t& granule, std::uint32_t use) {
  granule = (granule & kKept) | histories_.after(granule & kHistory, use);
}

void Sharing::use(const Event& e) {
  const bool across = e.size <= 8 && (e.address >> kGranuleBits) != ((e.address + e.size - 1) >> kGranuleBits);
  const bool kept = is_atomic(e.kind) || e.kind == EventKind::ExternalWrite || across || is_first_of_frame(e);
  const UseKind kind = writes_memory(e.kind) ? UseKind::Write : UseKind::Read;
  const std::uint32_t stale_use = use_number(e.thread, kind, false), fresh_use = use_number(e.thread, kind, true);
  const auto mark = [&](Page& page, std::size_t i) {
    std::uint32_t& granule = page.granules[i];
    const bool fresh = page.fresh_of == e.thread && page.fresh_epoch == use_epoch_ && page.fresh[i];
    const std::uint32_t history = histories_.after(granule & kHistory, fresh ? fresh_use : stale_use);
    const bool keep = kept || (page.dead_of == e.thread && page.dead[i]);
    granule = (granule & kKept) | history | (keep ? kKept : 0);
  };
  if (e.size <= kMarkedBytes) return each_granule(e.address, e.size, mark);
  const LargeUse large{e.address, e.size, e.thread, use_epoch_, kind};
  if (large_uses_.insert(large).second) each_known_granule(e.address, e.size, mark);
}

void Sharing::begin_object(const Event& e) {
  if (e.value == 0 || e.value > ~e.address) return;
  if (large_dead_of_ == e.thread) erase_overlapping(large_dead_, e.address, e.address + e.value);
  const std::uint32_t number = use_number(e.thread, UseKind::Begin, false);
  const auto begin = [&](Page& page, std::size_t i) {
    if (page.fresh_of != e.thread || page.fresh_epoch != use_epoch_) {
      page.fresh.reset();
      page.fresh_of = e.thread;
      page.fresh_epoch = use_epoch_;
    }
    page.fresh[i] = true;
    if (page.dead_of == e.thread) page.dead[i] = false;
    add(page.granules[i], number);
  };
  // A granule without a page has seen no end so far, so a large range need not begin it. A small
  // range does so all the same: a thread that is surveyed later may have ended an object there.
  if (e.value <= kMarkedBytes) each_granule(e.address, e.value, begin);
  else each_known_granule(e.address, e.value, begin);
}

void Sharing::end_object(const Event& e) {
  if (e.value == 0 || e.value > ~e.address) return;
  const std::uint32_t number = use_number(e.thread, UseKind::End, false);
  // A new mapping may go unrecorded, so an access after an unmap is not a use of dead memory.
  const bool dead = e.kind != EventKind::Unmap;
  const auto end = [&](Page& page, std::size_t i) {
    add(page.granules[i], number);
    if (!dead) return;
    if (page.dead_of != e.thread) {
      page.dead.reset();
      page.dead_of = e.thread;
    }
    page.dead[i] = true;
  };
  if (e.value <= kMarkedBytes) return each_granule(e.address, e.value, end);
  each_known_granule(e.address, e.value, end);
  large_uses_.insert({e.address, e.value, e.thread, use_epoch_, UseKind::End});
  if (!dead) return;
  if (large_dead_of_ != e.thread) large_dead_.clear();
  large_dead_of_ = e.thread;
  erase_overlapping(large_dead_, e.address, e.address + e.value);
  large_dead_[e.address] = {e.address + e.value};
}

void Sharing::surveyed() {
  for (const LargeUse& large : large_uses_) { // some granules got a page only later
    const std::uint32_t number = histories_.use(large.thread, large.epoch, large.kind, false);
    each_known_granule(large.address, large.bytes, [&](Page& page, std::size_t i) { add(page.granules[i], number); });
  }
  for (auto& [number, page] : pages_)
    for (std::uint32_t& granule : page->granules) {
      Verdict verdict = histories_.verdict(granule & kHistory, order_);
      if ((granule & kKept) != 0 || (verdict == Verdict::Ordered && has_blocks_)) verdict = Verdict::Constrains;
      granule = static_cast<std::uint32_t>(verdict);
    }
}

// --- the second pass -----------------------------------------------------------------------------

Verdict Sharing::verdict(std::uint64_t granule) const {
  const Page* page = find(granule / kGranules);
  return page == nullptr ? Verdict::Constrains : static_cast<Verdict>(page->granules[granule % kGranules]);
}

bool Sharing::is_private(const Event& e) const {
  if (!has_extent(e) || e.size > kMarkedBytes) return false;
  const std::uint64_t last = (e.address + e.size - 1) >> kGranuleBits;
  for (std::uint64_t granule = e.address >> kGranuleBits; granule <= last; ++granule)
    if (verdict(granule) != Verdict::OneThread) return false;
  return true;
}

void Sharing::kept_parts(const Event& e, std::vector<trace::KeptPart>& parts) const {
  parts.clear();
  if (!has_extent(e) || e.size > kMarkedBytes) { // kept: the contents of large ranges are not recorded
    parts.push_back({e.address, e.size});
    return;
  }
  const std::uint64_t last = (e.address + e.size - 1) >> kGranuleBits;
  for (std::uint64_t granule = e.address >> kGranuleBits; granule <= last; ++granule) {
    if (verdict(granule) != Verdict::Constrains) continue;
    const auto [from, to] = in_granule(e, granule << kGranuleBits);
    const std::uint64_t address = (granule << kGranuleBits) + from;
    if (!parts.empty() && parts.back().address + parts.back().bytes == address) parts.back().bytes += to - from;
    else parts.push_back({address, to - from});
  }
}

void Sharing::passes(const Event& e, std::span<const std::uint8_t> bytes) {
  if (begins_or_ends_object(e.kind)) return values_.forget(e.address, e.value);
  const bool read = e.kind == EventKind::Read;
  if ((!read && e.kind != EventKind::Write) || !has_extent(e) || !values_recorded_) return;
  if (e.size > kMarkedBytes) {
    if (!read) values_.forget(e.address, e.size);
    return;
  }
  const Contents contents = read ? seen_by(bytes, e) : written_by(bytes, e);
  const std::uint64_t last = (e.address + e.size - 1) >> kGranuleBits;
  for (std::uint64_t granule = e.address >> kGranuleBits; granule <= last; ++granule) {
    const Verdict judged = verdict(granule);
    if (judged != Verdict::ReadOnly && judged != Verdict::Ordered) continue;
    const auto [from, to] = in_granule(e, granule << kGranuleBits);
    if (!read) values_.write(granule, from, to, contents, e.address);
    else if (!values_.read(granule, from, to, contents, e.address)) changed_.push_back(granule);
  }
}

bool Sharing::wants_another_pass() {
  if (changed_.empty()) return false;
  ++passes_;
  for (const std::uint64_t granule : changed_)
    page(granule / kGranules).granules[granule % kGranules] = static_cast<std::uint32_t>(Verdict::Constrains);
  changed_.clear();
  if (passes_ >= kMaxPasses)
    for (auto& [number, page] : pages_)
      for (std::uint32_t& verdict : page->granules)
        if (verdict != static_cast<std::uint32_t>(Verdict::OneThread))
          verdict = static_cast<std::uint32_t>(Verdict::Constrains);
  values_.restart();
  return true;
}

} // namespace sooth::survey
