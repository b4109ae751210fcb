#include "predict/misuse/thread_leaks.h"

#include <map>
#include <utility>

#include "trace/lost.h"

namespace sooth::predict {
namespace {

using trace::Event;
using trace::EventKind;
using witness::Finding;
using witness::Role;

constexpr std::uint32_t kNotSeen = 0xffffffff;

struct Known {
  std::uint32_t created = kNotSeen, ended = kNotSeen; // events
  bool kept = false;                                  // somebody joined or detached it
};

std::vector<Known> threads_of(const trace::Trace& trace) {
  std::vector<Known> out(trace.threads.size());
  for (std::uint32_t i = 0; i < trace.events.size(); ++i) {
    const Event& e = trace.events[i];
    if (e.kind == EventKind::ThreadEnd) out[e.thread].ended = i;
    if (e.has(trace::kFailed) || e.value >= out.size()) continue;
    if (e.kind == EventKind::Fork) out[e.value].created = i;
    if (e.kind == EventKind::Join || e.kind == EventKind::Detach) out[e.value].kept = true;
  }
  return out;
}

} // namespace

std::vector<Finding> find_thread_leaks(const trace::Trace& trace, Coverage& coverage) {
  if (trace.process.end != trace::EndKind::Exit || lost_events(trace) != 0 || ends_early(trace)) return {};
  if (trace.is_piece) {
    coverage.undecided_because("threads that nobody joined: that needs the whole trace at once (--memory)");
    return {};
  }
  std::vector<Finding> findings;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> told; // by site, or by event where there is none
  for (const Known& thread : threads_of(trace)) {
    if (thread.kept || thread.created == kNotSeen || thread.ended == kNotSeen) continue;
    const std::uint32_t site = trace.events[thread.created].site;
    const auto [it, fresh] = told.try_emplace({site, site == 0 ? thread.created : 0}, findings.size());
    if (!fresh) {
      ++findings[it->second].count;
      continue;
    }
    Finding finding;
    finding.kind = witness::FindingKind::ThreadLeak;
    finding.status = witness::Status::Observed;
    finding.engine = "recorded-run";
    finding.places = {{thread.created, Role::Use}, {thread.ended, Role::Step}};
    finding.witness.observed = trace.events.size();
    finding.note = "The thread has ended, and nobody joined or detached it: libc keeps its stack.";
    findings.push_back(std::move(finding));
  }
  return findings;
}

} // namespace sooth::predict
