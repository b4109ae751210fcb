// Writes a Trace as a frozen file: the format of docs/trace_format.md, with positions for counters,
// so that the order is read back as it is. All of a Trace is kept except file_bytes.
//
// A Trace from the reader can always be written. One made by hand must have its events in the form
// of trace.h: at most 8 bytes inline, contents of at most kMaxPayload bytes within Trace::bytes,
// threads and sites that exist.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "trace/trace.h"

namespace sooth::trace {

// The number of bytes written. The file appears whole or not at all.
Result<std::uint64_t> write_trace(const Trace& trace, const std::string& path);
// Empty if the trace is not in the form above.
std::vector<std::uint8_t> write_trace_bytes(const Trace& trace);

} // namespace sooth::trace
