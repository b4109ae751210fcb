// Memory of which all accesses are recorded, though threads own other memory.
//
//     T1 write box->hits        nobody knows yet: T1 may own the block of *box a little later
//     T2 read  box->hits        T1 and T2 use it at one time: from here on nobody owns it
//     T2 write box->hits        every later access of this block has an event
//
// Question: may a thread look at what this store leaves in memory without an event of the trace?
// Source: ownership (capture/runtime/recording/ownership.h). Static variables are never owned. A
//   block that two threads use, neither of them ordered before the other one by creation and
//   joining, is shared for good; and if it was owned until then, the trace has a write of the whole
//   block. docs/sliced.md, "Owned blocks", has the argument.
// Where we differ: only what the trace shows counts. So a thread's first store into memory that no
//   other thread has used before is never known to be seen.
// Cost: one pass over the trace, a lookup for each access of up to 8 bytes.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include "trace/trace.h"

namespace sooth::causality {

class RecordedMemory {
public:
  explicit RecordedMemory(const trace::Trace& trace);

  // Whether all later looks at these bytes, until somebody writes them again, have events.
  bool keeps(std::uint32_t store) const;

private:
  struct Use {
    std::uint32_t thread = 0, event = 0;
  };
  struct Uses { // of a block, the newest by two threads
    Use last, other;
    bool has_other = false;
  };
  void use(std::uint32_t event, std::uint32_t since);
  bool is_static(const trace::Event& e) const;

  const trace::Trace& trace_;
  const bool owned_; // something was
  std::vector<const trace::Global*> variables_;
  absl::flat_hash_map<std::uint64_t, Uses> uses_;                       // by block
  absl::flat_hash_set<std::pair<std::uint64_t, std::uint32_t>> shared_; // blocks, and threads that used them then
  absl::flat_hash_set<std::uint64_t> handed_over_;                      // blocks that were owned for a time
  std::vector<bool> in_shared_;                                         // by event
};

} // namespace sooth::causality
