// From a trace file to a Trace: one legal order, with what is missing counted and told.
//
// Question: what does this file hold? Source: docs/trace_format.md.
// Only a file that cannot be opened, is no Sooth trace or is of another version is an error. Damage costs what it hits:
// the intact part is read, defects are counted, and notes name the places by byte offset.
// The program may still be running; then the trace is what it had recorded when the file was read.
// Cost: one pass over the file to check it, one over its events; some 60 bytes of memory per event.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "base/result.h"
#include "trace/sieve.h"
#include "trace/trace.h"

namespace sooth::trace {

struct ReadOptions {
  Sieve* sieve = nullptr;     // what may be left out; costs a pass over the file
  bool check_holds = true;    // count BrokenHolds: costs a second pass
  std::function<bool()> stop; // asked now and then; once it says yes, the events that follow are left out ...
  bool* stopped = nullptr;    // ... and this tells of it
};

Result<Trace> read_trace(const std::string& path, const ReadOptions& options = {});
Result<Trace> read_trace_bytes(std::span<const std::uint8_t> file, const ReadOptions& options = {});

} // namespace sooth::trace
