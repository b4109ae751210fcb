// What a reader may leave out, before it restores an order.
//
// A sieve sees every event once, thread by thread, before any order is known. Then the events are read again, and the
// sieve says of each access which of its bytes can matter in another run. The rest never becomes a part of the Trace.
// The reader knows no rule of it; survey/sharing.h has them, with their reasons.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/contents.h"
#include "trace/trace.h"

namespace sooth::trace {

// Bytes of an access that are kept.
struct KeptPart {
  std::uint64_t address;
  std::uint64_t bytes;
};

class Sieve {
public:
  virtual ~Sieve() = default;

  // The trace has its sites, globals and strings, and no event yet. False: nothing of such a trace can be left out.
  virtual bool begin(const Trace& trace) = 0;
  // First pass: all events of one thread in their order, then all of the next. Contents are not there.
  virtual void survey(const Event& event) = 0;
  virtual void surveyed() = 0;

  // Second pass. Only its own thread uses these bytes: nothing at all has to be known of such an access.
  virtual bool is_private(const Event& access) const = 0;
  // The parts of the access that are kept, ascending; none: all of it is left out.
  virtual void kept_parts(const Event& access, std::vector<KeptPart>& parts) const = 0;
  // Every event that is not private, in the merged order, before it is placed or left out. Here a sieve finds out whether
  // memory that it leaves out was changed by code that is not recorded.
  virtual void passes(const Event& event, std::span<const std::uint8_t> bytes) = 0;
  // It was: the second pass has to be made again, and keeps more this time.
  virtual bool wants_another_pass() = 0;
};

} // namespace sooth::trace
