// Each read returns the last write, byte by byte: accesses of different sizes overlap.
//
// A byte that no event has written yet is unknown, and is defined by its first read. Fresh memory,
// a freed block (the allocator keeps its own data there) and opaque writes make bytes unknown
// again. External writes are writes.
#include <array>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>

#include <fmt/format.h>

#include "trace/legality/judge.h"
#include "trace/legality/shadow_memory.h"

namespace sooth::trace::legality {

namespace {

class Values final : public Family {
public:
  explicit Values(Judge& judge) : Family(judge), skip_((judge.trace.flags & kNoValues) != 0) {
    if (skip_) judge.remark("This trace has no values (it was imported), so reads were not judged.");
  }

  std::unique_ptr<Family> copy() const override { return std::make_unique<Values>(*this); }
  bool wants(EventKind kind) const override { return reads_memory(kind) || writes_memory(kind) || renews_memory(kind); }

  void step(const Event& e) override {
    if (e.kind == EventKind::ExternalWrite) ++judge_.report.external_writes;
    if (skip_) return;
    if (renews_memory(e.kind)) return renew(e);
    if (reads_memory(e.kind)) check_read(e);
    if (writes_memory(e.kind)) apply_write(e);
  }

  void finish() override { judge_.report.compared_bytes = memory_.compared_bytes(); }

private:
  // The bytes of an event that are not filled or opaque; `small` holds those that travel in a
  // number.
  struct Bytes {
    const std::uint8_t* data;
    std::array<std::uint8_t, 8> small;
  };
  const std::uint8_t* bytes_of(const Event& e, std::uint64_t number, std::uint64_t skip, Bytes& out) const {
    if (e.size > 8) return judge_.trace.bytes.data() + e.extra + skip;
    for (unsigned i = 0; i < 8; ++i) out.small[i] = static_cast<std::uint8_t>(number >> (8 * i));
    return out.small.data();
  }

  void renew(const Event& e) {
    const bool begins = e.kind == EventKind::Alloc || e.kind == EventKind::Map || e.kind == EventKind::StackBegin;
    if (begins && e.has(kFill)) memory_.fill(e.address, e.value, 0);
    else memory_.forget(e.address, e.value);
  }

  void check_read(const Event& e) {
    if (e.has(kOpaque)) return;
    std::optional<ShadowMemory::Difference> difference;
    if (e.has(kFill)) {
      difference = memory_.read_fill(e.address, e.size, static_cast<std::uint8_t>(e.value));
    } else {
      Bytes room;
      const std::uint64_t number = e.kind == EventKind::AtomicRmw ? e.extra : e.value;
      difference = memory_.read(e.address, bytes_of(e, number, 0, room), e.size);
    }
    if (difference) judge_.object(Rule::ReadValue, [&] { return sentence(e, *difference); });
  }

  void apply_write(const Event& e) {
    if (e.has(kOpaque)) return memory_.forget(e.address, e.size);
    if (e.has(kFill)) return memory_.fill(e.address, e.size, static_cast<std::uint8_t>(e.value));
    Bytes room;
    memory_.write(e.address, bytes_of(e, e.value, e.kind == EventKind::AtomicRmw ? e.size : 0, room), e.size);
  }

  std::string sentence(const Event& e, const ShadowMemory::Difference& d) const {
    std::string out =
        fmt::format("The {} of {} byte{} at {} by {} saw {:#04x}", kind_name(e.kind), e.size, e.size == 1 ? "" : "s",
                    judge_.name_of(e.address), judge_.thread_name(e.thread), d.seen);
    if (d.address != e.address) out += fmt::format(" at {:#x}", d.address);
    out += fmt::format(", but the byte there was {:#04x}", d.held);
    return out + origin(d.address) + ".";
  }

  // The event that gave the byte its value. Looked for only when a problem is shown.
  std::string origin(std::uint64_t address) const {
    for (std::size_t i = judge_.index; i-- > 0;) {
      const Event& e = judge_.trace.events[i];
      const std::uint64_t bytes = renews_memory(e.kind) ? e.value : e.size;
      const bool touches = renews_memory(e.kind) || writes_memory(e.kind) || reads_memory(e.kind);
      if (!touches || address < e.address || address - e.address >= bytes) continue;
      return fmt::format(" since event {}, a {} by {}", i, kind_name(e.kind), judge_.thread_name(e.thread));
    }
    return {};
  }

  const bool skip_;
  ShadowMemory memory_;
};

} // namespace

std::unique_ptr<Family> make_values(Judge& judge) { return std::make_unique<Values>(judge); }

} // namespace sooth::trace::legality
