#include "cli/replaying/replaying.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fstream>
#include <functional>
#include <sstream>
#include <utility>

#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include "cli/replaying/stepping.h"
#include "cli/sleeping.h"
#include "cli/temporary_folder.h"
#include "trace/program/program.h"
#include "trace/trace.h"

namespace sooth::cli {

using replay::Goal;
using replay::Reason;
using replay::ScheduleHeader;
using replay::Script;
using replay::State;

namespace {

constexpr int kReplayLook = 5;  // ms between two looks
constexpr int kStepLook = 1;    // the same while events are shown
constexpr double kStands = 0.5; // seconds without an event, asleep: the program stands still
constexpr double kReplayPatience =
    6; // a step may take so many times the watchdog's time, while the thread makes events

// The schedule, mapped into this process and into the program.
class SharedSchedule {
public:
  SharedSchedule(const std::string& path, const std::vector<std::uint8_t>& bytes) : bytes_(bytes.size()) {
    const int file = open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0) return;
    if (write(file, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size())) {
      void* mapped = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
      if (mapped != MAP_FAILED) header_ = static_cast<ScheduleHeader*>(mapped);
    }
    close(file);
  }
  ~SharedSchedule() {
    if (header_ != nullptr) munmap(header_, bytes_);
  }
  SharedSchedule(const SharedSchedule&) = delete;
  SharedSchedule& operator=(const SharedSchedule&) = delete;

  bool ok() const { return header_ != nullptr; }
  ScheduleHeader& operator*() const { return *header_; }
  ScheduleHeader* operator->() const { return header_; }

  State state() const { return replay::state_of(*header_); }
  // Ends the replay from outside, if it is not over.
  void end(State state, Reason reason) {
    replay::end_replay(*header_, state, reason);
    syscall(SYS_futex, &header_->cursor, FUTEX_WAKE, 0x7fffffff, nullptr, nullptr, 0);
  }

private:
  std::size_t bytes_;
  ScheduleHeader* header_ = nullptr;
};

// Looks after the program while it runs: the watchdog.
class Watchdog {
public:
  Watchdog(SharedSchedule& schedule, const ReplayOptions& options, Goal goal, Stepping* stepping)
      : schedule_(schedule), options_(options), goal_(goal), stepping_(stepping) {}

  void operator()(pid_t program) {
    const int handle = static_cast<int>(syscall(SYS_pidfd_open, program, 0));
    if (handle < 0) return;
    pollfd wanted = {handle, POLLIN, 0};
    while (poll(&wanted, 1, stepping_ != nullptr ? kStepLook : kReplayLook) == 0)
      if (is_to_end(program)) {
        was_ended_ = true;
        kill(program, SIGKILL);
        break;
      }
    close(handle);
  }
  bool was_ended() const { return was_ended_; }

private:
  using Clock = std::chrono::steady_clock;

  static double seconds_since(Clock::time_point begin) {
    return std::chrono::duration<double>(Clock::now() - begin).count();
  }
  void note_life() {
    since_ = Clock::now();
    was_asked_ = false;
  }
  bool is_to_end(pid_t program) {
    if (stepping_ != nullptr && stepping_->look()) {
      note_life();
      step_since_ = since_;
    }
    if (options_.most > 0 && seconds_since(begin_) > options_.most) {
      schedule_.end(State::Diverged, Reason::TimeUp);
      return true;
    }
    if (const std::uint32_t now = __atomic_load_n(&schedule_->cursor, __ATOMIC_RELAXED); now != step_) {
      step_ = now;
      step_since_ = Clock::now();
    }
    const State state = schedule_.state();
    if (state == State::Running && seconds_since(step_since_) > kReplayPatience * options_.watchdog)
      schedule_.end(State::Diverged, Reason::Blocked);
    const std::uint64_t progress = __atomic_load_n(&schedule_->progress, __ATOMIC_RELAXED);
    if (std::exchange(progress_, progress) != progress || std::exchange(before_, state) != state) {
      note_life();
      return false;
    }
    const double quiet = seconds_since(since_);
    if (state != State::Running) return is_over(program, quiet, state);
    if (quiet > kStands && stands_still(program)) schedule_.end(State::Confirmed, Reason::None);
    else if (!lives_quietly(program, quiet)) schedule_.end(State::Diverged, Reason::Blocked);
    return false;
  }
  // Nothing has happened for a while, and that is no reason to give up: not for long enough, or the
  // program computes. A thread whose next step is no access comes to no hook then.
  bool lives_quietly(pid_t program, double quiet) {
    if (quiet > options_.watchdog / 2 && !std::exchange(was_asked_, true)) computes(program);
    if (quiet <= options_.watchdog) return true;
    if (!computes(program)) return false;
    note_life();
    return true;
  }
  // It has used the processor since the last time that this was asked.
  bool computes(pid_t program) {
    constexpr double kSome = 0.02; // waiting takes next to nothing
    const double used = processor_seconds(program), before = std::exchange(used_, used);
    return used > before + kSome;
  }
  // The schedule is made, and every thread waits for another one.
  bool stands_still(pid_t program) const {
    const bool made = __atomic_load_n(&schedule_->cursor, __ATOMIC_ACQUIRE) >= schedule_->steps;
    const bool closes = __atomic_load_n(&schedule_->closing, __ATOMIC_ACQUIRE) != 0;
    return (closes || (goal_ == Goal::Waiting && made)) && all_sleep(program);
  }
  // What has happened has happened: a deadlock does not go on, and a program that was let go gets
  // its time once more.
  bool is_over(pid_t program, double quiet, State state) const {
    if (options_.gdb) return false;
    if (state == State::Confirmed && options_.then == replay::Then::Stop) return quiet > kStands;
    return quiet > options_.watchdog || (quiet > kStands && all_sleep(program));
  }

  SharedSchedule& schedule_;
  const ReplayOptions& options_;
  Goal goal_;
  Stepping* stepping_; // may be null
  const Clock::time_point begin_ = Clock::now();
  Clock::time_point since_ = begin_, step_since_ = begin_; // the last sign of life, and the last step
  std::uint64_t progress_ = 0;
  std::uint32_t step_ = 0;
  State before_ = State::Running;
  double used_ = 0;        // of the processor, when it was asked last
  bool was_asked_ = false; // in this quiet time
  bool was_ended_ = false;
};

std::vector<std::string> words_of(const std::string& line) {
  std::vector<std::string> out;
  std::istringstream in(line);
  for (std::string word; std::getline(in, word, '\t');) out.push_back(word);
  return out;
}

std::uint64_t number(const std::vector<std::string>& words, std::size_t at) {
  return at < words.size() ? std::strtoull(words[at].c_str(), nullptr, 10) : 0;
}

std::string kind_text(std::uint64_t kind) {
  return std::string(trace::kind_name(static_cast<trace::EventKind>(kind < 256 ? kind : 0)));
}

std::string at(const ReplayFrame& frame) {
  return frame.line == 0 ? fmt::format("in {}", frame.function)
                         : fmt::format("at {}:{} in {}", frame.file, frame.line, frame.function);
}

ReplayStop stop_of(const std::vector<std::string>& words) {
  return {static_cast<std::uint32_t>(number(words, 1)),
          kind_text(number(words, 2)),
          number(words, 3),
          number(words, 4),
          number(words, 5),
          {}};
}

void add_frame(const std::vector<std::string>& words, ReplayStop& stop) {
  if (words.size() != 5) return;
  stop.stack.push_back(
      {words[1], words[2], static_cast<std::uint32_t>(number(words, 3)), static_cast<std::uint32_t>(number(words, 4))});
}

// The runtime's lines (runtime/replaying/report.cc). Of a divergence, the place that was met is the
// last stop.
void read_text(const ScheduleHeader& header, Replayed& out, std::optional<ReplayStop>& met) {
  std::istringstream in(std::string(header.text, std::min<std::size_t>(header.text_used, sizeof header.text)));
  ReplayStop* current = nullptr;
  for (std::string line; std::getline(in, line);) {
    const std::vector<std::string> words = words_of(line);
    if (words.empty()) continue;
    if (words[0] == "stop") {
      out.stops.push_back(stop_of(words));
      current = &out.stops.back();
    } else if (words[0] == "met") {
      met = ReplayStop{static_cast<std::uint32_t>(number(words, 1)), kind_text(number(words, 2)), 0, 0, 0, {}};
      current = &*met;
    } else if (words[0] == "frame" && current != nullptr) {
      add_frame(words, *current);
    }
  }
}

std::string reason_text(Reason reason, const Script& script, std::size_t step, const std::optional<ReplayStop>& met) {
  const std::string here = met && !met->stack.empty() ? at(met->stack.front()) : "";
  switch (reason) {
  case Reason::Ended: return "the program ended before";
  case Reason::ThreadEnded: return "the thread ended before";
  case Reason::Blocked:
    return "nothing happened any more: the thread waits for something that the schedule did not foresee, or computes "
           "for longer than --watchdog allows";
  case Reason::TimeUp: return "the time for replays was up (--confirm-budget)";
  case Reason::OtherMemory: return fmt::format("the thread touched other memory ({} {})", met ? met->kind : "", here);
  case Reason::NotHeld: return fmt::format("nobody holds the lock that it asks for {}", here);
  case Reason::OtherValue:
    return fmt::format("it has another value than {:#x} {}", step < script.steps.size() ? script.steps[step].value : 0,
                       here);
  case Reason::Unknown: return "the runtime could not read the schedule; it may be of another version";
  case Reason::None: break;
  }
  return "the program was not built with `sooth cc` or `sooth c++`, or it is another version";
}

// If a thread left the recorded inputs: where.
std::string other_input(const ScheduleHeader& schedule) {
  if (schedule.input_asked == 0) return {};
  const auto recorded = static_cast<replay::InputCall>(schedule.input_recorded);
  return fmt::format("; before that, thread {} asked for {}, and in the recorded run for {}", schedule.input_thread,
                     replay::name_of(static_cast<replay::InputCall>(schedule.input_asked)), replay::name_of(recorded));
}

std::optional<Script> corrected(const Script& script, const ScheduleHeader& schedule) {
  if (schedule.found_first == 0 || schedule.found_stop >= script.steps.size()) return std::nullopt;
  Script out = script;
  out.steps[schedule.found_stop].count = schedule.found_first;
  out.steps.back().count = schedule.found_last;
  return out;
}

std::vector<std::string> under_gdb(const std::vector<std::string>& command, const std::string& schedule) {
  std::vector<std::string> out = {"/usr/bin/gdb", "-q"};
  if (isatty(STDIN_FILENO) == 0) out.emplace_back("-batch");
  for (const std::string& word :
       {std::string("set confirm off"), std::string("set breakpoint pending on"), std::string("set pagination off"),
        "set environment SOOTH_REPLAY " + schedule, std::string("break __sooth_replay_point"), std::string("run"),
        std::string("thread apply all backtrace 16")})
    out.insert(out.end(), {"-ex", word});
  out.emplace_back("--args");
  out.insert(out.end(), command.begin(), command.end());
  return out;
}

} // namespace

ShownEvent read_shown_event(const ScheduleHeader& schedule) {
  std::istringstream in(std::string(schedule.shown, std::min<std::size_t>(schedule.shown_used, sizeof schedule.shown)));
  ShownEvent out;
  for (std::string line; std::getline(in, line);) {
    const std::vector<std::string> words = words_of(line);
    if (words.empty()) continue;
    if (words[0] == "event") {
      out.event = stop_of(words);
      out.failed = number(words, 6) != 0;
    } else if (words[0] == "frame") {
      add_frame(words, out.event);
    }
  }
  return out;
}

namespace {

Result<Replayed> replay_once(const Script& script, const std::vector<std::string>& command,
                             const ReplayOptions& options) {
  TemporaryFolder folder;
  const std::string path = (folder.path() / "schedule").string();
  SharedSchedule schedule(path, replay::flatten(script, options.then, options.first, options.inputs));
  if (folder.path().empty() || !schedule.ok()) return Error{"cannot make a temporary file for the schedule.", "", 0, 0};
  Environment environment;
  environment.fixed_addresses = environment.dies_with_us = true;
  environment.silent = environment.unattended = options.silent;
  if (!options.gdb) environment.set.emplace_back("SOOTH_REPLAY", path); // gdb itself starts other programs
  std::optional<Stepping> stepping;
  if (options.step) stepping.emplace(script, *schedule);
  Watchdog watchdog(schedule, options, script.goal, stepping ? &*stepping : nullptr);
  const auto ended = launch(options.gdb ? under_gdb(command, path) : command, environment, std::ref(watchdog));
  if (!ended) return ended.error();
  Replayed out;
  out.ended = ended.value();
  out.was_ended = watchdog.was_ended();
  out.confirmed = schedule.state() == State::Confirmed;
  out.followed = std::min<std::size_t>(__atomic_load_n(&schedule->cursor, __ATOMIC_ACQUIRE), script.steps.size());
  std::optional<ReplayStop> met;
  read_text(*schedule, out, met);
  if (!out.confirmed) {
    const Reason reason = schedule.state() == State::Running && schedule->process != 0
                              ? Reason::Ended
                              : static_cast<Reason>(schedule->reason);
    out.why = reason_text(reason, script, out.followed, met) + other_input(*schedule);
    out.corrected = corrected(script, *schedule);
  }
  return out;
}

} // namespace

Result<Replayed> replay_script(const Script& script, const std::vector<std::string>& command,
                               const ReplayOptions& options) {
  auto first = replay_once(script, command, options);
  if (!first || !first.value().corrected) return first;
  auto second = replay_once(*first.value().corrected, command, options);
  if (second) second.value().corrected = std::move(first.value().corrected);
  return second;
}

std::string what_followed(const Replayed& replayed) {
  if (replayed.was_ended) return "the program stood still, and was ended";
  const int status = replayed.ended.status;
  if (WIFSIGNALED(status)) return fmt::format("SIG{}", sigabbrev_np(WTERMSIG(status)));
  if (WIFEXITED(status) && WEXITSTATUS(status) != 0) return fmt::format("exit status {}", WEXITSTATUS(status));
  return {};
}

std::string explanation(const Script& script) {
  if (!script.early)
    return "sooth: no single pair of events decides between the recorded run and this one, or the trace was too long "
           "to "
           "find it\n";
  std::string out = "sooth: the order of these two events decides\n";
  const auto tell = [&](std::string_view when, const replay::ScriptEvent& event) {
    out += fmt::format("  {}\n    {}\n", when, replay::phrase(event.step));
    for (const replay::ScriptPlace& call : event.stack)
      out += fmt::format("      called at {}:{}:{} in {}\n", call.file, call.line, call.column, call.function);
  };
  tell("in the schedule with the error, this comes first:", *script.early);
  tell("in the recorded run, this came before it:", *script.late);
  return out;
}

std::string replay_text(const Script& script, const Replayed& replayed) {
  std::string out;
  if (!replayed.confirmed) {
    out = fmt::format("sooth: diverged: the program followed {} of {} steps of the schedule\n", replayed.followed,
                      script.steps.size());
    if (replayed.followed < script.steps.size())
      out += fmt::format("  expected: {}\n", replay::phrase(script.steps[replayed.followed]));
    out += fmt::format("  instead: {}\n", replayed.why);
    return out + "  That can be if the program depends on input, time, random numbers or addresses that differ from "
                 "those of\n  the recorded run, or if it has changed.\n";
  }
  out = fmt::format("sooth: confirmed: {}\n", script.finding);
  for (const ReplayStop& stop : replayed.stops) {
    const bool memory = stop.size != 0;
    out += fmt::format("  thread {} {} {} {:#x}", stop.thread, script.goal == Goal::Followed ? "made" : "stands at",
                       stop.kind, stop.address);
    if (memory) out += fmt::format(", {} byte{}", stop.size, stop.size == 1 ? "" : "s");
    if (memory && stop.size <= 8 && (stop.kind == "read" || stop.kind == "write" || stop.kind.starts_with("atomic")))
      out += fmt::format(", value {:#x}", stop.value);
    out += '\n';
    for (std::size_t i = 0; i < stop.stack.size(); ++i) {
      const ReplayFrame& frame = stop.stack[i];
      out += fmt::format("    #{} {} {}:{}:{}\n", i, frame.function, frame.file, frame.line, frame.column);
    }
  }
  return out;
}

} // namespace sooth::cli
