#include "predict/memory/crashes.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>

#include <cxxabi.h>

#include <fmt/format.h>

#include "trace/kind_groups.h"

namespace sooth::predict {
namespace {

using trace::Event;
using trace::EventKind;
using trace::Trace;
using witness::Finding;
using witness::FindingKind;
using witness::Role;

constexpr std::size_t kAccessesShown = 8; // of the thread's last ones, that may explain a crash

std::string demangled(const std::string& name) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status),
                                                         &std::free);
  return status == 0 && text ? std::string(text.get()) : name;
}

// "std::terminate was called exception=St13runtime_error"
std::string with_exception_named(const std::string& words) {
  constexpr std::string_view kSign = " exception=";
  const std::size_t sign = words.find(kSign);
  if (sign == std::string::npos) return words;
  return fmt::format("{}, with an exception of type `{}`", words.substr(0, sign),
                     demangled(words.substr(sign + kSign.size())));
}

std::string signal_text(int number) {
  const char* name = strsignal(number);
  return fmt::format("signal {} ({})", number, name != nullptr ? name : "unknown");
}

std::string note_of(const Trace& trace, const Event& crash) {
  const auto words = static_cast<std::size_t>(crash.value >> 32);
  const int number = static_cast<int>(crash.value & 0xffffffff);
  std::string out;
  if (words != 0 && words < trace.strings.size()) out = with_exception_named(trace.strings[words]) + "; ";
  out += signal_text(number);
  if (crash.has(trace::kFill)) out += fmt::format(" at address {:#x}", crash.address);
  return out + ".";
}

std::uint32_t crash_of(const Finding& finding) { return finding.places.front().event; }

// The thread's accesses before the crash, the newest first, back to its last synchronisation.
std::vector<std::uint32_t> last_accesses(const Trace& trace, std::uint32_t crash) {
  std::vector<std::uint32_t> out;
  for (std::uint32_t i = crash; i-- > 0 && out.size() < kAccessesShown;) {
    const Event& e = trace.events[i];
    if (e.thread == trace.events[crash].thread && trace::is_access(e.kind) && e.kind != EventKind::ExternalWrite)
      out.push_back(i);
  }
  return out;
}

// The object that the fault's address was in, if its life had ended by then.
std::string freed_text(const Trace& trace, const Event& crash, std::uint32_t index) {
  if (!crash.has(trace::kFill)) return {};
  for (std::uint32_t i = index; i-- > 0;) {
    const Event& e = trace.events[i];
    const bool begins = begins_object(e.kind);
    if (!begins_or_ends_object(e.kind) || crash.address - e.address >= e.value) continue;
    if (begins) return {};
    return fmt::format(" The address is in memory that thread {} {} before (event {}).", e.thread,
                       e.kind == EventKind::Unmap ? "unmapped" : "freed", i);
  }
  return {};
}

bool explains(FindingKind kind) {
  return kind == FindingKind::Race || kind == FindingKind::UseAfterFree || kind == FindingKind::DoubleFree;
}

// A finding about one of these accesses, or another instance of the same instruction on the same
// bytes.
std::string finding_text(const Trace& trace, const std::vector<Finding>& findings,
                         const std::vector<std::uint32_t>& accesses) {
  for (const std::uint32_t access : accesses)
    for (const Finding& finding : findings) {
      if (!explains(finding.kind)) continue;
      for (const witness::Place& place : finding.places) {
        const Event& a = trace.events[access];
        const Event& b = trace.events[place.event];
        const bool same = place.event == access || (a.site != 0 && a.site == b.site && a.address == b.address);
        if (!same) continue;
        const trace::Site& site = trace.sites[a.site];
        return fmt::format(" What was accessed before it at {}:{} is part of a {} that is reported, too.", site.file,
                           site.line,
                           finding.kind == FindingKind::Race           ? "race"
                           : finding.kind == FindingKind::UseAfterFree ? "use after free"
                                                                       : "double free");
      }
    }
  return {};
}

} // namespace

std::vector<Finding> find_crashes(const Trace& trace) {
  std::vector<Finding> out;
  if (trace.process.end != trace::EndKind::Signal) return out; // forged, or cut before its end was written
  for (auto i = static_cast<std::uint32_t>(trace.events.size()); i-- > 0;) {
    const Event& e = trace.events[i];
    if (e.kind != EventKind::Crash) continue;
    Finding finding;
    finding.kind = FindingKind::Crash;
    finding.status = witness::Status::Observed;
    finding.engine = "recorded-run";
    finding.places = {{i, Role::End}};
    finding.witness.observed = i + 1;
    finding.note = note_of(trace, e);
    out.push_back(std::move(finding));
    break; // of several threads that die at once, the last one has the process with it
  }
  return out;
}

void explain_crashes(const Trace& trace, std::vector<Finding>& findings) {
  for (Finding& finding : findings) {
    if (finding.kind != FindingKind::Crash) continue;
    const std::uint32_t crash = crash_of(finding);
    finding.note += freed_text(trace, trace.events[crash], crash);
    finding.note += finding_text(trace, findings, last_accesses(trace, crash));
  }
}

} // namespace sooth::predict
