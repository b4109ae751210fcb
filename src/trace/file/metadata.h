// The parts of a trace file besides events: modules with their sites and globals, strings, the
// process.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "trace/file/chunk_scan.h"
#include "trace/trace.h"

namespace sooth::trace {

// Site numbers of the file to indexes into Trace::sites.
class SiteMap {
public:
  // Numbers first, first + 1, ... become the indexes from `index` on.
  void add(std::uint32_t first, std::uint32_t count, std::uint32_t index);
  void finish();                                      // sorts; call before index_of
  std::uint32_t index_of(std::uint32_t number) const; // 0: unknown

private:
  struct Range {
    std::uint32_t first, count, index;
  };
  std::vector<Range> ranges_;
  mutable Range last_ = {0, 0, 0}; // most events come from the same module as the one before
};

// The first page, into `trace.process`, `defects`, `flags`. The header was checked before.
void read_file_header(const FileHeader& header, Trace& trace);

// The body of one Module chunk; false if its rows do not fit in it. When all are read:
// sites.finish(), sort_globals().
bool read_module(std::span<const std::uint8_t> body, Trace& trace, SiteMap& sites);
void sort_globals(Trace& trace);

// Module, Strings and Process chunks. A chunk whose checksum fits but whose rows do not is counted
// as damaged.
void read_metadata(const std::vector<Chunk>& chunks, Trace& trace, SiteMap& sites);

} // namespace sooth::trace
