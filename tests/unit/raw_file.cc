#include "unit/raw_file.h"

#include <gtest/gtest.h>
#include <lz4.h>
#include <xxhash.h>

#include <algorithm>
#include <cstring>
#include <map>

#include "trace/contents.h"
#include "trace/event_codec.h"
#include "trace/reader.h"

namespace sooth::test {

using namespace trace;

RawEvent plain(EventKind kind, std::uint64_t address, std::uint64_t value, std::uint64_t counter, std::uint8_t size) {
  return {address, value, counter, 0, size, 0, 0, static_cast<std::uint8_t>(kind)};
}

RawEvent ticketed(EventKind kind, std::uint64_t address, std::uint64_t value, std::uint64_t ticket, std::uint8_t size) {
  RawEvent e = plain(kind, address, value, ticket, size);
  e.flags = kTicket;
  return e;
}

namespace {

Slots with_payload(RawEvent e, const std::vector<std::uint8_t>& payload) {
  e.flags |= kPayload;
  Slots slots{e};
  slots.resize(1 + payload_slots(e));
  std::memcpy(slots.data() + 1, payload.data(), payload.size());
  return slots;
}

template <typename Row>
void append(std::vector<std::uint8_t>& out, const Row& row) {
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(&row);
  out.insert(out.end(), bytes, bytes + sizeof row);
}

} // namespace

Slots range(EventKind kind, std::uint64_t address, const std::vector<std::uint8_t>& bytes, std::uint64_t counter) {
  return with_payload(plain(kind, address, bytes.size(), counter), bytes);
}

Slots rmw(std::uint64_t address, const std::vector<std::uint8_t>& seen, const std::vector<std::uint8_t>& written,
          std::uint64_t ticket) {
  std::vector<std::uint8_t> payload = seen;
  payload.insert(payload.end(), written.begin(), written.end());
  return with_payload(ticketed(EventKind::AtomicRmw, address, seen.size(), ticket), payload);
}

RawFile::RawFile() {
  header_.magic = kFileMagic;
  header_.version = kFormatVersion;
  header_.end_kind = static_cast<std::uint32_t>(EndKind::Exit);
}

std::uint64_t RawFile::take_slots(std::uint32_t thread, std::size_t slots, std::int64_t first_slot) {
  if (next_slot_.size() <= thread) next_slot_.resize(thread + 1);
  const std::uint64_t first = first_slot < 0 ? next_slot_[thread] : static_cast<std::uint64_t>(first_slot);
  next_slot_[thread] = first + slots;
  return first;
}

RawFile& RawFile::chunk(ChunkHeader header, const std::vector<std::uint8_t>& body) {
  header.magic = kChunkMagic;
  header.body_bytes = body.size();
  if (header.raw_bytes == 0) header.raw_bytes = body.size();
  if (header.type != static_cast<std::uint32_t>(ChunkType::Live) &&
      header.type != static_cast<std::uint32_t>(ChunkType::Moves)) {
    header.body_checksum = XXH3_64bits(body.data(), body.size());
    header.header_checksum = XXH3_64bits(&header, sizeof header - sizeof header.header_checksum);
  }
  append(chunks_, header);
  chunks_.insert(chunks_.end(), body.begin(), body.end());
  chunks_.resize(round_up(chunks_.size(), kChunkAlign));
  return *this;
}

RawFile& RawFile::events(std::uint32_t thread, const Slots& slots, std::int64_t first_slot) {
  std::vector<std::uint8_t> raw(kEncodedHeader + slots.size() * kMaxEncodedSlot);
  raw.resize(static_cast<std::size_t>(encode_slots(slots.data(), slots.size(), raw.data()) - raw.data()));
  std::vector<std::uint8_t> packed(static_cast<std::size_t>(LZ4_compressBound(static_cast<int>(raw.size()))));
  packed.resize(static_cast<std::size_t>(
      LZ4_compress_default(reinterpret_cast<const char*>(raw.data()), reinterpret_cast<char*>(packed.data()),
                           static_cast<int>(raw.size()), static_cast<int>(packed.size()))));
  ChunkHeader header = {};
  header.type = static_cast<std::uint32_t>(ChunkType::Events);
  header.raw_bytes = raw.size();
  header.thread = thread;
  header.count = static_cast<std::uint32_t>(slots.size());
  header.first_slot = take_slots(thread, slots.size(), first_slot);
  return chunk(header, packed);
}

RawFile& RawFile::live(std::uint32_t thread, const Slots& slots, std::size_t room, std::int64_t first_slot,
                       std::uint32_t state) {
  ChunkHeader header = {};
  header.type = static_cast<std::uint32_t>(ChunkType::Live);
  header.thread = thread;
  header.state = state;
  header.first_slot = take_slots(thread, slots.size(), first_slot);
  std::vector<std::uint8_t> body(std::max(room, slots.size()) * sizeof(RawEvent));
  if (!slots.empty()) std::memcpy(body.data(), slots.data(), slots.size() * sizeof(RawEvent));
  return chunk(header, body);
}

RawFile& RawFile::moves(const std::vector<MoveRow>& rows) {
  ChunkHeader header = {};
  header.type = static_cast<std::uint32_t>(ChunkType::Moves);
  header.state = 1;
  std::vector<std::uint8_t> body;
  for (const MoveRow& row : rows) append(body, row);
  append(body, MoveRow{}); // room for more
  return chunk(header, body);
}

RawFile& RawFile::module(std::uint32_t first_site, const std::vector<Site>& sites, const std::vector<Global>& globals,
                         const std::vector<std::uint8_t>& facts) {
  std::string strings(1, '\0');
  const auto string = [&](const std::string& s) {
    const auto offset = static_cast<std::uint32_t>(strings.size());
    strings += s + '\0';
    return s.empty() ? 0 : offset;
  };
  std::vector<std::uint8_t> rows;
  for (const Site& s : sites)
    append(rows, SiteRow{string(s.file), s.line, s.column, string(s.function), string(s.variable), s.flags});
  for (const Global& g : globals)
    append(rows, GlobalRow{g.address, g.bytes, string(g.name), string(g.type), string(g.file), g.line});
  ModuleHeader header = {};
  header.first_site = first_site;
  header.sites = static_cast<std::uint32_t>(sites.size());
  header.globals = static_cast<std::uint32_t>(globals.size());
  header.string_bytes = static_cast<std::uint32_t>(strings.size());
  header.fact_bytes = static_cast<std::uint32_t>(facts.size());
  std::vector<std::uint8_t> body;
  append(body, header);
  body.insert(body.end(), rows.begin(), rows.end());
  body.insert(body.end(), strings.begin(), strings.end());
  body.insert(body.end(), facts.begin(), facts.end());
  ChunkHeader chunk_header = {};
  chunk_header.type = static_cast<std::uint32_t>(ChunkType::Module);
  return chunk(chunk_header, body);
}

RawFile& RawFile::strings(const std::vector<std::string>& names) {
  std::vector<std::uint8_t> body;
  for (std::uint32_t i = 0; i < names.size(); ++i) {
    append(body, i);
    append(body, static_cast<std::uint32_t>(names[i].size()));
    body.insert(body.end(), names[i].begin(), names[i].end());
  }
  ChunkHeader header = {};
  header.type = static_cast<std::uint32_t>(ChunkType::Strings);
  return chunk(header, body);
}

RawFile& RawFile::process(const std::string& text) {
  ChunkHeader header = {};
  header.type = static_cast<std::uint32_t>(ChunkType::Process);
  return chunk(header, {text.begin(), text.end()});
}

RawFile& RawFile::zeros(std::size_t bytes) {
  chunks_.resize(chunks_.size() + bytes);
  return *this;
}

std::vector<std::uint8_t> RawFile::bytes() const {
  std::vector<std::uint8_t> out(kHeaderBytes);
  std::memcpy(out.data(), &header_, sizeof header_);
  out.insert(out.end(), chunks_.begin(), chunks_.end());
  return out;
}

Trace trace_of(const RawFile& file) {
  Result<Trace> trace = read_trace_bytes(file.bytes());
  if (!trace) {
    ADD_FAILURE() << trace.error().text();
    return {};
  }
  return std::move(*trace);
}

Trace restored(const std::vector<Slots>& streams) {
  RawFile file;
  for (std::uint32_t thread = 0; thread < streams.size(); ++thread) {
    const Slots& slots = streams[thread];
    for (std::size_t first = 0; first < slots.size();) {
      std::size_t end = first;
      while (end < slots.size() && end - first < 5) end += 1 + payload_slots(slots[end]);
      file.events(thread, Slots(slots.begin() + static_cast<std::ptrdiff_t>(first),
                                slots.begin() + static_cast<std::ptrdiff_t>(end)));
      first = end;
    }
  }
  return trace_of(file);
}

std::string text_of(const Trace& trace, const std::string& names) {
  std::string out;
  for (const Event& e : trace.events) {
    if (!out.empty()) out += ", ";
    out += std::to_string(e.thread) + " " + std::string(kind_name(e.kind));
    const std::uint64_t index = (e.address - 0x1000) / 8;
    if (e.address >= 0x1000 && index < names.size()) out += std::string(" ") + names[index];
    if (reads_memory(e.kind) || writes_memory(e.kind)) out += "=" + std::to_string(e.value);
  }
  return out;
}

std::int64_t first_illegal(const Trace& trace) {
  std::map<std::uint64_t, std::uint8_t> memory;
  for (std::size_t i = 0; i < trace.events.size(); ++i) {
    const Event& e = trace.events[i];
    if (reads_memory(e.kind)) {
      const Contents seen = seen_by(trace.bytes, e);
      for (std::uint64_t b = 0; b < e.size && !seen.is_opaque(); ++b) {
        const auto [at, fresh] = memory.try_emplace(e.address + b, seen.byte(b));
        if (!fresh && at->second != seen.byte(b)) return static_cast<std::int64_t>(i);
      }
    }
    if (writes_memory(e.kind)) {
      const Contents written = written_by(trace.bytes, e);
      for (std::uint64_t b = 0; b < e.size; ++b) {
        if (written.is_opaque()) memory.erase(e.address + b);
        else memory[e.address + b] = written.byte(b);
      }
    }
    if (e.kind >= EventKind::Alloc && e.kind <= EventKind::StackEnd) {
      memory.erase(memory.lower_bound(e.address), memory.lower_bound(e.address + e.value));
      for (std::uint64_t b = 0; b < e.value && e.has(kFill); ++b) memory[e.address + b] = 0;
    }
  }
  return -1;
}

bool keeps_threads(const Trace& trace, const std::vector<Slots>& streams) {
  std::vector<std::size_t> next(streams.size());
  std::uint64_t ticket = 0;
  for (const Event& e : trace.events) {
    if (e.kind == EventKind::ExternalWrite) continue;
    const Slots& slots = streams[e.thread];
    std::size_t& at = next[e.thread];
    if (at >= slots.size() || slots[at].kind != static_cast<std::uint8_t>(e.kind) || slots[at].address != e.address)
      return false;
    // Values have the last word about plain accesses.
    if ((slots[at].flags & kTicket) != 0 && e.kind != EventKind::Read && e.kind != EventKind::Write) {
      if (slots[at].counter <= ticket) return false;
      ticket = slots[at].counter;
    }
    at += 1 + payload_slots(slots[at]);
  }
  for (std::size_t thread = 0; thread < streams.size(); ++thread) {
    if (next[thread] != streams[thread].size()) return false;
  }
  return true;
}

} // namespace sooth::test
