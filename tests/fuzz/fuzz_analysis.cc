// Traces with structure: bytes become events of a few threads on a few objects, as far as they are
// legal. The file has right checksums, and goes through reader, verifier, all engines and the
// checker. Nothing may crash. With SOOTH_FUZZ=strict, as in `./dev fuzz`, the checker must not
// reject what an engine has found either.
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string_view>

#include "cross/lives.h"
#include "survey/sharing.h"
#include "trace/verify.h"
#include "trace/writer.h"

using namespace sooth;
using trace::Event;
using trace::EventKind;

namespace {

constexpr std::uint32_t kThreads = 4;
constexpr std::size_t kMaxEvents = 48;

void require(bool condition) {
  if (!condition) std::abort();
}

void require_accepted(const cross::Found& found) {
  static const char* const mode = std::getenv("SOOTH_FUZZ");
  if (found.objections == 0 || mode == nullptr || std::string_view(mode) != "strict") return;
  for (const std::string& sentence : found.findings) std::fprintf(stderr, "%s\n", sentence.c_str());
  std::abort();
}

bool is_legal(const trace::Trace& trace) { return trace::verify(trace).legal(); }

// What nobody wrote came from outside.
void found_from_outside(trace::testing::TraceBuilder& builder) {
  const Event read = builder.trace.events.back();
  builder.trace.events.pop_back();
  builder.access(read.thread, EventKind::ExternalWrite, read.address, read.size, read.value);
  builder.trace.events.push_back(read);
  if (!is_legal(builder.trace)) builder.trace.events.resize(builder.trace.events.size() - 2);
}

// Two bytes for each event: what, and on which object with which value.
trace::Trace made_from(std::span<const std::uint8_t> bytes) {
  trace::testing::TraceBuilder builder(kThreads);
  for (std::size_t i = 0; i + 1 < bytes.size() && builder.trace.events.size() < kMaxEvents; i += 2) {
    const auto thread = static_cast<std::uint32_t>(bytes[i] % kThreads);
    const auto kind = static_cast<EventKind>(1 + bytes[i] / kThreads % 62);
    const std::uint64_t object = bytes[i + 1] % 4, value = bytes[i + 1] / 4 % 4;
    const trace::ObjectKind what = trace::object_of(kind);
    if (kind == EventKind::ExternalWrite) continue; // only before the read that found it
    if (what == trace::ObjectKind::Memory) {
      const std::uint32_t size = 1u << (bytes[i + 1] / 16 % 4);
      builder.access(thread, kind, 0x1000 + 4 * object, size, value).extra = value;
    } else if (what == trace::ObjectKind::Region) {
      // Heap, mappings and stacks do not overlap.
      const bool heap = kind == EventKind::Alloc || kind == EventKind::Free;
      const bool map = kind == EventKind::Map || kind == EventKind::Unmap;
      builder.add(thread, kind, (heap ? 0x1000 : map ? 0x8000 : 0x9000) + 16 * object, 16);
    } else if (what == trace::ObjectKind::Condition)
      builder.add(thread, kind, 0x3000 + 64 * object, 0x10000 + 64 * value); // a lock's address
    else if (what == trace::ObjectKind::Thread) builder.add(thread, kind, 0, value);
    else builder.add(thread, kind, 0x10000 * (1 + static_cast<std::uint64_t>(what)) + 64 * object, value);
    if (bytes[i + 1] >= 192 && what != trace::ObjectKind::Memory) builder.trace.events.back().flags = trace::kFailed;
    const std::uint32_t site = builder.site("made.c", static_cast<std::uint32_t>(i + 1), "f", "v");
    builder.trace.events.back().site = site;
    // An event that breaks a rule is left out: almost no row of random events would be legal.
    if (is_legal(builder.trace)) continue;
    const bool reads = kind == EventKind::Read || kind == EventKind::AtomicRead;
    if (reads && bytes[i + 1] >= 224) found_from_outside(builder);
    else builder.trace.events.pop_back();
  }
  return builder.trace;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  trace::Trace trace = made_from(std::span(data, size));
  std::erase_if(trace.events,
                [](const Event& e) { return e.kind == EventKind::ExternalWrite; }); // the reader makes them
  if (trace.events.empty()) return 0;
  const std::vector<std::uint8_t> file = trace::write_trace_bytes(trace);
  require(!file.empty());
  survey::Sharing sharing;
  for (trace::Sieve* sieve : std::array<trace::Sieve*, 2>{nullptr, &sharing})
    require_accepted(cross::found_in(file, sieve));
  return 0;
}
