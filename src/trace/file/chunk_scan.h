// Finds the chunks of a trace file, also of a damaged one.
//
//     | first page | Events | damaged bytes | Live | Module |        3 chunks, and a note about
//                              ^ next header at a multiple of 64    the bytes in between
//
// Question: which chunks of the file are whole, and what lies between them?
// Source: docs/trace_format.md.
// Cost: one pass; every byte is checksummed once. After an invalid header, the scan looks for the
//   next valid one at a multiple of 64 bytes, so damage costs no more than the chunks it hits.
// Gives up: never; the rest of the file then counts as damaged.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <vector>

#include "trace/file/trace_bytes.h"
#include "trace/trace.h"

namespace sooth::trace {

// The largest chunk that the reader accepts; the runtime's chunks are far smaller. This bounds the
// memory that a hostile header can make the reader allocate.
inline constexpr std::uint64_t kMaxChunkSlots = 1u << 22;
inline constexpr std::uint64_t kMaxChunkRaw = 1u << 27;
inline constexpr std::uint32_t kMaxThreads = 1u << 20;

struct Chunk {
  ChunkHeader header;
  std::uint64_t offset; // of the header, in the file
  std::uint64_t bytes;  // of the body, as far as the file has it
  // Empty for an Events or Inputs chunk: body_of() reads it.
  std::span<const std::uint8_t> body;
};

struct ScanResult {
  std::vector<Chunk> chunks;                    // in file order; without Pad and free Live chunks
  std::deque<std::vector<std::uint8_t>> bodies; // of chunks that are not read again
  std::uint64_t damaged_chunks = 0;
  std::uint64_t damaged_bytes = 0;
  std::vector<std::string> notes;
};

ScanResult scan_chunks(TraceBytes& file);
ScanResult scan_chunks(std::span<const std::uint8_t> file);

// The body of such a chunk, in `out`. False: the file has changed since it was scanned.
bool body_of(const Chunk& chunk, TraceBytes& file, std::vector<std::uint8_t>& out);

// The number of slots of a Live body before the first unfinished one.
std::uint64_t finished_slots(std::span<const std::uint8_t> body);

std::string hexadecimal(std::uint64_t number); // "0x1000"

} // namespace sooth::trace
