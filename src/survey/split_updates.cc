#include "survey/split_updates.h"

#include <string_view>

#include "trace/place_names.h"

namespace sooth::survey {

namespace {

// The bytes of the granule at `base` that the access touches: [first, second).
std::pair<std::uint8_t, std::uint8_t> part_in(const trace::Event& e, std::uint64_t base) {
  const std::uint64_t last = e.address + (e.size - 1);
  return {static_cast<std::uint8_t>(std::max(e.address, base) - base),
          static_cast<std::uint8_t>(std::min(last, base | 7) - base + 1)};
}

} // namespace

void SplitUpdates::begin(const trace::Trace& trace) {
  trace_ = &trace;
  absl::flat_hash_map<std::pair<std::string_view, std::uint32_t>, std::uint32_t> lines;
  for (const trace::Site& site : trace.sites) {
    const auto next_line = static_cast<std::uint32_t>(lines.size());
    lines_.push_back(lines.try_emplace({site.file, site.line}, next_line).first->second);
  }
}

void SplitUpdates::begin_thread() {
  pages_.clear();
  reads_.clear();
}

void SplitUpdates::see(const Access& access) {
  const trace::Event& e = access.event;
  const bool writes = writes_memory(e.kind);
  const std::uint64_t last = (e.address + (e.size - 1)) >> kGranuleBits;
  now_ = kNotYet;
  if (reads_.size() >= most_reads_) forget_reads();
  for (std::uint64_t granule = e.address >> kGranuleBits; granule <= last && !gave_up_;) {
    constexpr std::uint64_t kLast = std::tuple_size_v<Page> - 1;
    const std::uint64_t end = std::min(last, granule | kLast);
    Page* const page = this->page(granule / (kLast + 1), !writes);
    for (; granule <= end; ++granule) {
      if (!writes && is_wanted(e.site)) compare(access, granule);
      if (page != nullptr) see_granule(access, granule, (*page)[granule & kLast]);
    }
  }
}

void SplitUpdates::see_granule(const Access& access, std::uint64_t number, std::optional<Granule>& granule) {
  const trace::Event& e = access.event;
  const bool writes = writes_memory(e.kind);
  const auto [from, to] = part_in(e, number << kGranuleBits);
  if (!granule) {
    if (!writes) granule = Granule{from, to, trace::SplitReads(now(access))};
    return;
  }
  if (granule->from != from || granule->to != to) granule->from = granule->to = 0;
  if (granule->to == 0 && writes) {
    constexpr std::uint32_t kAnywhere = 0xffffffff;
    if (Place* const any = place({{}, kAnywhere, 0}); any != nullptr && any->memory.size() < kMostMemory)
      any->memory.insert(number);
    return;
  }
  const auto in_one_section = [&](const Remembered& before) {
    const Requests& requests = access.requests;
    if (before.changes == requests.changes()) return true; // it holds what it held then
    return requests.may_have_kept_one(before.changes) &&
           requests.has_kept_one(access.sets.at(reads_[before.read].locks), before.changes);
  };
  if (!writes) return granule->reads.read([&] { return now(access); }, in_one_section);
  const auto is_update = [&](const Remembered& first, const Remembered& again) {
    const std::uint32_t site = reads_[again.read].site;
    return in_one_section(again) && site != reads_[first.read].site && line(site) == line(e.site);
  };
  const bool stays = granule->reads.write(in_one_section, is_update, [&](const Remembered& read) {
    const Read& first = reads_[read.read];
    if (!first.merged && !e.has(trace::kMerged) &&
        access.requests.has_one_again(access.sets.at(first.locks), first.changes))
      split(access, number, first);
  });
  if (!stays) granule.reset();
}

// One for all granules of the access.
SplitUpdates::Remembered SplitUpdates::now(const Access& access) {
  const std::uint32_t changes = access.requests.changes();
  if (now_ != kNotYet) return {now_, changes};
  now_ = static_cast<std::uint32_t>(reads_.size());
  reads_.push_back({changes, access.requests.held(), access.event.site, access.moment.epoch,
                    access.event.has(trace::kMerged), access.calls.nearest()});
  return {now_, changes};
}

void SplitUpdates::forget_reads() {
  std::vector<std::uint32_t> kept(reads_.size(), kNotYet);
  std::vector<Read> reads;
  const auto keep = [&](const Remembered& before) {
    std::uint32_t& number = kept[before.read];
    if (number == kNotYet) {
      number = static_cast<std::uint32_t>(reads.size());
      reads.push_back(reads_[before.read]);
    }
    return Remembered{number, before.changes};
  };
  for (auto& [number, page] : pages_)
    for (std::optional<Granule>& granule : *page)
      if (granule) granule->reads.renumber(keep);
  reads_ = std::move(reads);
  most_reads_ = std::max(kFewestReads, 2 * reads_.size());
}

// Null: nothing was read there, or there are too many.
SplitUpdates::Page* SplitUpdates::page(std::uint64_t number, bool make) {
  const auto known = pages_.find(number);
  if (known != pages_.end()) return known->second.get();
  if (!make) return nullptr;
  gave_up_ |= pages_.size() == kMostPages;
  if (!gave_up_) return (pages_[number] = std::make_unique<Page>()).get();
  pages_.clear();
  return nullptr;
}

// Some place may still become certain by what this site reads.
bool SplitUpdates::is_wanted(std::uint32_t site) {
  if (wanted_by_.empty()) return false;
  auto& places = wanted_by(site);
  while (!places.empty() && places.back()->same.size() >= kMostSame) places.pop_back();
  return !places.empty();
}

// Another thread's read, in the same place of the source.
void SplitUpdates::compare(const Access& access, std::uint64_t granule) {
  const auto wanted = wanted_.find({granule, access.event.site});
  if (wanted == wanted_.end()) return;
  const trace::Event& e = access.event;
  const std::uint64_t base = granule << kGranuleBits;
  for (const Wanted& one : wanted->second) {
    const bool overlaps = e.address < base + one.to && base + one.from <= e.address + (e.size - 1);
    if (overlaps && one.first.thread != e.thread && one.place->same.size() < kMostSame)
      one.place->same.push_back({one.first, one.last, access.moment});
  }
}

void SplitUpdates::split(const Access& access, std::uint64_t granule, const Read& first) {
  const std::uint32_t site = access.event.site;
  const auto around = trace::ActivationStack::common(first.calls, access.calls.nearest());
  if (!around) return;
  const std::string_view function = function_of(first.site, site, around->site);
  Place* const here = place({function, line(first.site), line(site)});
  if (here == nullptr) return;
  if (here->at.write == 0) here->at = {std::string(function), first.site, site};
  if (here->memory.size() < kMostMemory) here->memory.insert(granule);
  const Moment now = access.moment;
  if (here->thread != now.thread) here->of_thread = 0;
  here->thread = now.thread;
  const auto [from, to] = part_in(access.event, granule << kGranuleBits);
  if (++here->of_thread > kMostOfPlace) return;
  wanted_[{granule, first.site}].push_back({here, from, to, {now.thread, first.epoch}, now});
  wanted_by_.resize(lines_.size() + 1);
  auto& places = wanted_by(first.site);
  if (std::ranges::find(places, here) == places.end()) places.push_back(here);
}

std::string_view SplitUpdates::function_of(std::uint32_t read, std::uint32_t write, std::uint32_t around) const {
  const std::string_view shared = trace::common_function(*trace_, read, write);
  if (!shared.empty() || around >= trace_->sites.size()) return shared;
  return trace_->sites[around].function;
}

// Null: there are too many.
SplitUpdates::Place* SplitUpdates::place(const Lines& lines) {
  if (const auto known = places_.find(lines); known != places_.end()) return &known->second;
  gave_up_ |= places_.size() == kMostPlaces;
  return gave_up_ ? nullptr : &places_[lines];
}

bool SplitUpdates::is_certain(const Place& place, const StrongOrder& order) {
  return std::ranges::any_of(place.same, [&](const Same& same) {
    return !order.before(same.last, same.read) && !order.before(same.read, same.first);
  });
}

} // namespace sooth::survey
