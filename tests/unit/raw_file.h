// Trace files as the runtime leaves them, made by hand: streams of raw events per thread, in chunks and Live buffers.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "trace/format.h"
#include "trace/trace.h"

namespace sooth::test {

using trace::EventKind;
using trace::RawEvent;

using Slots = std::vector<RawEvent>; // events with their payload slots

// --- raw events ---------------------------------------------------------------------------------------------
RawEvent plain(EventKind kind, std::uint64_t address, std::uint64_t value, std::uint64_t counter,
               std::uint8_t size = 0);
RawEvent ticketed(EventKind kind, std::uint64_t address, std::uint64_t value, std::uint64_t ticket,
                  std::uint8_t size = 0);
inline RawEvent read(std::uint64_t address, std::uint64_t value, std::uint64_t counter, std::uint8_t size = 4) {
  return plain(EventKind::Read, address, value, counter, size);
}
inline RawEvent write(std::uint64_t address, std::uint64_t value, std::uint64_t counter, std::uint8_t size = 4) {
  return plain(EventKind::Write, address, value, counter, size);
}
// With payload slots.
Slots range(EventKind kind, std::uint64_t address, const std::vector<std::uint8_t>& bytes, std::uint64_t counter);
Slots rmw(std::uint64_t address, const std::vector<std::uint8_t>& seen, const std::vector<std::uint8_t>& written,
          std::uint64_t ticket);

// --- files ----------------------------------------------------------------------------------------------------
class RawFile {
public:
  RawFile();

  // Chunks in the order of these calls. `first_slot` counts on by itself unless given.
  RawFile& events(std::uint32_t thread, const Slots& slots, std::int64_t first_slot = -1);
  RawFile& live(std::uint32_t thread, const Slots& slots, std::size_t room, std::int64_t first_slot = -1,
                std::uint32_t state = 1);
  RawFile& moves(const std::vector<trace::MoveRow>& rows);
  RawFile& module(std::uint32_t first_site, const std::vector<trace::Site>& sites,
                  const std::vector<trace::Global>& globals = {}, const std::vector<std::uint8_t>& facts = {});
  RawFile& strings(const std::vector<std::string>& names); // numbered from 0
  RawFile& process(const std::string& text);
  RawFile& zeros(std::size_t bytes);
  RawFile& chunk(trace::ChunkHeader header, const std::vector<std::uint8_t>& body); // fills in lengths and checksums

  trace::FileHeader& header() { return header_; }
  std::vector<std::uint8_t> bytes() const;
  std::uint64_t size() const { return trace::kHeaderBytes + chunks_.size(); }

private:
  std::uint64_t take_slots(std::uint32_t thread, std::size_t slots, std::int64_t first_slot);

  trace::FileHeader header_ = {};
  std::vector<std::uint8_t> chunks_;
  std::vector<std::uint64_t> next_slot_; // by thread
};

// The trace of these streams, each cut into chunks of a few slots. Fails the test if it cannot be read.
trace::Trace restored(const std::vector<Slots>& streams);
trace::Trace trace_of(const RawFile& file);

// "0 write x=1, 1 read x=1": the events of a trace in short, for comparing. Addresses are named by `names`, which
// stands for addresses 0x1000, 0x1008, ...
std::string text_of(const trace::Trace& trace, const std::string& names = "xyzuvw");

// The simple definition of a legal order, for tests: every read of up to 8 bytes, and every stored range, sees the last
// write. Returns the index of the first event that does not, or -1.
std::int64_t first_illegal(const trace::Trace& trace);

// The same events in the same order per thread as in the streams, leaving out external writes?
bool keeps_threads(const trace::Trace& trace, const std::vector<Slots>& streams);

} // namespace sooth::test
