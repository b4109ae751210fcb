// The beginning and the end of an observed program.
#include "capture/runtime/observing/observing.h"

#include "capture/runtime/observing/channel.h"
#include "capture/runtime/observing/hook.h"
#include "capture/runtime/observing/names.h"
#include "capture/runtime/observing/own_pages.h"
#include "capture/runtime/observing/section.h"
#include "capture/runtime/os.h"
#include "capture/runtime/recording/file.h"

namespace sooth::runtime::observing {

namespace wire = observe::wire;

bool is_wanted() {
  const char* address = os::environment("SOOTH_OBSERVER");
  return address != nullptr && *address != 0;
}

bool start(const char* program) {
  if (!open_channels(os::environment("SOOTH_OBSERVER"), os::environment("SOOTH_TOKEN"), program)) return false;
  static constexpr Sink kObserver = {Mode::Observing, access, fill, sync, failed, frames, waits, no_child, finish};
  make_section();
  make_own_pages();
  g_sink = &kObserver;
  return true;
}

void forget() {
  if (!is_observing()) return;
  end_messages();
  reset_section();
  forget_channels();
}

void finish(trace::EndKind kind, int value) {
  Thread* t = __sooth_thread.thread;
  if (t == nullptr) return;
  Hook hook(t);
  ThreadState* self = hook.self();
  if (!observer_is_there()) return;
  if (self != nullptr) {
    hook.alone();
    tell_all_starts(*self);
  }
  // All earlier messages of this thread must be counted, and must arrive in any case.
  std::uint64_t messages = 0;
  for (std::uint32_t i = 0; i < g_thread_count; ++i)
    if (const ThreadState* thread = find_thread(i)) messages += thread->sent;
  const Counts& counts = g_counts;
  std::uint8_t frame[128];
  wire::Out out{frame + wire::kLengthBytes, frame + sizeof frame};
  out.byte(static_cast<std::uint8_t>(wire::Type::Finish));
  out.number(static_cast<std::uint64_t>(kind));
  out.number(static_cast<std::uint64_t>(static_cast<std::int64_t>(value)));
  out.number(messages);
  out.number(counts.external_writes);
  out.number(counts.horizons);
  out.number(counts.forks);
  out.number(counts.unsupported + g_header->defects[static_cast<unsigned>(Defect::UnsupportedCalls)]);
  out.number(counts.early);
  out.number(counts.late_names);
  out.number(counts.handed_over);
  wire::put_length(frame, static_cast<std::size_t>(out.at - frame) - wire::kLengthBytes);
  send_frames(kControlChannel, frame, static_cast<std::size_t>(out.at - frame));
  // A failed exec goes on, and finishes once more.
  if (self != nullptr && kind != trace::EndKind::Exec) end_messages();
}

} // namespace sooth::runtime::observing
