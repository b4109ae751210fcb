// What the recorded program got from outside, taken from its trace for a replay.
//
// Question: which rows (inputs.h) does each thread get, and which thread is it in a replay?
// Cost: one pass over the file; all rows in memory.
// Gives up: a thread's rows end before the first one that is damaged or missing.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "replay/inputs.h"

namespace sooth::replay {

struct RecordedInputs {
  std::uint32_t threads = 0;       // 0: the trace has none
  std::vector<std::uint8_t> bytes; // as in a schedule: InputThread[threads], then the rows
  std::uint64_t lost = 0;          // threads whose rows end early
};

// A row with the bytes that follow it, of thread `thread` of the trace: its `number`-th one.
struct NumberedRow {
  std::uint32_t thread = 0;
  std::uint64_t number = 0;
  std::vector<std::uint8_t> bytes;
};

// The error names the file. No error if the trace has no inputs.
Result<RecordedInputs> read_inputs(const std::string& path);
// The same, from rows in any order.
RecordedInputs arrange_inputs(std::vector<NumberedRow> rows);

} // namespace sooth::replay
