#include "report/reads_from.h"

#include <algorithm>
#include <utility>

#include <absl/container/flat_hash_set.h>

namespace sooth::report {

using trace::Event;

namespace {

// Along a run: the last write of each byte that somebody reads.
class LastWrites {
public:
  explicit LastWrites(std::vector<std::uint64_t> bytes) : bytes_(std::move(bytes)) {
    std::ranges::sort(bytes_);
    bytes_.erase(std::unique(bytes_.begin(), bytes_.end()), bytes_.end());
    last_.resize(bytes_.size());
  }

  void follow(const Event& e, std::uint32_t event) {
    if (e.size == 0 || !trace::writes_memory(e.kind)) return;
    ++time_;
    for (std::size_t row = row_of(e.address); row < bytes_.size() && bytes_[row] - e.address < e.size; ++row)
      last_[row] = {time_, event};
  }
  // The newest write of the bytes of `read`, if there was one.
  std::optional<std::uint32_t> seen_by(const Event& read) const {
    Write newest;
    for (std::size_t row = row_of(read.address); row < bytes_.size() && bytes_[row] - read.address < read.size; ++row)
      if (last_[row].time > newest.time) newest = last_[row];
    return newest.time == 0 ? std::nullopt : std::optional(newest.event);
  }

private:
  struct Write {
    std::uint64_t time = 0; // 0: none yet
    std::uint32_t event = 0;
  };
  std::size_t row_of(std::uint64_t address) const {
    return static_cast<std::size_t>(std::ranges::lower_bound(bytes_, address) - bytes_.begin());
  }

  std::vector<std::uint64_t> bytes_;
  std::vector<Write> last_; // by byte
  std::uint64_t time_ = 0;
};

void add_bytes(const Event& read, std::vector<std::uint64_t>& bytes) {
  for (std::uint32_t i = 0; i < read.size; ++i) bytes.push_back(read.address + i);
}

} // namespace

bool ReadsFrom::is_read(std::uint32_t event) const {
  if (event >= trace_.events.size()) return false;
  const Event& e = trace_.events[event];
  return trace::reads_memory(e.kind) && e.size != 0 && e.size <= kMostBytes;
}

void ReadsFrom::ask_recorded(std::uint32_t read) {
  if (is_read(read)) questions_.push_back({read, read, std::nullopt});
}

void ReadsFrom::ask_witness(std::size_t witness, const witness::Witness& run, std::span<const std::uint32_t> listed) {
  absl::flat_hash_set<std::uint32_t> reads;
  std::vector<std::uint64_t> bytes;
  for (const std::uint32_t event : listed)
    if (is_read(event) && reads.insert(event).second) add_bytes(trace_.events[event], bytes);
  if (reads.empty()) return;
  LastWrites writes(std::move(bytes));
  const auto see = [&](std::uint32_t read) {
    if (const auto write = writes.seen_by(trace_.events[read])) of_witness_[witness][read] = *write;
    else questions_.push_back({static_cast<std::uint32_t>(run.observed), read, witness});
  };
  for (const std::uint32_t step : run.steps) {
    if (reads.erase(step) != 0) see(step);
    if (step < trace_.events.size()) writes.follow(trace_.events[step], step);
  }
  for (const std::uint32_t event : listed)
    if (reads.erase(event) != 0) see(event); // about to happen
}

void ReadsFrom::answer() {
  std::vector<std::uint64_t> bytes;
  for (const Question& question : questions_) add_bytes(trace_.events[question.read], bytes);
  LastWrites writes(std::move(bytes));
  std::ranges::sort(questions_, {}, &Question::before);
  std::uint32_t followed = 0;
  for (const Question& question : questions_) {
    for (; followed < question.before && followed < trace_.events.size(); ++followed)
      writes.follow(trace_.events[followed], followed);
    const auto write = writes.seen_by(trace_.events[question.read]);
    if (!write) continue;
    if (question.witness) of_witness_[*question.witness][question.read] = *write;
    else recorded_[question.read] = *write;
  }
}

std::optional<std::uint32_t> ReadsFrom::recorded(std::uint32_t read) const {
  const auto it = recorded_.find(read);
  return it == recorded_.end() ? std::nullopt : std::optional(it->second);
}

const std::map<std::uint32_t, std::uint32_t>& ReadsFrom::of_witness(std::size_t witness) const {
  static const std::map<std::uint32_t, std::uint32_t> none;
  const auto it = of_witness_.find(witness);
  return it == of_witness_.end() ? none : it->second;
}

} // namespace sooth::report
