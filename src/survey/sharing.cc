#include "survey/sharing.h"

#include <algorithm>
#include <iterator>

#include "base/address_ranges.h"
#include "trace/effects.h"
#include "trace/kind_groups.h"
#include "trace/restore/hand_over.h"

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

// The verdict that all of them have, or `otherwise`.
template <typename Granules>
std::uint32_t common_verdict(const Granules& granules, std::uint32_t otherwise) {
  const auto differs = [&](std::uint32_t verdict) { return verdict != granules.front(); };
  return std::ranges::any_of(granules, differs) ? otherwise : granules.front();
}

} // namespace

bool Sharing::begin(const trace::Trace& trace) {
  if (trace.is_fit_for_dependence()) return false;
  own_frame_.clear();
  sections_.begin(trace);
  stores_.begin(trace);
  is_check_.assign(trace.sites.size(), 0);
  for (const trace::Check& check : trace.checks)
    for (const std::uint32_t site : check.loads) is_check_[site] = 1;
  for (const trace::Site& site : trace.sites) own_frame_.push_back((site.flags & trace::kSiteOwnFrame) != 0);
  values_recorded_ = (trace.flags & trace::kNoValues) == 0;
  from_runtime_ = (trace.flags & trace::kFrozen) == 0;
  values_.begin(trace);
  waits_ = trace::UnmadeWaits(trace);
  ended_ = trace.process.end == trace::EndKind::Exit;
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

// f(page, first, end) for each page of the range, with the granules of it that are in the range.
template <typename F>
void Sharing::each_page(std::uint64_t address, std::uint64_t bytes, F&& f) {
  const std::uint64_t last = (address + bytes - 1) >> kGranuleBits;
  for (std::uint64_t granule = address >> kGranuleBits; granule <= last;) {
    const std::uint64_t end = std::min(last, granule | (kGranules - 1));
    f(page(granule / kGranules), static_cast<std::size_t>(granule % kGranules),
      static_cast<std::size_t>(end % kGranules) + 1);
    granule = end + 1;
  }
}

// f(page, index in it) for each granule of the range.
template <typename F>
void Sharing::each_granule(std::uint64_t address, std::uint64_t bytes, F&& f) {
  each_page(address, bytes, [&](Page& page, std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < to; ++i) f(page, i);
  });
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
  waits_.see(e);
  if (e.thread != requests_.thread()) {
    requests_.begin_thread(e.thread);
    stores_.begin_thread();
    handlers_ = 0;
  }
  if (is_access(e.kind)) {
    if (e.has(trace::kMerged) && e.has(trace::kOpaque)) left_ = e.address; // hand_over.h: its release is next
    if (has_extent(e)) use(e);
    if (is_atomic(e.kind)) stores_.see(e);
    return;
  }
  sections_.see(e);
  const std::uint64_t lock = requests_.see(e, locks_);
  if (lock != 0) use_lock(e, lock, UseKind::Lock);
  trace::for_primitives_used(e, [&](std::uint64_t primitive) {
    if (primitive != lock) use_lock(e, primitive, UseKind::Lock);
    used_dead_ |= destroyed_of_ == e.thread && destroyed_.contains(primitive);
  });
  if (destroys_primitive(e.kind)) destroy_primitive(e);
  else if (trace::begins_primitive(e.kind)) initialise_primitive(e);
  if (trace::begins_object(e.kind)) return begin_object(e);
  if (trace::ends_object(e.kind)) return end_object(e);
  switch (e.kind) {
  case EventKind::AtomicBegin: has_blocks_ = true; break;
  case EventKind::Fork:
  case EventKind::Join:
  case EventKind::Detach:
    if (!e.has(trace::kFailed)) (e.kind == EventKind::Fork ? created_ : kept_).insert(e.value);
    order_.see(e);
    break;
  case EventKind::FdUse:
  case EventKind::FdClose: see_descriptor(e); break;
  case EventKind::SignalExit: handlers_ -= handlers_ != 0 ? 1 : 0; break;
  case EventKind::SignalEnter: ++handlers_; [[fallthrough]];
  case EventKind::ProcessFork:
  case EventKind::Crash: odd_ = true; break;
  case EventKind::HbRelease:
    if (is_hand_over(e)) {
      hand_overs_[e.address].block = left_;
      hand_overs_[e.address].given = {e.thread, order_.epoch(e.thread)};
    }
    break;
  case EventKind::HbAcquire:
    if (is_hand_over(e)) hand_overs_[e.address].taken.push_back({e.thread, order_.epoch(e.thread)});
    break;
  default: order_.see(e);
  }
}

// If creation and joining put the owner before the thread that took the block, only its contents
// are lost. They matter where later uses can come in another order: a read may see what the owner
// left.
std::uint64_t Sharing::handed_over() const {
  const auto contends = [&](std::uint64_t block) {
    const Page* page = find(block >> kPageBits);
    return page != nullptr && std::ranges::count(page->granules, static_cast<std::uint32_t>(Verdict::Constrains)) != 0;
  };
  const auto costs = [&](const auto& entry) {
    const HandOver& over = entry.second;
    if (over.taken.empty()) return false;
    if (has_blocks_) return true; // an atomic block may break around a thread that it creates
    return contends(over.block) ||
           std::ranges::any_of(over.taken, [&](const Moment& taken) { return !order_.before(over.given, taken); });
  };
  return static_cast<std::uint64_t>(std::ranges::count_if(hand_overs_, costs));
}

// Only accesses depend on the locks that are held.
std::uint32_t Sharing::use_number(std::uint32_t thread, UseKind kind, bool fresh, bool atomic) {
  constexpr std::uint32_t kUnknown = 0xffffffff;
  const bool access = kind == UseKind::Read || kind == UseKind::Write;
  const UseKey key{thread, order_.epoch(thread), access ? requests_.held() : LockSets::kNone};
  if (present_ == nullptr || key != use_key_) {
    const auto [it, added] = use_numbers_.try_emplace(key);
    if (added) it->second.fill(kUnknown);
    use_key_ = key;
    present_ = &it->second;
  }
  std::uint32_t& number =
      (*present_)[static_cast<unsigned>(kind) << 2 | static_cast<unsigned>(fresh) << 1 | static_cast<unsigned>(atomic)];
  if (number == kUnknown) number = histories_.use({thread, kind, fresh, atomic, key.epoch, key.epoch, key.locks});
  return number;
}

void Sharing::use_lock(const Event& e, std::uint64_t lock, UseKind kind) {
  const std::uint32_t number = use_number(e.thread, kind, false);
  each_granule(lock, 1, [&](Page& page, std::size_t i) {
    add(page.granules[i], number);
    if (page.dead_of == e.thread && page.dead[i]) used_dead_ = true;
  });
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
  const bool frame = is_first_of_frame(e); // notes the page
  const bool kept = is_atomic(e.kind) || e.kind == EventKind::ExternalWrite || across || frame || handlers_ != 0;
  const UseKind kind = writes_memory(e.kind) ? UseKind::Write : UseKind::Read;
  const bool atomic = is_atomic(e.kind);
  odd_ |= e.kind == EventKind::ExternalWrite;
  const std::uint32_t stale_use = use_number(e.thread, kind, false, atomic);
  const std::uint32_t epoch = use_key_.epoch;
  const auto mark = [&](Page& page, std::size_t i) {
    std::uint32_t& granule = page.granules[i];
    const bool fresh = page.fresh_of == e.thread && page.fresh_epoch == epoch && page.fresh[i];
    const std::uint32_t number = fresh ? use_number(e.thread, kind, true, atomic) : stale_use;
    const std::uint32_t history = histories_.after(granule & kHistory, number);
    const bool dead = page.dead_of == e.thread && page.dead[i];
    used_dead_ |= dead;
    const bool keep = kept || dead;
    granule = (granule & kKept) | history | (keep ? kKept : 0);
  };
  const auto mark_part = [&](Page& page, std::size_t from, std::size_t to) {
    Marked& marked = page.marked[kind == UseKind::Write ? 1 : 0];
    const bool same = marked.use == stale_use;
    if (same && kept <= marked.kept && marked.from <= from && to <= marked.to) return;
    for (std::size_t i = from; i < to; ++i) mark(page, i);
    const bool touches = same && from <= marked.to && marked.from <= to;
    const auto first = static_cast<std::uint16_t>(from), end = static_cast<std::uint16_t>(to);
    if (touches) marked = {stale_use, std::min(marked.from, first), std::max(marked.to, end), marked.kept && kept};
    else marked = {stale_use, first, end, kept};
  };
  if (e.site < is_check_.size() && is_check_[e.site] != 0)
    for (std::uint64_t g = e.address >> kGranuleBits; g <= (e.address + (e.size - 1)) >> kGranuleBits; ++g)
      checked_.insert(g);
  if (requests_.held() != LockSets::kNone && !atomic) sections_.see(e);
  if (e.size <= kMarkedBytes) return each_page(e.address, e.size, mark_part);
  const LargeUse large{e.address, e.size, e.thread, epoch, kind};
  if (large_uses_.insert(large).second) each_known_granule(e.address, e.size, mark);
}

void Sharing::begin_object(const Event& e) {
  if (e.value == 0 || e.value > ~e.address) return;
  if (large_dead_of_ == e.thread) erase_overlapping(large_dead_, e.address, e.address + e.value);
  const std::uint32_t number = use_number(e.thread, UseKind::Begin, false), epoch = use_key_.epoch;
  const auto begin = [&](Page& page, std::size_t i) {
    if (page.fresh_of != e.thread || page.fresh_epoch != epoch) {
      page.fresh.reset();
      page.fresh_of = e.thread;
      page.fresh_epoch = epoch;
    }
    page.fresh[i] = true;
    page.marked = {};
    if (page.dead_of == e.thread) page.dead[i] = false;
    add(page.granules[i], number);
  };
  // A granule without a page has seen no end so far, so a large range need not begin it. A small
  // range does so all the same: a thread that is surveyed later may have ended an object there.
  if (e.value <= kMarkedBytes) return each_granule(e.address, e.value, begin);
  each_known_granule(e.address, e.value, begin);
  large_begins_.insert({e.address, e.value, e.thread, epoch, UseKind::Begin});
}

void Sharing::end_object(const Event& e) {
  if (e.value == 0 || e.value > ~e.address) return;
  const std::uint32_t number = use_number(e.thread, UseKind::End, false), epoch = use_key_.epoch;
  // A new mapping may go unrecorded, so an access after an unmap is not a use of dead memory.
  const bool dead = e.kind != EventKind::Unmap;
  const auto end = [&](Page& page, std::size_t i) {
    add(page.granules[i], number);
    page.marked = {};
    if (!dead) return;
    if (page.dead_of != e.thread) {
      page.dead.reset();
      page.dead_of = e.thread;
    }
    used_dead_ |= page.dead[i]; // freed twice
    page.dead[i] = true;
  };
  if (e.value <= kMarkedBytes) return each_granule(e.address, e.value, end);
  each_known_granule(e.address, e.value, end);
  large_uses_.insert({e.address, e.value, e.thread, epoch, UseKind::End});
  if (!dead) return;
  if (large_dead_of_ != e.thread) large_dead_.clear();
  large_dead_of_ = e.thread;
  const auto known = first_overlapping(large_dead_, e.address);
  used_dead_ |= known != large_dead_.end() && known->first < e.address + e.value;
  erase_overlapping(large_dead_, e.address, e.address + e.value);
  large_dead_[e.address] = {e.address + e.value};
}

void Sharing::surveyed() {
  requests_.finish();
  sections_.finish();
  for (const LargeUse& large : large_uses_) { // some granules got a page only later
    const std::uint32_t number =
        histories_.use({large.thread, large.kind, false, false, large.epoch, large.epoch, LockSets::kNone});
    each_known_granule(large.address, large.bytes, [&](Page& page, std::size_t i) { add(page.granules[i], number); });
  }
  distrust_locks();
  const bool looks_at_changes = this->looks_at_changes();
  absl::flat_hash_set<std::uint64_t> frames; // pages
  for (const std::uint64_t entry : frame_pages_) frames.insert(entry >> 20);
  SplitUpdates& updates = sections_.updates();
  updates.finish(order_, [&](std::uint64_t granule) { return constrains(granule); });
  bool race = false, memory = used_dead_;
  for (auto& [number, page] : pages_) {
    const bool frame = frames.contains(number);
    for (std::uint32_t& granule : page->granules) {
      const Suspicions& suspicions = histories_.judge(granule & kHistory, order_);
      Verdict verdict = suspicions.verdict;
      race |= suspicions.race;
      memory |= suspicions.memory || (frame && verdict == Verdict::Constrains);
      if ((granule & kKept) != 0 || (verdict == Verdict::Ordered && has_blocks_)) verdict = Verdict::Constrains;
      granule = static_cast<std::uint32_t>(verdict);
    }
    page->all = common_verdict(page->granules, kMixed);
  }
  const bool large = odd_ || large_uses_conflict();
  const bool counts_updates = !has_blocks_ && requests_.distrusted().empty();
  settled_ = {.races = !race && !large,
              .memory = !memory && !large,
              .deadlocks = !odd_ && !requests_.may_deadlock(),
              .wakeups = !odd_ && !requests_.may_lose_wakeups() && waits_.all().empty(),
              .misuse = !memory && !large && !requests_.may_misuse(),
              .threads = !odd_ && std::ranges::includes(kept_, created_),
              .descriptors = !odd_ && descriptors_are_ordered(),
              .blocks = !has_blocks_,
              .unmarked =
                  !sections_.views().any() && !stores_.any() && (counts_updates ? !updates.open() : !updates.any()),
              .assertions = !odd_ && !used_dead_ && !looks_at_changes,
              .end = !odd_ && ended_,
              .suggested = updates.certain()};
}

// A check's load may see another value only where memory constrains runs.
bool Sharing::looks_at_changes() {
  return std::ranges::any_of(checked_, [&](std::uint64_t granule) { return constrains(granule); });
}

// What is kept for another reason does not: the granules must still have their histories.
bool Sharing::constrains(std::uint64_t granule) {
  const Page* page = find(granule / kGranules);
  if (page == nullptr) return false;
  const Histories::Id history = page->granules[granule % kGranules] & kHistory;
  return histories_.judge(history, order_).verdict == Verdict::Constrains;
}

// A thread's own use behind it is an error, too, unless it is initialised again. Of mutexes
// requests.h knows.
void Sharing::destroy_primitive(const Event& e) {
  use_lock(e, e.address, UseKind::Destroy);
  if (destroyed_of_ != e.thread) destroyed_.clear();
  destroyed_of_ = e.thread;
  const bool assigned = (e.value & (trace::kLockReadWrite | trace::kLockCondition)) != 0;
  if (e.kind != EventKind::LockDestroy || assigned || (e.value & trace::kLockSpin) != 0) destroyed_.insert(e.address);
  if (e.kind != EventKind::LockDestroy || !assigned) return;
  constexpr std::uint64_t kBytes = 64; // more than these have. A write may initialise them again, and is kept
  each_granule(e.address, kBytes, [&](Page& page, std::size_t i) { page.granules[i] |= kKept; });
}

void Sharing::initialise_primitive(const Event& e) {
  use_lock(e, e.address, UseKind::Init);
  destroyed_.erase(e.address);
}

// Who uses which descriptor, and who closes it.
void Sharing::see_descriptor(const Event& e) {
  (e.kind == EventKind::FdUse ? fd_uses_ : fd_closes_)[e.address].insert({e.thread, order_.epoch(e.thread)});
}

// Creation and joining order every close against all uses by other threads.
bool Sharing::descriptors_are_ordered() const {
  const auto ordered = [&](const Moment& a, const Moment& b) {
    return a.thread == b.thread || order_.before(a, b) || order_.before(b, a);
  };
  return std::ranges::all_of(fd_closes_, [&](const auto& closes) {
    const auto uses = fd_uses_.find(closes.first);
    return uses == fd_uses_.end() || std::ranges::all_of(closes.second, [&](const Moment& close) {
             return std::ranges::all_of(uses->second, [&](const Moment& use) { return ordered(use, close); });
           });
  });
}

// Locks whose address may have been several objects exclude nobody (settled.h).
void Sharing::distrust_locks() {
  for (const std::uint64_t lock : requests_.distrusted()) locks_.distrust(lock);
  for (const std::uint64_t lock : locks_.locks()) {
    const Page* page = find(lock >> kPageBits);
    if (page == nullptr) continue; // its set was never used
    Histories::Id history = page->granules[(lock >> kGranuleBits) % kGranules] & kHistory;
    for (const LargeUse& begin : large_begins_) {
      if (begin.address > lock) break;
      if (lock - begin.address >= begin.bytes) continue;
      history = histories_.after(
          history, histories_.use({begin.thread, begin.kind, false, false, begin.epoch, begin.epoch, LockSets::kNone}));
    }
    if (!histories_.is_one_lock(history, order_)) locks_.distrust(lock);
  }
}

// Large ranges mark only the granules that are used otherwise, too. May two of them conflict?
bool Sharing::large_uses_conflict() const {
  constexpr std::size_t kMostCompared = 2048;
  if (large_uses_.size() > kMostCompared) return true;
  for (auto a = large_uses_.begin(); a != large_uses_.end(); ++a)
    for (auto b = std::next(a); b != large_uses_.end() && b->address - a->address < a->bytes; ++b) {
      if (a->thread == b->thread || (a->kind == UseKind::Read && b->kind == UseKind::Read)) continue;
      const bool forward = order_.before({a->thread, a->epoch}, {b->thread, b->epoch});
      if (!forward && !order_.before({b->thread, b->epoch}, {a->thread, a->epoch})) return true;
      if ((forward ? a : b)->kind == UseKind::End) return true;
    }
  return false;
}

// --- the second pass -----------------------------------------------------------------------------

// f(first granule, last granule, verdict) for parts of the access that have one verdict, ascending,
// until it returns false.
template <typename F>
void Sharing::each_verdict(const Event& e, F&& f) const {
  const std::uint64_t last = (e.address + e.size - 1) >> kGranuleBits;
  for (std::uint64_t granule = e.address >> kGranuleBits; granule <= last;) {
    const std::uint64_t end = std::min(last, granule | (kGranules - 1));
    const Page* page = find(granule / kGranules);
    if (page == nullptr || page->all != kMixed) {
      if (!f(granule, end, page == nullptr ? Verdict::Constrains : static_cast<Verdict>(page->all))) return;
    } else {
      for (std::uint64_t at = granule; at <= end; ++at)
        if (!f(at, at, static_cast<Verdict>(page->granules[at % kGranules]))) return;
    }
    granule = end + 1;
  }
}

bool Sharing::is_private(const Event& e) const {
  if (!has_extent(e) || e.size > kMarkedBytes) return false;
  bool one_thread = true;
  each_verdict(e, [&](std::uint64_t, std::uint64_t, Verdict verdict) {
    one_thread = verdict == Verdict::OneThread;
    return one_thread;
  });
  return one_thread;
}

void Sharing::kept_parts(const Event& e, std::vector<trace::KeptPart>& parts) const {
  parts.clear();
  if (!has_extent(e) || e.size > kMarkedBytes) { // kept: the contents of large ranges are not recorded
    parts.push_back({e.address, e.size});
    return;
  }
  each_verdict(e, [&](std::uint64_t first, std::uint64_t last, Verdict verdict) {
    if (verdict != Verdict::Constrains) return true;
    const std::uint64_t begin = in_granule(e, first << kGranuleBits).from + (first << kGranuleBits);
    const std::uint64_t bytes = in_granule(e, last << kGranuleBits).to + (last << kGranuleBits) - begin;
    if (!parts.empty() && parts.back().address + parts.back().bytes == begin) parts.back().bytes += bytes;
    else parts.push_back({begin, bytes});
    return true;
  });
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
  if (read && contents.is_opaque()) return;
  each_verdict(e, [&](std::uint64_t first, std::uint64_t last, Verdict verdict) {
    if (verdict != Verdict::ReadOnly && verdict != Verdict::Ordered) return true;
    if (contents.is_opaque()) {
      const unsigned from = in_granule(e, first << kGranuleBits).from, to = in_granule(e, last << kGranuleBits).to;
      values_.lose(first, from, last, to);
      return true;
    }
    for (std::uint64_t granule = first; granule <= last; ++granule) {
      const auto [from, to] = in_granule(e, granule << kGranuleBits);
      if (!read) values_.write(granule, from, to, contents, e.address);
      else if (!values_.read(granule, from, to, contents, e.address)) changed_.push_back(granule);
    }
    return true;
  });
}

bool Sharing::wants_another_pass() {
  if (changed_.empty()) return false;
  ++passes_;
  for (const std::uint64_t granule : changed_) {
    Page& at = page(granule / kGranules);
    at.granules[granule % kGranules] = static_cast<std::uint32_t>(Verdict::Constrains);
    at.all = kMixed;
  }
  changed_.clear();
  if (passes_ >= kMaxPasses)
    for (auto& [number, page] : pages_) {
      for (std::uint32_t& verdict : page->granules)
        if (verdict != static_cast<std::uint32_t>(Verdict::OneThread))
          verdict = static_cast<std::uint32_t>(Verdict::Constrains);
      page->all = kMixed;
    }
  values_.restart();
  return true;
}

} // namespace sooth::survey
