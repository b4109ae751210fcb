// Blocks that look as if they should be atomic, in words: what each reads and writes, and where.
#pragma once

#include <string>
#include <vector>

#include "predict/atomicity/unmarked_blocks.h"
#include "survey/settled.h"
#include "trace/trace.h"

namespace sooth::analysis {

// A sentence for each of the first few.
std::string in_words(const trace::Trace& trace, const std::vector<survey::SplitUpdate>& blocks);
std::string in_words(const trace::Trace& trace, const std::vector<predict::Suggestion>& blocks);

} // namespace sooth::analysis
