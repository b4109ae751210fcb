// The form of one event: indices within bounds, sizes and flags that fit its kind. The other
// families rely on it.
#include <cstdint>
#include <limits>
#include <string>

#include <fmt/format.h>

#include "trace/legality/judge.h"

namespace sooth::trace::legality {

namespace {

constexpr bool touches_memory(EventKind kind) { return reads_memory(kind) || writes_memory(kind); }

constexpr bool is_atomic_access(EventKind kind) {
  return kind == EventKind::AtomicRead || kind == EventKind::AtomicWrite || kind == EventKind::AtomicRmw;
}

// Operations that may fail, and those for which the flag's bit means something else.
constexpr bool may_fail(EventKind kind) {
  switch (kind) {
  case EventKind::Acquire:
  case EventKind::AcquireShared:
  case EventKind::Release:
  case EventKind::ReleaseShared:
  case EventKind::LockInit:
  case EventKind::LockDestroy:
  case EventKind::Wake:
  case EventKind::SemWait:
  case EventKind::OnceEnd:
  case EventKind::Fork:
  case EventKind::Join:
  case EventKind::Detach:
  case EventKind::Cancel:
  case EventKind::FutexWait:
  case EventKind::SignalExit: // here it says that the handler changed errno
  case EventKind::AtomicRead: // a failed compare-exchange
  case EventKind::Read:       // here the same bit says that it is glued to the thread's next event
  case EventKind::Write: return true;
  default: return false;
  }
}

constexpr bool beyond_end(std::uint64_t address, std::uint64_t bytes) {
  return bytes > std::numeric_limits<std::uint64_t>::max() - address;
}

std::string fault_of_memory(const Trace& trace, const Event& e) {
  if (e.size == 0) return "touches no bytes";
  if (beyond_end(e.address, e.size)) return "reaches beyond the end of memory";
  const int forms = e.has(kPayload) + e.has(kFill) + e.has(kOpaque);
  if (e.size > 8 && forms != 1) return fmt::format("touches {} bytes, but does not say how they are kept", e.size);
  if (e.size > 8 && e.has(kPayload)) {
    const std::uint64_t copies = e.kind == EventKind::AtomicRmw ? 2 : 1;
    const std::uint64_t bytes = copies * e.size;
    if (e.extra > trace.bytes.size() || bytes > trace.bytes.size() - e.extra)
      return "has its bytes outside of the trace's bytes";
  }
  if (e.kind == EventKind::AtomicRmw && (e.has(kFill) || e.has(kOpaque))) return "is an atomic-rmw without its values";
  if (is_atomic_access(e.kind) && e.order == MemoryOrder::Plain) return "is atomic, but has no memory order";
  if (!is_atomic_access(e.kind) && e.order != MemoryOrder::Plain) return "is not atomic, but has a memory order";
  if (e.has(kMerged) && e.kind != EventKind::Write) return "is merged, but not a plain write";
  return {};
}

std::string fault_of(const Trace& trace, const Event& e) {
  if (kind_name(e.kind).empty()) return fmt::format("has the unknown kind {}", static_cast<unsigned>(e.kind));
  if (e.thread >= trace.threads.size()) return fmt::format("belongs to thread {}, which is not in the trace", e.thread);
  if (e.site != 0 && e.site >= trace.sites.size()) return fmt::format("has the unknown site {}", e.site);
  if (e.order > MemoryOrder::SeqCst)
    return fmt::format("has the unknown memory order {}", static_cast<unsigned>(e.order));
  if (e.has(kFailed) && !may_fail(e.kind)) return fmt::format("failed, which a {} cannot", kind_name(e.kind));
  if (touches_memory(e.kind)) return fault_of_memory(trace, e);
  if (renews_memory(e.kind) && beyond_end(e.address, e.value)) return "reaches beyond the end of memory";
  return {};
}

} // namespace

bool well_formed(Judge& judge, const Event& event) {
  std::string fault = fault_of(judge.trace, event);
  if (fault.empty()) return true;
  judge.object(Rule::WellFormed, [&] { return "This event " + std::move(fault) + "."; });
  return false;
}

} // namespace sooth::trace::legality
