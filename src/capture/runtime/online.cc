// The beginning and the end of an observed program.
#include "capture/runtime/online.h"

#include "capture/runtime/file.h"
#include "capture/runtime/monitored.h"
#include "capture/runtime/online_channel.h"
#include "capture/runtime/online_hook.h"
#include "capture/runtime/online_names.h"
#include "capture/runtime/os.h"

extern char** environ;

namespace sooth::runtime {
namespace {

namespace wire = observe::wire;

const char* environment(const char* name) {
  const std::size_t n = os::length(name);
  for (char** row = environ; row != nullptr && *row != nullptr; ++row) {
    std::size_t i = 0;
    while (i < n && (*row)[i] == name[i]) ++i;
    if (i == n && (*row)[n] == '=') return *row + n + 1;
  }
  return nullptr;
}

} // namespace

bool online_is_wanted() {
  const char* address = environment("SOOTH_OBSERVER");
  return address != nullptr && *address != 0;
}

bool online_start(const char* program) {
  g_online = open_channels(environment("SOOTH_OBSERVER"), environment("SOOTH_TOKEN"), program);
  return g_online;
}

void online_forget() {
  if (!is_online() || is_monitored()) return;
  reset_online_lock();
  forget_channels();
  close_online();
}

void online_finish(trace::EndKind kind, int value) {
  Thread* t = __sooth_thread.thread;
  if (!is_online() || t == nullptr) return;
  Hook hook(t);
  OnlineThread* self = hook.self();
  if (!observer_is_there()) return;
  if (self != nullptr) tell_all_starts(*self);
  // Whatever this thread said before must be counted, and arrive whatever comes next.
  const OnlineCounts& counts = g_online_counts;
  std::uint8_t frame[128];
  wire::Out out{frame + wire::kLengthBytes, frame + sizeof frame};
  out.byte(static_cast<std::uint8_t>(wire::Type::Finish));
  out.number(static_cast<std::uint64_t>(kind));
  out.number(static_cast<std::uint64_t>(static_cast<std::int64_t>(value)));
  out.number(counts.messages);
  out.number(counts.external_writes);
  out.number(counts.horizons);
  out.number(counts.forks);
  out.number(counts.unsupported + g_header->defects[static_cast<unsigned>(Defect::UnsupportedCalls)]);
  out.number(counts.early);
  out.number(counts.late_names);
  wire::put_length(frame, static_cast<std::size_t>(out.at - frame) - wire::kLengthBytes);
  send_frames(kControlChannel, frame, static_cast<std::size_t>(out.at - frame));
  // A failed exec goes on, and finishes once more.
  if (self != nullptr && kind != trace::EndKind::Exec) close_online();
}

} // namespace sooth::runtime
