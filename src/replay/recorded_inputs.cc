#include "replay/recorded_inputs.h"

#include <algorithm>
#include <cstring>
#include <tuple>

#include <absl/container/flat_hash_map.h>

#include "replay/schedule.h"
#include "trace/file/chunk_scan.h"
#include "trace/file/trace_bytes.h"

namespace sooth::replay {

namespace {

// The row at the beginning of `bytes`, if they are exactly one.
bool read_row(const std::vector<std::uint8_t>& bytes, InputRow& row) {
  if (bytes.size() < sizeof row) return false;
  std::memcpy(&row, bytes.data(), sizeof row);
  const std::uint64_t room = bytes.size() - sizeof row;
  return row.bytes <= room && padded(row.bytes) == room && static_cast<std::uint32_t>(row.call) < kInputCalls;
}

// One thread's rows, as far as they go without a gap.
struct OwnRows {
  std::vector<const NumberedRow*> rows;
  bool cut = false;
};

OwnRows without_gaps(std::vector<NumberedRow>::const_iterator begin, std::vector<NumberedRow>::const_iterator end) {
  OwnRows out;
  for (auto it = begin; it != end && !out.cut; ++it) {
    InputRow row;
    out.cut = it->number != out.rows.size() || !read_row(it->bytes, row);
    if (!out.cut) out.rows.push_back(&*it);
  }
  return out;
}

class Arrangement {
public:
  explicit Arrangement(std::vector<NumberedRow> rows) : rows_(std::move(rows)) {
    std::ranges::sort(rows_, {}, [](const NumberedRow& row) { return std::tie(row.thread, row.number); });
  }

  RecordedInputs arrange() {
    if (rows_.empty()) return {};
    add_thread(0, {0, 0, 0, 0});
    for (std::size_t i = 0; i < threads_.size(); ++i) add_rows(i); // grows while it runs
    RecordedInputs out;
    out.threads = static_cast<std::uint32_t>(threads_.size());
    out.lost = lost_;
    out.bytes.resize(threads_.size() * sizeof(InputThread));
    std::memcpy(out.bytes.data(), threads_.data(), out.bytes.size());
    out.bytes.insert(out.bytes.end(), all_.begin(), all_.end());
    return out;
  }

private:
  void add_thread(std::uint32_t number, InputThread thread) {
    if (threads_.size() >= kMostThreads || !known_.emplace(number, threads_.size()).second) return;
    threads_.push_back(thread);
    numbers_.push_back(number);
  }
  void add_rows(std::size_t thread) {
    const auto [begin, end] =
        std::ranges::equal_range(std::as_const(rows_), numbers_[thread], {}, &NumberedRow::thread);
    const OwnRows own = without_gaps(begin, end);
    lost_ += own.cut;
    threads_[thread].begin = all_.size();
    std::uint32_t children = 0;
    for (const NumberedRow* numbered : own.rows) {
      InputRow row;
      read_row(numbered->bytes, row);
      all_.insert(all_.end(), numbered->bytes.begin(), numbered->bytes.end());
      if (row.call == InputCall::Fork && row.result > 0 && row.result <= INT32_MAX)
        add_thread(static_cast<std::uint32_t>(row.result), {static_cast<std::uint32_t>(thread), ++children, 0, 0});
    }
    threads_[thread].bytes = all_.size() - threads_[thread].begin;
  }

  std::vector<NumberedRow> rows_;
  std::vector<InputThread> threads_;
  std::vector<std::uint32_t> numbers_; // of the trace, by row
  absl::flat_hash_map<std::uint32_t, std::size_t> known_;
  std::vector<std::uint8_t> all_;
  std::uint64_t lost_ = 0;
};

} // namespace

RecordedInputs arrange_inputs(std::vector<NumberedRow> rows) { return Arrangement(std::move(rows)).arrange(); }

Result<RecordedInputs> read_inputs(const std::string& path) {
  trace::BytesOfFile file(path);
  bool regular = false;
  if (!file.is_open() || !file.measure(regular) || !regular) return Error{"cannot read this trace.", path};
  const auto first = file.at(0, sizeof(trace::FileHeader));
  trace::FileHeader header;
  if (first.size() < sizeof header) return Error{"this is not a trace.", path};
  std::memcpy(&header, first.data(), sizeof header);
  if (header.magic != trace::kFileMagic) return Error{"this is not a trace.", path};
  const trace::ScanResult scan = trace::scan_chunks(file);
  std::vector<NumberedRow> rows;
  for (const trace::Chunk& chunk : scan.chunks) {
    if (chunk.header.type != static_cast<std::uint32_t>(trace::ChunkType::Inputs)) continue;
    NumberedRow& row = rows.emplace_back();
    row.thread = chunk.header.thread;
    row.number = chunk.header.first_slot;
    if (!trace::body_of(chunk, file, row.bytes)) row.bytes.clear();
  }
  return arrange_inputs(std::move(rows));
}

} // namespace sooth::replay
