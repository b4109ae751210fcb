// The STD text format of RAPID: one event a line, `T0|w(V1)|23`.
//
//   thread | operation(target) | location
//   r, w: variable    acq, rel: lock    fork, join: thread
//   begin, end: an atomic block; its name may be missing
//
// The location is a number and may be missing. Empty lines are skipped; there are no comments. The
// format has no values: each write counts as a value of its own (kNoValues), and a read sees the
// last one.
#pragma once

#include <ostream>
#include <string>
#include <string_view>

#include "import/format.h"

namespace sooth::import {

// Cost: linear in the text. Bad lines are named; the first 20 of them are described.
Imported read_std(std::string_view text, const std::string& file);

// Memory is cut at the edges of accesses, so that every access is made of whole variables. Nothing
// overlaps, and accesses that did not overlap in the trace do not conflict in the file. Only the
// outermost hold of a lock is written.
// Cost: n log n in the events.
Exported write_std(const trace::Trace& trace, std::ostream& out);

} // namespace sooth::import
