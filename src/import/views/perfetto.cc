// A Trace to Perfetto's format: trace_packet.proto and track_event/*.proto of that project.
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include "import/views/event_words.h"
#include "import/views/protobuf.h"
#include "import/views/views.h"
#include "trace/effects.h"

namespace sooth::import {

namespace {

using trace::Event;
using trace::EventKind;
using trace::Trace;

// Numbers of fields, as the .proto files have them.
namespace field {
constexpr std::uint32_t kPacket = 1; // Trace
constexpr std::uint32_t kTimestamp = 8, kSequence = 10, kTrackEvent = 11, kSequenceFlags = 13,
                        kTrackDescriptor = 60;                                             // TracePacket
constexpr std::uint32_t kUuid = 1, kTrackName = 2, kProcess = 3, kThread = 4, kParent = 5; // TrackDescriptor
constexpr std::uint32_t kPid = 1, kProcessName = 6, kTid = 2, kThreadName = 5; // ProcessDescriptor, ThreadDescriptor
constexpr std::uint32_t kAnnotation = 4, kType = 9, kTrack = 11, kCategory = 22, kName = 23, kSource = 33, kFlow = 47,
                        kLastOfFlow = 48;                                      // TrackEvent
constexpr std::uint32_t kAnnotationNumber = 3, kAnnotationName = 10;           // DebugAnnotation
constexpr std::uint32_t kSourceFile = 2, kSourceFunction = 3, kSourceLine = 4; // SourceLocation
} // namespace field

enum Type : std::uint64_t { kSliceBegin = 1, kSliceEnd = 2, kInstant = 3 };

constexpr std::uint64_t kProcessUuid = 1, kFirstThreadUuid = 2;
constexpr std::uint64_t kNanosecondsPerEvent = 1000;
constexpr std::uint64_t kPidOfTrace = 1; // the recording has none for threads; Perfetto wants one

class PerfettoWriter {
public:
  PerfettoWriter(const Trace& trace, std::ostream& out)
      : trace_(trace), out_(out), names_(trace), calls_(trace.threads.size()),
        next_uuid_(kFirstThreadUuid + trace.threads.size()) {}

  Exported write() {
    describe_tracks();
    for (std::size_t i = 0; i < trace_.events.size(); ++i) {
      const Event& e = trace_.events[i];
      names_.follow(e);
      now_ = (i + 1) * kNanosecondsPerEvent;
      if (e.thread < trace_.threads.size()) event(e, i);
      else ++result_.left_out[std::string(trace::kind_name(e.kind))];
    }
    now_ += kNanosecondsPerEvent;
    for (std::uint32_t thread = 0; thread < calls_.size(); ++thread) end_calls(thread, 0);
    for (const auto& [key, depth] : holds_)
      if (depth > 0) slice_end(locks_[key]);
    return std::move(result_);
  }

private:
  using Hold = std::pair<std::uint32_t, std::uint64_t>; // thread, lock

  std::uint64_t track_of(std::uint32_t thread) const { return kFirstThreadUuid + thread; }

  void put(Message packet) {
    packet.number(field::kSequence, 1);
    if (std::exchange(first_, false)) packet.number(field::kSequenceFlags, 1); // the state begins here
    Message file;
    file.message(field::kPacket, packet);
    out_ << file.bytes();
    ++result_.lines;
  }
  void put_descriptor(const Message& descriptor) {
    Message packet;
    packet.message(field::kTrackDescriptor, descriptor);
    put(std::move(packet));
  }

  void describe_tracks() {
    Message process, inner;
    inner.number(field::kPid, kPidOfTrace);
    inner.text(field::kProcessName, trace_.process.program);
    process.number(field::kUuid, kProcessUuid);
    process.message(field::kProcess, inner);
    put_descriptor(process);
    for (std::uint32_t thread = 0; thread < trace_.threads.size(); ++thread) {
      Message track, own;
      own.number(field::kPid, kPidOfTrace);
      own.number(field::kTid, thread + 1);
      own.text(field::kThreadName, host_name(trace_, thread));
      track.number(field::kUuid, track_of(thread));
      track.number(field::kParent, kProcessUuid);
      track.message(field::kThread, own);
      put_descriptor(track);
    }
  }

  std::uint64_t lock_track(std::uint32_t thread, std::uint64_t lock) {
    const auto [it, fresh] = locks_.try_emplace(Hold(thread, lock), next_uuid_);
    if (!fresh) return it->second;
    ++next_uuid_;
    Message track;
    track.number(field::kUuid, it->second);
    track.text(field::kTrackName, "holds " + lock_name(lock));
    track.number(field::kParent, track_of(thread));
    put_descriptor(track);
    return it->second;
  }
  std::string lock_name(std::uint64_t lock) const {
    const std::string name = names_.name(lock);
    return name.empty() ? fmt::format("{:#x}", lock) : name;
  }

  Message track_event(Type type, std::uint64_t track) const {
    Message out;
    out.number(field::kType, type);
    out.number(field::kTrack, track);
    return out;
  }
  void put_event(const Message& event) {
    Message packet;
    packet.number(field::kTimestamp, now_);
    packet.message(field::kTrackEvent, event);
    put(std::move(packet));
  }
  void slice_begin(std::uint64_t track, const std::string& name, std::string_view category) {
    Message out = track_event(kSliceBegin, track);
    out.text(field::kName, name);
    out.text(field::kCategory, category);
    put_event(out);
  }
  void slice_end(std::uint64_t track) { put_event(track_event(kSliceEnd, track)); }

  void event(const Event& e, std::size_t index) {
    if (e.kind == EventKind::Enter) {
      const std::string function = e.site < trace_.sites.size() ? trace_.sites[e.site].function : "";
      slice_begin(track_of(e.thread), function.empty() ? "?" : function, "call");
      ++calls_[e.thread];
      return;
    }
    if (e.kind == EventKind::Exit) return end_calls(e.thread, e.value);
    instant(e, index);
    for_lock_move(
        e, [&](const trace::Affected& lock) { take(e.thread, lock.address); },
        [&](const trace::Affected& lock) { give(e.thread, lock.address, lock.whole); });
  }

  void end_calls(std::uint32_t thread, std::uint64_t remain) {
    for (; calls_[thread] > remain; --calls_[thread]) slice_end(track_of(thread));
  }
  void take(std::uint32_t thread, std::uint64_t lock) {
    const std::uint64_t track = lock_track(thread, lock);
    if (holds_[{thread, lock}]++ == 0) slice_begin(track, lock_name(lock), "lock");
  }
  void give(std::uint32_t thread, std::uint64_t lock, bool whole) {
    const auto hold = holds_.find({thread, lock});
    if (hold == holds_.end() || hold->second == 0) return;
    hold->second = whole ? 0 : hold->second - 1;
    if (hold->second == 0) slice_end(locks_[{thread, lock}]);
  }

  void instant(const Event& e, std::size_t index) {
    Message out = track_event(kInstant, track_of(e.thread));
    const std::string target = target_name(trace_, e, names_);
    out.text(field::kName, fmt::format("{}{}{}", trace::kind_name(e.kind), target.empty() ? "" : " ", target));
    out.text(field::kCategory, trace::reads_memory(e.kind) || trace::writes_memory(e.kind) ? "memory" : "order");
    annotate(out, "event", index);
    if (e.size != 0) annotate(out, "value", e.value);
    if (e.site != 0 && e.site < trace_.sites.size() && trace_.sites[e.site].line != 0) add_source(out, e.site);
    add_flows(out, e);
    put_event(out);
  }
  static void annotate(Message& event, std::string_view name, std::uint64_t value) {
    Message out;
    out.text(field::kAnnotationName, name);
    out.number(field::kAnnotationNumber, value);
    event.message(field::kAnnotation, out);
  }
  void add_source(Message& event, std::uint32_t site) const {
    Message out;
    out.text(field::kSourceFile, trace_.sites[site].file);
    out.text(field::kSourceFunction, trace_.sites[site].function);
    out.number(field::kSourceLine, trace_.sites[site].line);
    event.message(field::kSource, out);
  }

  // From each event that gives an object to the next one that takes it.
  void add_flows(Message& event, const Event& e) {
    struct Flows : trace::EffectVisitor {
      PerfettoWriter& all;
      Message& event;
      Flows(PerfettoWriter& a, Message& m) : all(a), event(m) {}
      void takes(const trace::Affected& object) {
        const auto it = all.flows_.find(object.address);
        if (it == all.flows_.end()) return;
        event.fixed64(field::kLastOfFlow, it->second);
        all.flows_.erase(it);
      }
      void gives(const trace::Affected& object) {
        if (!trace::is_primitive(object.kind)) return;
        all.flows_[object.address] = ++all.last_flow_;
        event.fixed64(field::kFlow, all.last_flow_);
      }
    };
    for_each_effect(e, Flows(*this, event));
  }

  const Trace& trace_;
  std::ostream& out_;
  trace::AddressNames names_;
  std::vector<std::uint64_t> calls_;                        // by thread: how many are open
  std::map<Hold, std::uint64_t> locks_;                     // their tracks
  std::map<Hold, std::uint64_t> holds_;                     // how often
  absl::flat_hash_map<std::uint64_t, std::uint64_t> flows_; // by object: the newest that nobody took
  std::uint64_t last_flow_ = 0;
  std::uint64_t next_uuid_;
  std::uint64_t now_ = 0;
  bool first_ = true;
  Exported result_;
};

} // namespace

Exported write_perfetto(const Trace& trace, std::ostream& out) { return PerfettoWriter(trace, out).write(); }

} // namespace sooth::import
