#include "trace/chunk_scan.h"

#include <xxhash.h>

#include <algorithm>
#include <cstring>

namespace sooth::trace {
namespace {

// The number of notes is bounded: a file full of garbage is described in a few lines.
constexpr std::size_t kMaxNotes = 64;

ChunkHeader header_at(std::span<const std::uint8_t> file, std::uint64_t offset) {
  ChunkHeader header;
  std::memcpy(&header, file.data() + offset, sizeof header);
  return header;
}

bool is_live(const ChunkHeader& h) {
  return h.type == static_cast<std::uint32_t>(ChunkType::Live) && h.header_checksum == 0 && h.body_checksum == 0 &&
         h.body_bytes % sizeof(RawEvent) == 0 && h.body_bytes <= kMaxChunkSlots * sizeof(RawEvent) && h.state <= 1;
}

bool is_header(std::span<const std::uint8_t> file, std::uint64_t offset) {
  if (file.size() - offset < sizeof(ChunkHeader)) return false;
  const ChunkHeader h = header_at(file, offset);
  if (h.magic != kChunkMagic) return false;
  return is_live(h) || h.header_checksum == XXH3_64bits(file.data() + offset, sizeof h - sizeof h.header_checksum);
}

bool all_zero(std::span<const std::uint8_t> bytes) {
  return std::all_of(bytes.begin(), bytes.end(), [](std::uint8_t b) { return b == 0; });
}

class Scanner {
public:
  explicit Scanner(std::span<const std::uint8_t> file) : file_(file) {}

  ScanResult run() {
    std::uint64_t offset = kHeaderBytes;
    while (offset < file_.size()) {
      if (is_header(file_, offset)) {
        offset = take(offset);
      } else {
        offset = skip(offset);
      }
    }
    if (left_out_ != 0) out_.notes.push_back(std::to_string(left_out_) + " further places of damage are not listed");
    return std::move(out_);
  }

private:
  // Takes the chunk at `offset` if it is valid; returns where the next one should be.
  std::uint64_t take(std::uint64_t offset) {
    Chunk chunk{header_at(file_, offset), offset, {}};
    const ChunkHeader& h = chunk.header;
    const std::uint64_t room = file_.size() - offset - sizeof h;
    const std::uint64_t there = std::min(room, h.body_bytes);
    chunk.body = file_.subspan(offset + sizeof h, there);
    const std::uint64_t next = offset + sizeof h + round_up(there, kChunkAlign);
    const auto type = static_cast<ChunkType>(h.type);
    if (type == ChunkType::Pad) return there == h.body_bytes ? next : file_.size();
    if (type == ChunkType::Live && is_live(h)) {
      if (h.state == 0) return next;
      if (h.thread >= kMaxThreads) {
        damaged(offset, "its thread number is too large", sizeof h + there);
      } else {
        out_.chunks.push_back(chunk);
      }
      return next;
    }
    if (there < h.body_bytes) {
      damaged(offset, "the file ends inside it", sizeof h + there);
      return file_.size();
    }
    if (XXH3_64bits(chunk.body.data(), chunk.body.size()) != h.body_checksum) {
      damaged(offset, "checksum", sizeof h + there);
    } else if (type == ChunkType::Events && !plausible(h)) {
      damaged(offset, "its sizes cannot be", sizeof h + there);
    } else {
      out_.chunks.push_back(chunk);
    }
    return next;
  }

  // An encoded slot has at least one byte, and LZ4 makes at most 255 bytes out of one.
  static bool plausible(const ChunkHeader& h) {
    return h.count <= h.raw_bytes && h.count <= kMaxChunkSlots && h.raw_bytes <= kMaxChunkRaw &&
           h.raw_bytes <= 256 * h.body_bytes + 64 && h.thread < kMaxThreads && h.first_slot <= UINT64_MAX - h.count;
  }

  // There is no header at `offset`; returns where the next one is, or the end.
  std::uint64_t skip(std::uint64_t offset) {
    std::uint64_t next = offset + kChunkAlign;
    while (next < file_.size() && !is_header(file_, next)) next += kChunkAlign;
    next = std::min<std::uint64_t>(next, file_.size());
    const std::uint64_t bytes = next - offset;
    if (!all_zero(file_.subspan(offset, bytes))) {
      ++out_.damaged_chunks;
      out_.damaged_bytes += bytes;
      note("no chunk begins at offset " + hexadecimal(offset) + "; " + std::to_string(bytes) + " bytes skipped");
    } else if (next < file_.size()) {
      note("a chunk at offset " + hexadecimal(offset) + " was never written; " + std::to_string(bytes) +
           " empty bytes");
    }
    return next;
  }

  void damaged(std::uint64_t offset, const std::string& why, std::uint64_t bytes) {
    ++out_.damaged_chunks;
    out_.damaged_bytes += bytes;
    note("chunk at offset " + hexadecimal(offset) + " is damaged (" + why + "); " + std::to_string(bytes) +
         " bytes skipped");
  }

  void note(std::string text) {
    if (out_.notes.size() < kMaxNotes) {
      out_.notes.push_back(std::move(text));
    } else {
      ++left_out_;
    }
  }

  std::span<const std::uint8_t> file_;
  ScanResult out_;
  std::uint64_t left_out_ = 0;
};

} // namespace

ScanResult scan_chunks(std::span<const std::uint8_t> file) { return Scanner(file).run(); }

std::uint64_t finished_slots(std::span<const std::uint8_t> body) {
  const std::uint64_t slots = body.size() / sizeof(RawEvent);
  for (std::uint64_t slot = 0; slot < slots;) {
    RawEvent e;
    std::memcpy(&e, body.data() + slot * sizeof e, sizeof e);
    if (e.kind == 0) return slot;
    if ((e.flags & kPayload) && (e.value == 0 || e.value > kMaxPayload)) return slot;
    const std::uint64_t extra = payload_slots(e);
    if (extra >= slots - slot) return slot;
    slot += 1 + extra;
  }
  return slots;
}

std::string hexadecimal(std::uint64_t number) {
  std::string digits;
  do digits.insert(digits.begin(), "0123456789abcdef"[number % 16]);
  while ((number /= 16) != 0);
  return "0x" + digits;
}

} // namespace sooth::trace
