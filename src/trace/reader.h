// Reads a trace file into a Trace: one legal order, with everything that is missing counted and
// reported.
//
// Question: what does this file hold? Source: docs/trace_format.md.
// Errors: only a file that cannot be opened, is not a Sooth trace or has another version. Damage
//   costs no more than it hits: the intact part is read, defects are counted, and notes name the
//   places by byte offset.
// The program may still be running; then the trace holds the events recorded by now.
// Cost: one pass over the file to check it, one over its events; some 60 bytes of memory per event.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "base/result.h"
#include "trace/sieve.h"
#include "trace/trace.h"

namespace sooth::trace {

struct ReadOptions {
  Sieve* sieve = nullptr; // decides which accesses to leave out; costs a pass over the file
  // Called after the sieve's first pass. True: no other event needs to be read than those that
  // create, name and end threads. Not called if events were lost.
  std::function<bool()> enough;
  bool check_holds = true; // count BrokenHolds: costs a second pass
  // Called now and then; once it returns true, the following events are left out ...
  std::function<bool()> stop;
  bool* stopped = nullptr; // ... and this is set
  // Called if the sieve's first pass was stopped: a new sieve, for a shorter beginning of the
  // trace, with time of its own. Null, or no such function: no event is read.
  std::function<Sieve*()> again;
};

class Pieces;

// Opens the file, to read it in pieces (pieces.h).
Result<std::unique_ptr<Pieces>> open_trace(const std::string& path, const ReadOptions& options = {});
// Reads all of it.
Result<Trace> read_trace(const std::string& path, const ReadOptions& options = {});
Result<Trace> read_trace_bytes(std::span<const std::uint8_t> file, const ReadOptions& options = {});

} // namespace sooth::trace
