#include "trace/file/chunk_scan.h"

#include <xxhash.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>

namespace sooth::trace {
namespace {

// The number of notes is bounded: a file full of garbage is described in a few lines.
constexpr std::size_t kMaxNotes = 64;

constexpr std::uint64_t kAtOnce = 1 << 18; // bytes

bool is_live(const ChunkHeader& h) {
  const bool changes =
      h.type == static_cast<std::uint32_t>(ChunkType::Live) || h.type == static_cast<std::uint32_t>(ChunkType::Moves);
  return changes && h.header_checksum == 0 && h.body_checksum == 0 && h.body_bytes % sizeof(RawEvent) == 0 &&
         h.body_bytes <= kMaxChunkSlots * sizeof(RawEvent) && h.state <= 1;
}

// The header at `offset`, if one is there.
bool header_at(TraceBytes& file, std::uint64_t offset, ChunkHeader& h) {
  const std::span<const std::uint8_t> bytes = file.at(offset, sizeof h);
  if (bytes.size() < sizeof h) return false;
  std::memcpy(&h, bytes.data(), sizeof h);
  if (h.magic != kChunkMagic) return false;
  return is_live(h) || h.header_checksum == XXH3_64bits(bytes.data(), sizeof h - sizeof h.header_checksum);
}

// f(bytes) for all of a part of the file, a bit at a time. False: the file has less, or f returned
// false.
template <typename F>
bool each_part(TraceBytes& file, std::uint64_t offset, std::uint64_t size, F&& f) {
  for (std::uint64_t done = 0; done < size;) {
    const std::span<const std::uint8_t> part = file.at(offset + done, std::min(size - done, kAtOnce));
    if (part.empty() || !f(part)) return false;
    done += part.size();
  }
  return true;
}

// How often to ask where a hole of the file ends.
constexpr std::uint64_t kHoleStep = 1 << 16;

bool all_zero(TraceBytes& file, std::uint64_t offset, std::uint64_t size) {
  const std::uint64_t end = offset + size;
  const auto is_zero = [](std::span<const std::uint8_t> part) {
    return std::all_of(part.begin(), part.end(), [](std::uint8_t b) { return b == 0; });
  };
  while ((offset = file.data_from(offset)) < end) {
    const std::uint64_t part = std::min(end - offset, kHoleStep);
    if (!each_part(file, offset, part, is_zero)) return false;
    offset += part;
  }
  return true;
}

// False: the file has less.
bool checksum_of(TraceBytes& file, std::uint64_t offset, std::uint64_t size, std::uint64_t& out) {
  const std::unique_ptr<XXH3_state_t, XXH_errorcode (*)(XXH3_state_t*)> state(XXH3_createState(), XXH3_freeState);
  if (state == nullptr || XXH3_64bits_reset(state.get()) != XXH_OK) return false;
  const bool all = each_part(file, offset, size, [&](std::span<const std::uint8_t> part) {
    return XXH3_64bits_update(state.get(), part.data(), part.size()) == XXH_OK;
  });
  out = XXH3_64bits_digest(state.get());
  return all;
}

class Scanner {
public:
  explicit Scanner(TraceBytes& file) : file_(file) {}

  ScanResult run() {
    // While the program runs, it writes Live buffers out as chunks and fills them again. So they
    // are copied first: chunks that were written out before are then found behind.
    copy_live_buffers();
    file_.grow();
    std::uint64_t offset = kHeaderBytes;
    while (offset < file_.size()) {
      ChunkHeader header;
      if (header_at(file_, offset, header)) {
        offset = take(offset, header);
      } else {
        offset = skip(offset);
      }
    }
    keep_moves();
    if (left_out_ != 0) out_.notes.push_back(std::to_string(left_out_) + " further places of damage are not listed");
    return std::move(out_);
  }

private:
  // Takes the chunk at `offset` if it is valid; returns where the next one should be.
  std::uint64_t take(std::uint64_t offset, const ChunkHeader& h) {
    const std::uint64_t room = file_.size() - offset - sizeof h;
    const std::uint64_t there = std::min(room, h.body_bytes);
    const std::uint64_t next = offset + sizeof h + round_up(there, kChunkAlign);
    const auto type = static_cast<ChunkType>(h.type);
    if (type == ChunkType::Pad) return there == h.body_bytes ? next : file_.size();
    if (type == ChunkType::Moves && is_live(h)) {
      moves_.push_back({h, offset, there, {}});
      return next;
    }
    if (type == ChunkType::Live && is_live(h)) {
      if (h.state == 0) return next;
      if (h.thread >= kMaxThreads) {
        damaged(offset, "its thread number is too large", sizeof h + there);
      } else if (const auto copy = live_.find(offset); copy != live_.end()) {
        out_.chunks.push_back(copy->second);
      } else {
        keep_live(offset, h, there);
      }
      return next;
    }
    if (there < h.body_bytes) {
      damaged(offset, "the file ends inside it", sizeof h + there);
      return file_.size();
    }
    std::uint64_t checksum = 0;
    if (!checksum_of(file_, offset + sizeof h, there, checksum) || checksum != h.body_checksum) {
      damaged(offset, "checksum", sizeof h + there);
    } else if (type == ChunkType::Inputs) {
      out_.chunks.push_back({h, offset, there, {}});
    } else if (type != ChunkType::Events) {
      keep(offset, h, there);
    } else if (!plausible(h)) {
      damaged(offset, "its sizes cannot be", sizeof h + there);
    } else {
      out_.chunks.push_back({h, offset, there, {}});
    }
    return next;
  }

  void copy_live_buffers() {
    ChunkHeader h;
    for (std::uint64_t offset = kHeaderBytes; header_at(file_, offset, h);) {
      const std::uint64_t there = std::min(file_.size() - offset - sizeof h, h.body_bytes);
      if (is_live(h) && h.type == static_cast<std::uint32_t>(ChunkType::Live) && h.state != 0 &&
          h.thread < kMaxThreads) {
        keep_live(offset, h, there);
        if (!out_.chunks.empty()) live_.emplace(offset, out_.chunks.back());
        out_.chunks.clear();
      }
      offset += sizeof h + round_up(there, kChunkAlign);
    }
  }

  // A running program may have changed the buffer while it was copied. Then a slot can be finished
  // in the copy, with old first words. A slot that was finished then is whole now. So these slots
  // are copied again, and only these are used.
  void keep_live(std::uint64_t offset, const ChunkHeader& h, std::uint64_t size) {
    std::vector<std::uint8_t>& body = out_.bodies.emplace_back(size);
    std::vector<std::uint8_t> again;
    if (file_.read(offset + sizeof h, body)) again.resize(sizeof h + finished_slots(body) * sizeof(RawEvent));
    ChunkHeader now;
    if (again.size() <= sizeof h || !file_.read(offset, again)) {
      std::ranges::fill(body, 0);
    } else {
      // If the buffer was written out in the meantime, it holds other events now, and its copy
      // cannot be confirmed.
      std::memcpy(&now, again.data(), sizeof now);
      const std::size_t finished = again.size() - sizeof h;
      if (now.first_slot == h.first_slot && now.thread == h.thread && now.state == h.state)
        std::memcpy(body.data(), again.data() + sizeof now, finished);
      std::fill(body.begin() + static_cast<std::ptrdiff_t>(finished), body.end(), 0);
    }
    out_.chunks.push_back({h, offset, size, body});
  }

  // A running program writes a row before the first event that relies on it. So rows are read last,
  // and twice: one that was there the first time is whole the second time.
  void keep_moves() {
    for (Chunk& chunk : moves_) {
      std::vector<std::uint8_t> first(chunk.bytes / sizeof(MoveRow) * sizeof(MoveRow));
      std::vector<std::uint8_t>& body = out_.bodies.emplace_back(first.size());
      const std::uint64_t at = chunk.offset + sizeof chunk.header;
      if (first.empty() || !file_.read(at, first) || !file_.read(at, body)) continue;
      for (std::size_t row = 0; row < body.size(); row += sizeof(MoveRow)) {
        MoveRow seen;
        std::memcpy(&seen, first.data() + row, sizeof seen);
        if (seen.from == 0) std::fill_n(body.begin() + static_cast<std::ptrdiff_t>(row), sizeof(MoveRow), 0);
      }
      chunk.body = body;
      out_.chunks.push_back(chunk);
    }
  }

  // A chunk whose body stays in memory.
  void keep(std::uint64_t offset, const ChunkHeader& h, std::uint64_t size) {
    std::vector<std::uint8_t>& body = out_.bodies.emplace_back(size);
    if (!file_.read(offset + sizeof h, body)) return damaged(offset, "the file ends inside it", sizeof h + size);
    out_.chunks.push_back({h, offset, size, body});
  }

  // An encoded slot has at least one byte, and LZ4 makes at most 255 bytes out of one.
  static bool plausible(const ChunkHeader& h) {
    return h.count <= h.raw_bytes && h.count <= kMaxChunkSlots && h.raw_bytes <= kMaxChunkRaw &&
           h.raw_bytes <= 256 * h.body_bytes + 64 && h.thread < kMaxThreads && h.first_slot <= UINT64_MAX - h.count;
  }

  // There is no header at `offset`; returns where the next one is, or the end.
  std::uint64_t skip(std::uint64_t offset) {
    std::uint64_t next = offset + kChunkAlign;
    ChunkHeader header;
    while (next < file_.size() && !header_at(file_, next, header)) {
      next += kChunkAlign;
      if (next % kHoleStep == 0) next = std::max(next, file_.data_from(next) / kChunkAlign * kChunkAlign);
    }
    next = std::min<std::uint64_t>(next, file_.size());
    const std::uint64_t bytes = next - offset;
    if (!all_zero(file_, offset, bytes)) {
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

  TraceBytes& file_;
  std::vector<Chunk> moves_;
  std::map<std::uint64_t, Chunk> live_; // by offset: copied before
  ScanResult out_;
  std::uint64_t left_out_ = 0;
};

} // namespace

ScanResult scan_chunks(TraceBytes& file) { return Scanner(file).run(); }

ScanResult scan_chunks(std::span<const std::uint8_t> file) {
  BytesInMemory bytes(file);
  return Scanner(bytes).run();
}

bool body_of(const Chunk& chunk, TraceBytes& file, std::vector<std::uint8_t>& out) {
  out.resize(chunk.bytes);
  return file.read(chunk.offset + sizeof chunk.header, out) &&
         XXH3_64bits(out.data(), out.size()) == chunk.header.body_checksum;
}

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
