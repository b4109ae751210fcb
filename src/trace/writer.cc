#include "trace/writer.h"

#include <lz4.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstring>

#include "trace/contents.h"
#include "trace/event_codec.h"
#include "trace/file/chunk_scan.h"
#include "trace/program/process_text.h"
#include "trace/program/type_facts.h"
#include "trace/string_table.h"

namespace sooth::trace {
namespace {

constexpr std::size_t kSlotsPerChunk = 1u << 14;

class Writer {
public:
  explicit Writer(const Trace& trace) : trace_(trace), buffers_(trace.threads.size()) {}

  Result<std::vector<std::uint8_t>> run() {
    write_header();
    write_modules();
    write_strings();
    write_initial();
    const std::string text = write_process_text(trace_);
    if (!text.empty()) write_chunk({.type = static_cast<std::uint32_t>(ChunkType::Process)}, bytes_of(text));
    for (std::size_t i = 0; i < trace_.events.size(); ++i) {
      if (const char* why = add_event(trace_.events[i], i + 1)) {
        return Error{"event " + std::to_string(i) + " cannot be written: " + why};
      }
    }
    for (std::uint32_t thread = 0; thread < buffers_.size(); ++thread) flush(thread);
    // Shows a reader that a file was cut off, even directly behind a chunk.
    const std::uint64_t end = out_.size();
    std::memcpy(out_.data() + offsetof(FileHeader, file_end), &end, sizeof end);
    return std::move(out_);
  }

private:
  struct Buffer {
    std::vector<RawEvent> slots;
    std::uint64_t first_slot = 0;
  };

  template <typename Text>
  static std::span<const std::uint8_t> bytes_of(const Text& text) {
    return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
  }
  template <typename Row>
  static void append(std::vector<std::uint8_t>& out, const Row& row) {
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(&row);
    out.insert(out.end(), bytes, bytes + sizeof row);
  }

  void write_header() {
    FileHeader header = {};
    const ProcessInfo& process = trace_.process;
    header.magic = kFileMagic;
    header.version = kFormatVersion;
    header.flags = trace_.flags | kFrozen;
    header.pid = process.pid;
    header.parent_pid = process.parent_pid;
    header.start_time_ns = process.start_time_ns;
    header.end_time_ns = process.end_time_ns;
    header.end_kind = static_cast<std::uint32_t>(process.end);
    header.end_value = process.end_value;
    header.threads = trace_.threads.size();
    header.slots = 0;
    std::copy(std::begin(trace_.defects), std::end(trace_.defects), std::begin(header.defects));
    for (std::size_t i = 0; i < std::min(process.unsupported.size(), std::size(header.unsupported)); ++i) {
      const auto& [name, calls] = process.unsupported[i];
      std::memcpy(header.unsupported[i], name.data(), std::min(name.size(), sizeof header.unsupported[i]));
      header.unsupported_calls[i] = calls;
    }
    out_.resize(kHeaderBytes);
    std::memcpy(out_.data(), &header, sizeof header);
  }

  void write_chunk(ChunkHeader header, std::span<const std::uint8_t> body) {
    header.magic = kChunkMagic;
    header.body_bytes = body.size();
    if (header.raw_bytes == 0) header.raw_bytes = body.size();
    header.body_checksum = XXH3_64bits(body.data(), body.size());
    header.header_checksum = XXH3_64bits(&header, sizeof header - sizeof header.header_checksum);
    append(out_, header);
    out_.insert(out_.end(), body.begin(), body.end());
    out_.resize(round_up(out_.size(), kChunkAlign));
  }

  // All sites and globals stand in the first module; the others carry their static facts only.
  void write_modules() {
    const std::size_t modules = std::max<std::size_t>(1, trace_.facts.size());
    for (std::size_t i = 0; i < modules; ++i) {
      StringTable strings;
      std::vector<std::uint8_t> rows;
      ModuleHeader header = {};
      header.first_site = kFirstSite;
      if (i == 0) {
        for (std::size_t n = 1; n < trace_.sites.size(); ++n) {
          const Site& s = trace_.sites[n];
          append(rows, SiteRow{strings.add(s.file), s.line, s.column, strings.add(s.function), strings.add(s.variable),
                               s.flags});
          ++header.sites;
        }
        for (const Global& g : trace_.globals) {
          append(rows,
                 GlobalRow{g.address, g.bytes, strings.add(g.name), strings.add(g.type), strings.add(g.file), g.line});
          ++header.globals;
        }
      }
      std::vector<std::uint8_t> facts;
      if (i == 0) {
        facts = make_type_facts(trace_, strings);
        const auto dependence = make_dependence(trace_.static_facts);
        facts.insert(facts.end(), dependence.begin(), dependence.end());
      }
      if (i != 0 && trace_.all_names_known)
        facts = make_type_facts(Trace{.all_names_known = true}, strings); // none to add
      if (i < trace_.facts.size()) facts.insert(facts.end(), trace_.facts[i].begin(), trace_.facts[i].end());
      header.string_bytes = static_cast<std::uint32_t>(strings.bytes().size());
      header.fact_bytes = static_cast<std::uint32_t>(facts.size());
      std::vector<std::uint8_t> body;
      append(body, header);
      body.insert(body.end(), rows.begin(), rows.end());
      body.insert(body.end(), strings.bytes().begin(), strings.bytes().end());
      body.insert(body.end(), facts.begin(), facts.end());
      write_chunk({.type = static_cast<std::uint32_t>(ChunkType::Module)}, body);
    }
  }

  void write_initial() {
    if (!trace_.initial_known) return;
    std::vector<std::uint8_t> body;
    append(body, std::uint64_t{trace_.initial.size()});
    for (const InitialContents& contents : trace_.initial) {
      const std::uint64_t bytes = std::min<std::uint64_t>(contents.bytes.size(), kMaxInitial);
      append(body, InitialRow{contents.address, bytes});
      body.insert(body.end(), contents.bytes.begin(), contents.bytes.begin() + static_cast<std::ptrdiff_t>(bytes));
      body.resize(round_up(body.size(), 8));
    }
    write_chunk({.type = static_cast<std::uint32_t>(ChunkType::Initial)}, body);
  }

  void write_strings() {
    if (trace_.strings.empty()) return;
    std::vector<std::uint8_t> body;
    for (std::uint32_t i = 0; i < trace_.strings.size(); ++i) {
      append(body, i);
      append(body, static_cast<std::uint32_t>(trace_.strings[i].size()));
      const auto bytes = bytes_of(trace_.strings[i]);
      body.insert(body.end(), bytes.begin(), bytes.end());
    }
    write_chunk({.type = static_cast<std::uint32_t>(ChunkType::Strings)}, body);
  }

  // Null, or why the trace cannot be written.
  const char* add_event(const Event& e, std::uint64_t counter) {
    if (kind_name(e.kind).empty()) return "it has no kind";
    if (e.thread >= buffers_.size()) return "its thread does not exist";
    if (e.site >= std::max<std::size_t>(1, trace_.sites.size())) return "its site does not exist";
    RawEvent raw = {};
    raw.address = e.address;
    raw.value = e.value;
    raw.counter = counter;
    raw.site = site_number(e.site);
    const bool read = e.kind == EventKind::Read || e.kind == EventKind::AtomicRead;
    const int elsewhere = read && (e.marks & kOtherSites) != 0 ? kRepeatedElsewhere : 0;
    raw.order = static_cast<std::uint8_t>(static_cast<int>(e.order) | elsewhere);
    raw.flags = e.flags;
    raw.kind = static_cast<std::uint8_t>(e.kind);
    std::vector<RawEvent>& slots = buffers_[e.thread].slots;
    if (!reads_memory(e.kind) && !writes_memory(e.kind)) {
      if (e.kind == EventKind::Enter) raw.value = site_number(static_cast<std::uint32_t>(e.value));
      slots.push_back(raw);
    } else if (e.has(kOpaque)) {
      raw.value = e.size;
      slots.push_back(raw);
    } else if (e.has(kFill)) {
      raw.value = e.size | e.value << 56;
      slots.push_back(raw);
    } else if (e.kind == EventKind::AtomicRmw || e.has(kPayload)) {
      if (const char* why = add_payload(e, raw, slots)) return why;
    } else {
      if (e.size == 0 || e.size > 8) return "its size is not that of an inline value";
      raw.size = static_cast<std::uint8_t>(e.size);
      slots.push_back(raw);
    }
    if (slots.size() >= kSlotsPerChunk) flush(e.thread);
    return nullptr;
  }

  const char* add_payload(const Event& e, RawEvent raw, std::vector<RawEvent>& slots) {
    const bool rmw = e.kind == EventKind::AtomicRmw;
    if (e.size == 0 || e.size > kMaxPayload) return "it has too many bytes";
    if (!e.has(kPayload) && e.size > 8) return "its bytes are not there";
    const Contents written = rmw ? written_by(trace_.bytes, e) : seen_by(trace_.bytes, e);
    if (written.is_opaque()) return "its bytes are not there";
    raw.flags |= kPayload;
    raw.value = e.size;
    std::vector<std::uint8_t> payload;
    if (rmw) {
      const Contents seen = seen_by(trace_.bytes, e);
      for (std::uint64_t i = 0; i < e.size; ++i) payload.push_back(seen.byte(i));
    }
    for (std::uint64_t i = 0; i < e.size; ++i) payload.push_back(written.byte(i));
    slots.push_back(raw);
    const std::size_t first = slots.size();
    slots.resize(first + payload_slots(raw));
    std::memcpy(slots.data() + first, payload.data(), payload.size());
    return nullptr;
  }

  static std::uint32_t site_number(std::uint32_t index) { return index == 0 ? 0 : kFirstSite + index - 1; }

  void flush(std::uint32_t thread) {
    Buffer& buffer = buffers_[thread];
    if (buffer.slots.empty()) return;
    encoded_.resize(kEncodedHeader + buffer.slots.size() * kMaxEncodedSlot);
    const std::uint8_t* end = encode_slots(buffer.slots.data(), buffer.slots.size(), encoded_.data());
    const auto raw = static_cast<int>(end - encoded_.data());
    packed_.resize(static_cast<std::size_t>(LZ4_compressBound(raw)));
    const int size =
        LZ4_compress_default(reinterpret_cast<const char*>(encoded_.data()), reinterpret_cast<char*>(packed_.data()),
                             raw, static_cast<int>(packed_.size()));
    write_chunk({.type = static_cast<std::uint32_t>(ChunkType::Events),
                 .raw_bytes = static_cast<std::uint64_t>(raw),
                 .thread = thread,
                 .count = static_cast<std::uint32_t>(buffer.slots.size()),
                 .first_slot = buffer.first_slot},
                std::span(packed_).first(static_cast<std::size_t>(size)));
    buffer.first_slot += buffer.slots.size();
    buffer.slots.clear();
  }

  const Trace& trace_;
  std::vector<Buffer> buffers_; // by thread
  std::vector<std::uint8_t> out_;
  std::vector<std::uint8_t> encoded_; // scratch
  std::vector<std::uint8_t> packed_;  // scratch
};

} // namespace

std::vector<std::uint8_t> write_trace_bytes(const Trace& trace) {
  Result<std::vector<std::uint8_t>> bytes = Writer(trace).run();
  return bytes ? std::move(*bytes) : std::vector<std::uint8_t>{};
}

Result<std::uint64_t> write_trace(const Trace& trace, const std::string& path) {
  Result<std::vector<std::uint8_t>> bytes = Writer(trace).run();
  if (!bytes) return Error{bytes.error().message, path};
  // Under another name first, so that a full disk leaves no partial trace behind.
  const std::string unfinished = path + ".part";
  std::FILE* file = std::fopen(unfinished.c_str(), "wb");
  if (file == nullptr) return Error{std::string("cannot write: ") + std::strerror(errno), path};
  const bool written = std::fwrite(bytes->data(), 1, bytes->size(), file) == bytes->size();
  const bool closed = std::fclose(file) == 0;
  if (!written || !closed || std::rename(unfinished.c_str(), path.c_str()) != 0) {
    const Error error{std::string("cannot write: ") + std::strerror(errno), path};
    std::remove(unfinished.c_str());
    return error;
  }
  return std::uint64_t{bytes->size()};
}

} // namespace sooth::trace
