#include "causality/dependence/recorded_memory.h"

#include <algorithm>

namespace sooth::causality {

using trace::Event;
using trace::EventKind;

namespace {

std::uint64_t block_of(const Event& e) { return e.address / trace::kOwnedBytes; }

// A plain access by itself: the recorder has asked who owns its block.
bool asks(const Event& e) {
  if ((e.kind != EventKind::Read && e.kind != EventKind::Write) || e.site == 0 || e.size == 0) return false;
  return (e.flags & ~trace::kTicket) == 0 && e.address % trace::kOwnedBytes + e.size <= trace::kOwnedBytes;
}

bool is_hand_over_write(const Event& e) {
  return e.kind == EventKind::Write && e.has(trace::kMerged) && e.has(trace::kOpaque) && e.size != 0;
}

} // namespace

RecordedMemory::RecordedMemory(const trace::Trace& trace)
    : trace_(trace), owned_(trace.defect(trace::Defect::OwnedBlocks) != 0) {
  if (!owned_) return;
  for (const trace::Global& variable : trace.globals) variables_.push_back(&variable);
  std::ranges::sort(variables_, {}, &trace::Global::address);
  in_shared_.resize(trace.events.size());
  // By thread, one more than the event: its first one, or its last join.
  std::vector<std::uint32_t> since(trace.threads.size(), 0);
  for (std::uint32_t i = 0; i < trace.events.size(); ++i) {
    const Event& e = trace.events[i];
    if (since[e.thread] == 0 || e.kind == EventKind::Join) since[e.thread] = i + 1;
    if (asks(e)) use(i, since[e.thread]);
    if (!is_hand_over_write(e)) continue;
    for (std::uint64_t block = block_of(e); block <= (e.address + (e.size - 1)) / trace::kOwnedBytes; ++block)
      handed_over_.insert(block);
  }
}

// Another thread has used the block since this one exists, and since its last join: neither comes
// before the other one in every run.
void RecordedMemory::use(std::uint32_t event, std::uint32_t since) {
  const Event& e = trace_.events[event];
  Uses& uses = uses_.try_emplace(block_of(e), Uses{{e.thread, event}, {}, false}).first->second;
  if (uses.last.thread != e.thread) {
    uses.other = uses.last;
    uses.has_other = true;
  }
  uses.last = {e.thread, event};
  const std::pair<std::uint64_t, std::uint32_t> place = {block_of(e), e.thread};
  if (uses.has_other && uses.other.event >= since) shared_.insert(place);
  in_shared_[event] = shared_.contains(place);
}

bool RecordedMemory::is_static(const Event& e) const {
  const auto next = std::ranges::upper_bound(variables_, e.address, {}, &trace::Global::address);
  if (next == variables_.begin()) return false;
  const trace::Global& variable = **(next - 1);
  return e.address - variable.address < variable.bytes && e.size <= variable.bytes - (e.address - variable.address);
}

bool RecordedMemory::keeps(std::uint32_t store) const {
  const Event& e = trace_.events[store];
  return !owned_ || is_static(e) || (in_shared_[store] && !handed_over_.contains(block_of(e)));
}

} // namespace sooth::causality
