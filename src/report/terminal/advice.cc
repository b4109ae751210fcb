#include "report/terminal/advice.h"

#include <algorithm>
#include <optional>
#include <set>
#include <vector>

#include <fmt/format.h>

#include "report/between/processes.h"
#include "report/phrases.h"

namespace sooth::report {

using witness::FindingKind;
using witness::Role;
using witness::Status;

namespace {

std::string line_of(const Spot& spot) {
  return spot.line == 0 ? std::string("its place") : fmt::format("{}:{}", spot.file, spot.line);
}

const HeldLock* common_lock(const PlaceText& a, const PlaceText& b) {
  for (const HeldLock& mine : a.locks)
    for (const HeldLock& other : b.locks)
      if (mine.address == other.address) return &mine;
  return nullptr;
}

std::string names_of(const std::vector<HeldLock>& locks) {
  std::string out;
  for (const HeldLock& lock : locks) out += fmt::format("{}`{}`", out.empty() ? "" : ", ", lock.name);
  return out;
}

// The races of one flag: the writer publishes what it did before, without saying so.
//   x = 1; flag.store(1, relaxed)   |   if (flag.load(...)) use(x)
struct Publication {
  Spot write, read;
  std::string variable;
};
std::optional<Publication> publication(const Report& report, const FindingText& finding) {
  const std::uint32_t writer = finding.places[0].step.thread, reader = finding.places[1].step.thread;
  for (std::size_t i = 0; i < finding.recorded.size(); ++i) {
    const StepText& write = step_of(report, finding.recorded[i].event);
    const bool writes = write.kind == "atomic-write" || write.kind == "atomic-rmw";
    if (!writes || write.thread != writer) continue;
    for (std::size_t k = i + 1; k < finding.recorded.size(); ++k) {
      const StepText& read = step_of(report, finding.recorded[k].event);
      const bool reads = read.kind == "atomic-read" || read.kind == "atomic-rmw";
      if (reads && read.thread == reader && read.address == write.address &&
          (write.order == "relaxed" || read.order == "relaxed"))
        return Publication{write.spot, read.spot, write.variable};
    }
  }
  return std::nullopt;
}

bool is_init(std::string_view kind) { return kind == "lock-init" || kind == "sem-init" || kind == "barrier-init"; }

std::string advice_for_race(const Report& report, const FindingText& finding) {
  if (finding.places.size() != 2) return {};
  const PlaceText &a = finding.places[0], &b = finding.places[1];
  if (a.step.kind == "fd-close" || b.step.kind == "fd-close")
    return "Close it when no thread uses it any more: join the thread first, or let it close the file itself.";
  if (a.step.thread == b.step.thread)
    return "Make it `volatile sig_atomic_t` or a lock-free atomic, or block the signal around the thread's access.";
  if (is_init(a.step.kind) || is_init(b.step.kind)) return "Initialise it before the threads that use it are created.";
  if (const auto flag = publication(report, finding))
    return fmt::format("Publish with release: store `{}` at {} with memory_order_release, and load it at {} with "
                       "memory_order_acquire.",
                       flag->variable, line_of(flag->write), line_of(flag->read));
  if (a.order.empty() != b.order.empty())
    return fmt::format("Only one of the two accesses is atomic: make that at {} atomic, too.",
                       line_of((a.order.empty() ? a : b).step.spot));
  if (!a.order.empty()) return {};
  const HeldLock* common = common_lock(a, b);
  if (common != nullptr)
    return fmt::format("Both hold `{}`, but shared: take it exclusively where `{}` is written.", common->name,
                       a.step.variable);
  if (a.locks.empty() && b.locks.empty())
    return "No lock protects it: hold one mutex at both places, or make the variable atomic.";
  if (!a.locks.empty() && !b.locks.empty())
    return fmt::format("They hold different locks ({} and {}): hold the same one at both places.", names_of(a.locks),
                       names_of(b.locks));
  const PlaceText &locked = a.locks.empty() ? b : a, &open = a.locks.empty() ? a : b;
  return fmt::format("Hold {} at {}, too, as {} does at {}.", names_of(locked.locks), line_of(open.step.spot),
                     thread_phrase(finding, locked.step.thread), line_of(locked.step.spot));
}

bool asks_for_lock(const PlaceText& place) {
  return place.role == Role::Request && (place.step.kind == "acquire" || place.step.kind == "acquire-shared");
}

// A thread waits for a signal that nobody gives.
std::string advice_for_wait(const Report& report, const FindingText& finding, const PlaceText& wait) {
  const StepText* last = nullptr;
  for (const StoryStep& told : finding.recorded)
    if (const StepText& step = step_of(report, told.event);
        (step.kind == "signal" || step.kind == "broadcast") && step.address == wait.step.address)
      last = &step;
  return fmt::format("`{}` was {}. Signal it after every change that a thread may wait for, and with notify_all if "
                     "several may wait.",
                     wait.step.variable,
                     last == nullptr ? "not signalled" : "signalled at " + line_of(last->spot) + " for the last time");
}

std::string advice_for_deadlock(const Report& report, const FindingText& finding) {
  for (const PlaceText& place : finding.places)
    if (finding.status == Status::Observed && place.role == Role::Request &&
        (place.step.kind == "wait" || place.step.kind == "wake"))
      return advice_for_wait(report, finding, place);
  std::set<std::uint64_t> locks;
  std::vector<std::string> names;
  bool only_locks = true;
  for (const PlaceText& place : finding.places) {
    if (place.role != Role::Request) continue;
    only_locks = only_locks && asks_for_lock(place);
    if (locks.insert(place.step.address).second) names.push_back("`" + place.step.variable + "`");
  }
  if (!only_locks || names.size() < 2) return {};
  return fmt::format("Take {} in the same order everywhere, or all at once with std::scoped_lock.",
                     fmt::join(names, " and "));
}

std::string advice_for_lost_wakeup(const FindingText& finding) {
  const PlaceText *wait = nullptr, *signal = nullptr;
  for (const PlaceText& place : finding.places) {
    if (place.role == Role::Wait) wait = &place;
    if (place.role == Role::Signal) signal = &place;
  }
  const std::string rule = "Wait in a loop on a condition that changes under the same mutex";
  if (wait == nullptr || signal == nullptr || wait->locks.empty()) return rule + " before the signal.";
  return fmt::format("{} (`{}`) before the signal at {}, and stays so until the thread has seen it.", rule,
                     wait->locks.back().name, line_of(signal->step.spot));
}

std::string advice_for_free(const FindingText& finding) {
  const auto free = std::ranges::find(finding.places, Role::Free, &PlaceText::role);
  const auto use = std::ranges::find_if(finding.places, [&](const PlaceText& place) {
    return place.role != Role::Free && (free == finding.places.end() || place.step.thread != free->step.thread);
  });
  if (free == finding.places.end() || use == finding.places.end()) return {};
  return fmt::format("Let {} be done with it before {} ends its life: join the thread, or share the ownership.",
                     thread_phrase(finding, use->step.thread), thread_phrase(finding, free->step.thread));
}

std::string reason_for_race(const FindingText& finding) {
  if (finding.places.size() != 2) return {};
  const bool locked = common_lock(finding.places[0], finding.places[1]) != nullptr;
  const std::string_view locks = locked ? "no lock excludes the other thread" : "no lock is held at both places";
  if (finding.status == Status::Observed)
    return fmt::format("In the recorded run nothing orders these two accesses: {}, and no synchronisation leads from "
                       "one to the other.",
                       locks);
  return fmt::format("Only the timing of the recorded run kept them apart: {}, and another run has both at the same "
                     "time.",
                     locks);
}

} // namespace

std::string reason_for(const FindingText& finding) {
  switch (finding.kind) {
  case FindingKind::Race: return reason_for_race(finding);
  case FindingKind::Deadlock:
    if (finding.status != Status::Observed)
      return "Another run reaches this point, where each of these threads waits for another one.";
    return finding.note.empty() ? "Each of these threads waits for something that only another one of them could give."
                                : ""; // the note says why
  case FindingKind::LostWakeup:
    return finding.status == Status::Observed ? "The signal came before the wait, and nothing else ends the wait."
                                              : "In another run the signal comes before the wait, and is lost.";
  case FindingKind::Assertion: return "Another run comes to this check while memory holds other values.";
  default: return {};
  }
}

std::string advice_for(const Report& report, const FindingText& finding) {
  switch (finding.kind) {
  case FindingKind::Race: return advice_for_race(report, finding);
  case FindingKind::Deadlock: return advice_for_deadlock(report, finding);
  case FindingKind::LostWakeup: return advice_for_lost_wakeup(finding);
  case FindingKind::Atomicity: return "Hold one lock for the whole block, at all places that use the same data.";
  case FindingKind::Assertion:
    return "Keep a lock until what is asserted holds again, and assert it under this lock; or wait until it holds.";
  case FindingKind::UseAfterFree:
  case FindingKind::DoubleFree: return advice_for_free(finding);
  case FindingKind::ThreadLeak: return "Join the thread, or detach it.";
  case FindingKind::SignalUnsafe:
    return "Only set a flag (volatile sig_atomic_t, or a lock-free atomic), post a semaphore or write to a pipe in the "
           "handler, and do the rest elsewhere; or wait for the signal with sigwait.";
  case FindingKind::SignalErrno: return "Save errno where the handler begins, and restore it where it ends.";
  default: return {};
  }
}

std::string replay_command(const Report& report, const FindingText& finding) {
  if (finding.status != Status::Predicted || !finding.diverged.empty() || is_of_child(report, finding)) return {};
  std::string out = report.replay;
  if (const std::size_t at = out.find("{}"); at != std::string::npos) out.replace(at, 2, std::to_string(finding.id));
  return out;
}

} // namespace sooth::report
