#include "trace/sifter.h"

#include "trace/contents.h"
#include "trace/kind_groups.h"

namespace sooth::trace {

bool Sifter::ends_early(std::size_t stream, const Event& e) {
  if (!is_plain_access(e) || !e.has(kGlued)) return false;
  sieve_->kept_parts(e, parts_);
  if (parts_.empty()) return false; // so each event is looked at from the last kept one before it only
  for (std::size_t ahead = 1;; ++ahead) {
    const StampedEvent* next = streams_[stream].peek(ahead);
    if (next == nullptr) return true;
    const Event& later = next->event;
    if (!is_plain_access(later)) return false;
    sieve_->kept_parts(later, parts_);
    if (!parts_.empty()) return false;
    if (!later.has(kGlued)) return true;
  }
}

void Sifter::sift(Calls& calls, const Event& e) {
  if ((e.marks & kBehindOmitted) != 0) calls.omitted = true; // e itself may go
  switch (e.kind) {
  case EventKind::Branch: return;
  case EventKind::Enter:
    if (e.has(kTicket)) hand_on(calls, e);
    else calls.pending.push_back(e);
    return;
  case EventKind::Exit: leave(calls, e); return;
  case EventKind::Read:
  case EventKind::Write: hand_on_parts(calls, e); return;
  default: hand_on(calls, e);
  }
}

void Sifter::hand_on_parts(Calls& calls, const Event& e) {
  sieve_->kept_parts(e, parts_);
  if (parts_.empty()) return note_sieved(trace_, *sieve_, e, calls.omitted);
  if (parts_.size() == 1 && parts_.front().address == e.address && parts_.front().bytes == e.size)
    return hand_on(calls, e);
  sieve_->values().leave_out(trace_, e);
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    Event part = part_of(e, parts_[i]);
    if (i + 1 < parts_.size()) part.flags |= kGlued;
    hand_on(calls, part);
  }
}

void Sifter::hand_on(Calls& calls, const Event& e) {
  out_.insert(out_.end(), calls.pending.begin(), calls.pending.end());
  calls.handed_on += calls.pending.size();
  calls.pending.clear();
  if (e.kind == EventKind::Enter) ++calls.handed_on;
  out_.push_back(e);
  if (!calls.omitted) return;
  out_.front().marks |= kBehindOmitted;
  calls.omitted = false;
}

// An exit's value is the number of remaining activations.
void Sifter::leave(Calls& calls, const Event& exit) {
  while (!calls.pending.empty() && calls.handed_on + calls.pending.size() > exit.value) calls.pending.pop_back();
  if (calls.handed_on <= exit.value && !exit.has(kTicket)) return;
  if (calls.handed_on > exit.value) calls.handed_on = exit.value;
  out_.push_back(exit);
}

Event Sifter::part_of(const Event& e, const KeptPart& part) const {
  Event out = e;
  out.address = part.address;
  out.size = static_cast<std::uint32_t>(part.bytes);
  if (e.has(kFill) || e.has(kOpaque)) return out;
  const std::uint64_t offset = part.address - e.address;
  const Contents contents = e.kind == EventKind::Write ? written_by(trace_.bytes, e) : seen_by(trace_.bytes, e);
  out.value = contents.word(offset, 0, static_cast<unsigned>(part.bytes < 8 ? part.bytes : 8));
  out.extra = part.bytes > 8 ? e.extra + offset : 0;
  if (part.bytes <= 8) out.flags &= static_cast<std::uint8_t>(~kPayload);
  return out;
}

} // namespace sooth::trace
