// A sieve decides which accesses the reader leaves out before it restores an order.
//
//     main: b = 1 ; fork T ; b = 2 ; x = 1       first pass: only main uses b, both use x
//     T:                     x = 2               second pass: both writes of b are left out
//
// A sieve sees every event once, thread by thread, before any order is known. Then the reader reads
// the events again, and the sieve says which bytes of each access can matter in another run. The
// other bytes never become a part of the Trace. The reader knows none of the sieve's rules;
// survey/sharing.h has them, with their reasons.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/contents.h"
#include "trace/restore/sieved_values.h"
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

  // The trace has its sites, globals and strings, and no event yet. False: such a trace must be
  // kept whole.
  virtual bool begin(const Trace& trace) = 0;
  // First pass: all events of one thread in their order, then all of the next thread, without
  // their contents.
  virtual void survey(const Event& event) = 0;
  virtual void surveyed() = 0;
  // Ends of ownership (moves.h) that order threads which creation and joining do not order: another
  // run may have had another order there, and nobody knows.
  virtual std::uint64_t handed_over() const = 0;

  // Second pass. Whether only the access's own thread uses these bytes. Then the reader drops the
  // access while it decodes, and need not look at its contents.
  virtual bool is_private(const Event& access) const = 0;
  // The parts of the access that are kept, ascending; none: the whole access is left out.
  virtual void kept_parts(const Event& access, std::vector<KeptPart>& parts) const = 0;
  // Every event that is not private, in the merged order, before it is placed or left out. Here a
  // sieve notices that code that is not recorded has changed memory that it leaves out.
  virtual void passes(const Event& event, std::span<const std::uint8_t> bytes) = 0;
  // Such a change was found: the second pass must be repeated, and keeps more this time.
  virtual bool wants_another_pass() = 0;

  SievedValues& values() { return values_; }

private:
  SievedValues values_;
};

// Accesses that the recorder left out may stand behind this one (docs/trace_format.md).
inline bool stands_for_others(const Event& access) {
  return access.has(kHeld) || access.has(kMerged) || (access.kind == EventKind::Write && access.site == 0);
}

// A sieve leaves all of the access out. `omitted` becomes true if others went with it.
inline void note_sieved(Trace& trace, Sieve& sieve, const Event& access, bool& omitted) {
  ++trace.events_sieved;
  omitted = omitted || stands_for_others(access);
  sieve.values().leave_out(trace, access);
}

} // namespace sooth::trace
