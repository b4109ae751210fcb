#include "trace/restore/moves.h"

#include <algorithm>
#include <cstring>
#include <tuple>

#include "trace/restore/hand_over.h"

namespace sooth::trace {

Moves::Moves(const std::vector<Chunk>& chunks) {
  for (const Chunk& chunk : chunks) {
    if (chunk.header.type != static_cast<std::uint32_t>(ChunkType::Moves)) continue;
    for (std::size_t at = 0; at + sizeof(MoveRow) <= chunk.body.size(); at += sizeof(MoveRow)) {
      MoveRow row;
      std::memcpy(&row, chunk.body.data() + at, sizeof row);
      if (row.from == 0) continue; // not finished
      if (row.owner >= kMaxThreads || row.block % kOwnedBytes != 0 || row.from <= row.number) ++malformed_;
      else rows_.push_back(row);
    }
  }
  for (std::uint32_t i = 0; i < rows_.size(); ++i) {
    by_block_.push_back({rows_[i].block, i});
    owned_[rows_[i].owner].push_back(i);
  }
  const auto place = [&](const ByBlock& b) { return std::tuple(b.block, rows_[b.row].from, b.row); };
  std::ranges::sort(by_block_, [&](const ByBlock& a, const ByBlock& b) { return place(a) < place(b); });
  for (auto& [owner, rows] : owned_)
    std::ranges::sort(rows, [&](std::uint32_t a, std::uint32_t b) {
      const auto key = [&](std::uint32_t i) { return std::tuple(rows_[i].epoch, rows_[i].number, i); };
      return key(a) < key(b);
    });
}

MovesOfThread::MovesOfThread(const Moves& moves, std::uint32_t thread)
    : moves_(&moves), thread_(thread), taken_(moves.by_block_.size()) {
  const auto own = moves.owned_.find(thread);
  if (own == moves.owned_.end()) return;
  const std::span<const std::uint32_t> rows = own->second;
  const auto numbered =
      std::ranges::find_if(rows, [&](std::uint32_t i) { return moves.rows_[i].epoch != 0; }) - rows.begin();
  by_number_ = rows.first(static_cast<std::size_t>(numbered));
  by_epoch_ = rows.subspan(static_cast<std::size_t>(numbered));
}

// The number is that of the row, or that of the thread's next event: the thread's numbers ascend,
// and those that take have larger ones.
void MovesOfThread::give(std::uint32_t row, std::uint64_t next, std::vector<Given>& out) const {
  const std::uint64_t counter = std::min(moves_->rows_[row].number, next);
  Event write;
  write.address = moves_->rows_[row].block;
  write.size = kOwnedBytes;
  write.thread = thread_;
  write.kind = EventKind::Write;
  write.flags = kMerged | kOpaque;
  out.push_back({write, counter});
  Event release;
  release.address = hand_over_tag(row);
  release.thread = thread_;
  release.kind = EventKind::HbRelease;
  release.flags = kTicket;
  out.push_back({release, counter});
}

void MovesOfThread::at_end(std::vector<Given>& gives) {
  if (moves_ != nullptr) give_all(~std::uint64_t{0}, gives);
}

// Rows by epoch and rows by number meet here. Their numbers ascend, or some would come behind those
// who take them.
void MovesOfThread::give_first(std::size_t of_epoch, std::size_t of_number, std::uint64_t next,
                               std::vector<Given>& gives) {
  if (of_epoch + of_number == 0) return;
  std::vector<std::uint32_t> rows(by_epoch_.begin(), by_epoch_.begin() + static_cast<std::ptrdiff_t>(of_epoch));
  rows.insert(rows.end(), by_number_.begin(), by_number_.begin() + static_cast<std::ptrdiff_t>(of_number));
  std::ranges::sort(rows, {}, [&](std::uint32_t row) { return std::tuple(moves_->rows_[row].number, row); });
  for (const std::uint32_t row : rows) give(row, next, gives);
  by_epoch_ = by_epoch_.subspan(of_epoch);
  by_number_ = by_number_.subspan(of_number);
}

void MovesOfThread::give_all(std::uint64_t next, std::vector<Given>& gives) {
  give_first(by_epoch_.size(), by_number_.size(), next, gives);
}

void MovesOfThread::before(const Event& e, std::uint64_t counter, Use use, std::vector<Given>& gives,
                           std::vector<Event>& takes) {
  if (moves_ == nullptr) return;
  if (e.kind == EventKind::ThreadEnd) give_all(counter, gives);
  const bool ends_epoch = (e.kind == EventKind::Fork || e.kind == EventKind::Join) && !e.has(kFailed);
  std::size_t of_epoch = 0, of_number = 0;
  if (ends_epoch) {
    while (of_epoch < by_epoch_.size() && moves_->rows_[by_epoch_[of_epoch]].epoch <= epoch_) ++of_epoch;
    ++epoch_;
  }
  while (of_number < by_number_.size() && moves_->rows_[by_number_[of_number]].number <= counter) ++of_number;
  give_first(of_epoch, of_number, counter, gives);
  if (use.bytes == 0) return;
  const std::uint64_t first = use.address / kOwnedBytes * kOwnedBytes, last = use.address + (use.bytes - 1);
  auto at = std::ranges::lower_bound(moves_->by_block_, first, {}, &Moves::ByBlock::block);
  for (; at != moves_->by_block_.end() && at->block <= last; ++at) {
    const MoveRow& row = moves_->rows_[at->row];
    const auto place = static_cast<std::size_t>(at - moves_->by_block_.begin());
    if (row.owner == thread_ || row.from > counter || taken_[place]) continue;
    taken_[place] = true;
    Event acquire;
    acquire.address = hand_over_tag(at->row);
    acquire.value = row.from; // everything before that number is before it (restore.cc)
    acquire.thread = thread_;
    acquire.kind = EventKind::HbAcquire;
    acquire.flags = kTicket;
    takes.push_back(acquire);
  }
}

} // namespace sooth::trace
