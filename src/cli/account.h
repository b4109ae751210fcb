// Paragraphs that describe a trace for people, shared by `sooth stats` and `sooth run`.
#pragma once

#include <cstddef>

#include "cli/output.h"
#include "cli/tally.h"
#include "trace/trace.h"

namespace sooth::cli {

void print_program(const trace::Trace& trace, Output& out);
void print_threads(const trace::Trace& trace, const Tally& counts, std::size_t top, Output& out);
void print_shared(const trace::Trace& trace, const Tally& counts, std::size_t top, Output& out);
void print_locks(const trace::Trace& trace, const Tally& counts, std::size_t top, Output& out);
// Things that the trace lacks: defects, unsupported primitives, libraries without instrumentation.
void print_gaps(const trace::Trace& trace, Output& out);

} // namespace sooth::cli
