#include "witness/memory_map.h"

#include <algorithm>

#include "trace/contents.h"

namespace sooth::witness::checking {

using trace::Contents;
using trace::Event;

MemoryMap::MemoryMap(const trace::Trace& trace) : trace_(trace), values_((trace.flags & trace::kNoValues) == 0) {
  cut();
  follow();
}

void MemoryMap::cut() {
  for (const Event& e : trace_.events) {
    const bool life = begins_object(e.kind) || ends_object(e.kind);
    const std::uint64_t bytes = touches_memory(e.kind) ? e.size : life ? e.value : 0;
    if (bytes == 0) continue;
    begins_.push_back(e.address);
    begins_.push_back(e.address + bytes);
    // Two accesses of the same bytes often follow each other.
    if (begins_.size() > (std::size_t{1} << 24)) {
      std::sort(begins_.begin(), begins_.end());
      begins_.erase(std::unique(begins_.begin(), begins_.end()), begins_.end());
    }
  }
  std::sort(begins_.begin(), begins_.end());
  begins_.erase(std::unique(begins_.begin(), begins_.end()), begins_.end());
  if (begins_.empty()) return;
  last_end_ = begins_.back();
  begins_.pop_back();
}

MemoryMap::Pieces MemoryMap::pieces(EventNumber event) const {
  const Event& e = trace_.events[event];
  if (touches_memory(e.kind))
    return {first_piece_[event], first_piece_[event] + static_cast<std::uint32_t>(met_of_[event + 1] - met_of_[event])};
  const auto first = std::lower_bound(begins_.begin(), begins_.end(), e.address);
  const auto end = std::lower_bound(first, begins_.end(), e.address + e.value);
  return {static_cast<std::uint32_t>(first - begins_.begin()), static_cast<std::uint32_t>(end - begins_.begin())};
}

std::span<const Met> MemoryMap::met(EventNumber event) const {
  return std::span(met_).subspan(met_of_[event], met_of_[event + 1] - met_of_[event]);
}

void MemoryMap::follow() {
  MemoryState state(*this);
  owner_.assign(count(), kNoThread);
  first_piece_.assign(trace_.events.size(), 0);
  met_of_.assign(trace_.events.size() + 1, 0);
  for (EventNumber number = 0; number < trace_.events.size(); ++number) {
    const Event& e = trace_.events[number];
    met_of_[number + 1] = met_of_[number];
    if (touches_memory(e.kind) && e.size != 0) {
      const auto first = std::lower_bound(begins_.begin(), begins_.end(), e.address);
      first_piece_[number] = static_cast<std::uint32_t>(first - begins_.begin());
      for (auto piece = first_piece_[number]; piece < count() && begins_[piece] < e.address + e.size; ++piece) {
        const Met& met = state.at(piece);
        met_.push_back(met);
        ++met_of_[number + 1];
        if (trace::reads_memory(e.kind) && !has_contents(met.writer) && !trace::seen_by(trace_.bytes, e).is_opaque())
          told_by_.try_emplace(std::uint64_t{met.writer} << 32 | piece, number);
        std::uint32_t& owner = owner_[piece];
        owner = owner == kNoThread || owner == e.thread ? e.thread : kManyThreads;
      }
    }
    state.apply(e, number);
  }
}

bool MemoryMap::has_contents(EventNumber writer) const {
  if (writer == kNoEvent) return false;
  const Event& e = trace_.events[writer];
  if (begins_object(e.kind)) return e.has(trace::kFill);
  return trace::writes_memory(e.kind) && !trace::written_by(trace_.bytes, e).is_opaque();
}

bool MemoryMap::same_contents(EventNumber writer, EventNumber other, std::uint32_t piece) const {
  if (writer == other) return true;
  if (!values_) return false;
  struct Side {
    Contents contents;
    std::uint64_t begin;
  };
  const auto side = [&](EventNumber number) -> Side {
    if (has_contents(number)) {
      const Event& e = trace_.events[number];
      if (begins_object(e.kind)) return {Contents::filled(0, e.value), e.address};
      return {trace::written_by(trace_.bytes, e), e.address};
    }
    const auto told = told_by_.find(std::uint64_t{number} << 32 | piece);
    if (told == told_by_.end()) return {Contents::opaque(0), 0};
    const Event& reader = trace_.events[told->second];
    return {trace::seen_by(trace_.bytes, reader), reader.address};
  };
  const Side a = side(writer), b = side(other);
  if (a.contents.is_opaque() || b.contents.is_opaque()) return false;
  const std::uint64_t begin = begins_[piece], end = piece + 1 < count() ? begins_[piece + 1] : last_end_;
  if (a.contents.is_fill() && b.contents.is_fill()) return a.contents.byte(0) == b.contents.byte(0);
  for (std::uint64_t at = begin; at < end; ++at)
    if (a.contents.byte(at - a.begin) != b.contents.byte(at - b.begin)) return false;
  return true;
}

void MemoryState::apply(const Event& event, EventNumber number) {
  const bool life = begins_object(event.kind) || ends_object(event.kind);
  if (!life && !touches_memory(event.kind)) return;
  const MemoryMap::Pieces pieces = map_.pieces(number);
  for (std::uint32_t piece = pieces.first; piece < pieces.end; ++piece) {
    Met& now = now_[piece];
    if (life) now = {number, number, 0};
    else if (trace::writes_memory(event.kind)) now = {number, now.life, 0};
    else ++now.reads;
  }
}

} // namespace sooth::witness::checking
