// Any bytes at all go through the reader; what comes out must be a legal trace that writes and reads back.
//
// Checksums would stop nearly every mutation at the door, so half of the inputs get theirs put right first: then the
// decoder, the restoration and all behind it see hostile values.
#include <xxhash.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "survey/sharing.h"
#include "trace/file/chunk_scan.h"
#include "trace/reader.h"
#include "trace/writer.h"

using namespace sooth::trace;

namespace {

void put_checksums_right(std::vector<std::uint8_t>& file) {
  for (std::size_t offset = kHeaderBytes; offset + sizeof(ChunkHeader) <= file.size();) {
    ChunkHeader h;
    std::memcpy(&h, file.data() + offset, sizeof h);
    const std::size_t room = file.size() - offset - sizeof h;
    if (h.magic == kChunkMagic && h.type != static_cast<std::uint32_t>(ChunkType::Live) && h.body_bytes <= room) {
      h.body_checksum = XXH3_64bits(file.data() + offset + sizeof h, h.body_bytes);
      h.header_checksum = XXH3_64bits(&h, sizeof h - sizeof h.header_checksum);
      std::memcpy(file.data() + offset, &h, sizeof h);
      offset += sizeof h + round_up(h.body_bytes, kChunkAlign);
    } else {
      offset += kChunkAlign;
    }
  }
}

void require(bool condition) {
  if (!condition) std::abort(); // libFuzzer reports it with the input
}

void require_in_bounds(const Trace& trace) {
  for (const Event& e : trace.events) require(e.thread < trace.threads.size() && e.site < trace.sites.size());
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  std::vector<std::uint8_t> file(data + 1, data + size);
  if (data[0] & 1) put_checksums_right(file);
  const auto trace = read_trace_bytes(file);
  if (!trace.ok()) {
    require(!trace.error().message.empty());
    return 0;
  }
  require_in_bounds(trace.value());
  const std::vector<InlinedCall>& calls = trace.value().inlined_calls;
  for (const Site& site : trace.value().sites) require(site.inlined_at == 0 || site.inlined_at < calls.size());
  for (std::size_t i = 1; i < calls.size(); ++i) require(calls[i].inlined_at < i);
  const std::vector<std::uint8_t> written = write_trace_bytes(trace.value());
  require(!written.empty());
  const auto again = read_trace_bytes(written);
  require(again.ok() && again.value().events.size() == trace.value().events.size());

  // The same through the sieve: it believes addresses, sizes and threads no more than the reader does.
  sooth::survey::Sharing sharing;
  ReadOptions sieved;
  sieved.sieve = &sharing;
  const auto reduced = read_trace_bytes(file, sieved);
  require(reduced.ok());
  require_in_bounds(reduced.value());
  require(!write_trace_bytes(reduced.value()).empty());
  return 0;
}
