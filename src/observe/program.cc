#include "observe/program.h"

#include <algorithm>

#include <fmt/format.h>

#include "logic/names/symbols.h"
#include "logic/occurrences.h"
#include "logic/resolve.h"
#include "observe/findings.h"
#include "observe/wrong.h"

namespace sooth::observe {
namespace {

// A program's memory is looked at whenever messages for so large a part of the limit have come.
constexpr std::uint64_t kLooks = 16;

std::uint32_t epoch_of(const EventMessage& m) { return m.place.epoch; }
std::uint32_t epoch_of(const ForkMessage& m) { return m.place.epoch; }
std::uint32_t epoch_of(const EndMessage& m) { return m.place.epoch; }
std::uint32_t epoch_of(const WaitsMessage& m) { return m.place.epoch; }

// What a message that is kept takes, at least.
template <typename M>
std::uint64_t weight(const M& message) {
  std::uint64_t bytes = sizeof(Message);
  if constexpr (std::is_same_v<M, EventMessage>)
    bytes += message.writes.size() * sizeof(VariableWrite) + message.clock.size() * sizeof(ClockEntry);
  if constexpr (std::is_same_v<M, CheckpointMessage>) bytes += message.threads.size() * sizeof(ThreadAt);
  return bytes;
}

// A clock takes room for every thread up to the last one that it names.
std::uint64_t weight_in_lattice(const EventMessage& message) {
  const std::uint64_t threads = message.clock.empty() ? 0 : std::uint64_t{message.clock.back().thread} + 1;
  return weight(message) + threads * sizeof(causality::Count);
}
template <typename M>
std::uint64_t weight_in_lattice(const M& message) {
  return weight(message);
}

} // namespace

ObservedProgram::ObservedProgram(const Hello& hello, const ProgramOptions& options, Speaker speaker)
    : hello_(hello), options_(options), speaker_(std::move(speaker)) {
  report_.program = hello.program;
  report_.model = "hb";
  report_.looked_for = {"properties"};
}

std::optional<Error> ObservedProgram::take(const Message& message, std::vector<Message>& answers) {
  if (concluded_) return wrong("a message after the end.");
  if (const auto* part = std::get_if<ModulePart>(&message)) return symbols_.add(*part);
  if (const auto* symbols = std::get_if<SymbolsSent>(&message)) return take_symbols(*symbols, answers);
  if (const auto* initial = std::get_if<InitialState>(&message)) return take_initial(*initial);
  if (const auto* fork = std::get_if<ForkMessage>(&message)) return take_placed(*fork);
  if (const auto* end = std::get_if<EndMessage>(&message)) return take_placed(*end);
  if (const auto* waits = std::get_if<WaitsMessage>(&message)) return take_placed(*waits);
  if (const auto* checkpoint = std::get_if<CheckpointMessage>(&message)) return take_checkpoint(*checkpoint);
  if (const auto* finish = std::get_if<FinishMessage>(&message)) {
    finish_ = *finish; // a failed exec may be followed by another end
    return std::nullopt;
  }
  if (const auto* event = std::get_if<EventMessage>(&message)) {
    newest_site_ = event->site;
    return take_placed(*event);
  }
  if (const auto* ask = std::get_if<AskMessage>(&message)) {
    answer(*ask, answers);
    return std::nullopt;
  }
  return wrong("a message that only an observer sends.");
}

// All messages of events up to the position have come: their threads had their turn, or wait.
void ObservedProgram::answer(const AskMessage& ask, std::vector<Message>& answers) {
  if (asks_) {
    advance();
    if (!stop_) look_ahead();
  }
  if (stop_) {
    answers.push_back(Stop{*stop_});
    return;
  }
  const trace::Site& site = symbols_.site(newest_site_);
  for (const logic::Property* property : to_call_)
    answers.push_back(Call{property->call, property->name, property->text, site.file, site.line});
  to_call_.clear();
  answers.push_back(Ack{ask.position});
}

void ObservedProgram::act(const logic::Property& property) {
  if (property.action == logic::Action::Stop) stop_ = fmt::format("property `{}` is violated", property.name);
  if (property.action == logic::Action::Call && called_.insert(&property).second) to_call_.push_back(&property);
}

// Until a program has all its modules, names may be missing that come later.
std::optional<Error> ObservedProgram::take_symbols(const SymbolsSent& message, std::vector<Message>& answers) {
  if (auto error = symbols_.read(message.modules)) return error;
  const bool again = table_sent_;
  if (!again) {
    auto property = options_.property_name.empty()
                        ? Result<logic::PropertyFile>(logic::PropertyFile{})
                        : logic::read_properties(options_.property_text, options_.property_name,
                                                 logic::symbols_of_trace(symbols_.tables()));
    if (!property) {
      refused_ = property.error();
      answers.push_back(Later{refused_->text()});
      return std::nullopt;
    }
    property_ = std::move(property.value());
    told_observed_.resize(property_->properties.size());
    told_predicted_.resize(property_->properties.size());
  }
  auto table = make_table(*property_, symbols_);
  if (!table) {
    refused_ = table.error();
    answers.push_back(Refused{refused_->text()});
    return std::nullopt;
  }
  refused_.reset();
  asks_ = table->asks();
  table_sent_ = true;
  answers.push_back(*std::move(table));
  return std::nullopt;
}

std::optional<Error> ObservedProgram::take_initial(const InitialState& message) {
  if (!table_sent_ || epoch_ != nullptr) return wrong("an initial state that nobody asked for.");
  if (message.values.size() != property_->variables.size()) return wrong("an initial state of another property.");
  observed_ = std::make_unique<ObservedRun>(*property_, message.values);
  loops_ = std::make_unique<Loops>(*property_, message.values);
  epoch_ = std::make_unique<Epoch>(*property_, RunState{message.values, {}}, options_.lattice, std::span<ThreadAt>());
  return take_waiting();
}

template <typename M>
std::optional<Error> ObservedProgram::add(const M& message) {
  auto added = epoch_->add(message);
  if (!added) return added.error();
  if (!added.value()) return std::nullopt; // once more
  ++messages_;
  if constexpr (std::is_same_v<M, EventMessage>) {
    observed_->add(message.place.thread,
                   {message.position, message.happened, message.site, message.kind, message.writes});
    loops_->add(message);
    report_.events += message.kind != 0;
  }
  if constexpr (std::is_same_v<M, ForkMessage>) threads_ = std::max(threads_, message.child + 1);
  return std::nullopt;
}

template <typename M>
std::optional<Error> ObservedProgram::take_placed(const M& message) {
  if (given_up_) return std::nullopt;
  const std::uint32_t epoch = epoch_of(message);
  if (epoch_ == nullptr || epoch > epoch_number_) {
    if (waiting_.size() + 1 > options_.most_waiting || !hold(weight(message)))
      return wrong("too many messages before those that they need.");
    waiting_.push_back(message);
    return std::nullopt;
  }
  if (epoch < epoch_number_) return std::nullopt; // that epoch was complete: it has come before
  if (auto error = add(message)) return error;
  unweighed_ += weight_in_lattice(message);
  if (unweighed_ > options_.most_bytes / kLooks) {
    unweighed_ = 0;
    if (bytes() > options_.most_bytes) give_up_for_memory();
  }
  if (observed_->waiting() > options_.most_waiting) return wrong("too many messages before those that they need.");
  if (checkpoints_.contains(epoch_number_)) next_epochs();
  return std::nullopt;
}

std::optional<Error> ObservedProgram::take_waiting() {
  std::vector<Message> waiting;
  waiting.swap(waiting_);
  held_bytes_ = 0;
  for (const auto& [number, checkpoint] : checkpoints_) held_bytes_ += weight(checkpoint);
  std::optional<Error> first;
  std::vector<Message> no_answers;
  for (const Message& message : waiting) {
    auto error = std::visit(
        [&]<typename M>(const M& m) -> std::optional<Error> {
          if constexpr (std::is_same_v<M, EventMessage> || std::is_same_v<M, ForkMessage> ||
                        std::is_same_v<M, EndMessage> || std::is_same_v<M, WaitsMessage>)
            return take_placed(m);
          else return std::nullopt;
        },
        message);
    if (error && !first) first = std::move(error);
  }
  if (checkpoints_.contains(epoch_number_)) next_epochs();
  return first;
}

std::optional<Error> ObservedProgram::take_checkpoint(const CheckpointMessage& message) {
  if (message.epoch < epoch_number_ || checkpoints_.contains(message.epoch)) return std::nullopt;
  if (checkpoints_.size() > options_.most_waiting || !hold(weight(message)))
    return wrong("too many checkpoints before their epochs.");
  ++messages_;
  checkpoints_.emplace(message.epoch, message);
  if (epoch_ != nullptr) next_epochs();
  return std::nullopt;
}

// Everything before a checkpoint is in every run before everything after it, in the observed order.
void ObservedProgram::next_epochs() {
  while (!given_up_) {
    const auto at = checkpoints_.find(epoch_number_);
    if (at == checkpoints_.end() || !epoch_->has_all(at->second.threads)) return;
    const CheckpointMessage checkpoint = std::move(at->second);
    held_bytes_ -= weight(checkpoint);
    checkpoints_.erase(at);
    finish_epoch();
    ++epoch_number_;
    violations_seen_ = 0;
    if (checkpoint.kind == wire::kGiveUp) {
      given_up_ = true;
      const trace::Site& site = symbols_.site(checkpoint.site);
      speaker_.note(
          fmt::format("two writes raced, and which came last is not known (seen at {}:{}); nothing after this is "
                      "predicted.",
                      site.file, site.line));
      return;
    }
    ++reorders_;
    epoch_ = std::make_unique<Epoch>(*property_, observed_->state(), options_.lattice, checkpoint.threads);
    epoch_position_ = observed_->position();
    if (take_waiting()) return;
  }
}

void ObservedProgram::finish_epoch() {
  epoch_->finish();
  look_at_violations();
  for (const FoundRun& run : loops_->end_epoch()) tell(run);
  cuts_left_out_ += epoch_->result().statistics.cuts_left_out;
  unreached_ += epoch_->unreached();
  faults_elsewhere_ += epoch_->monitors().faults();
}

bool ObservedProgram::advance(std::uint64_t levels) {
  if (epoch_ == nullptr || given_up_) return false;
  const bool went_on = epoch_->advance(levels);
  look_at_violations();
  if (bytes() > options_.most_bytes) give_up_for_memory();
  return went_on && !given_up_ && levels != UINT64_MAX;
}

bool ObservedProgram::hold(std::uint64_t bytes) {
  if (held_bytes_ + bytes > options_.most_bytes) return false;
  held_bytes_ += bytes;
  return true;
}

std::uint64_t ObservedProgram::bytes() const {
  return held_bytes_ + (observed_ != nullptr ? observed_->waiting_bytes() : 0) +
         (epoch_ != nullptr ? epoch_->bytes() + loops_->bytes() : 0);
}

void ObservedProgram::give_up_for_memory() {
  if (given_up_) return;
  given_up_ = true;
  out_of_budget_ = true;
  if (epoch_ != nullptr) {
    look_at_violations();
    cuts_left_out_ += epoch_->result().statistics.cuts_left_out;
    epoch_ = std::make_unique<Epoch>(*property_, observed_->state(), options_.lattice, std::span<ThreadAt>());
    loops_->give_up();
  }
  waiting_ = {};
  checkpoints_ = {};
  held_bytes_ = 0;
  speaker_.note("the lattice has outgrown the memory it may use (--memory); nothing more is predicted.");
}

void ObservedProgram::found(std::size_t monitor, FoundRun run) {
  std::vector<bool>& told = run.status == witness::Status::Observed ? told_observed_ : told_predicted_;
  // A violation of the observed run itself need not be predicted any more.
  if (told[monitor] || told_observed_[monitor]) return;
  told[monitor] = true;
  if (run.status == witness::Status::Observed && told_predicted_[monitor]) forget_prediction(run.property->name);
  act(*run.property);
  tell(run);
}

// The messages of another run came first. The verdict does not depend on that.
void ObservedProgram::forget_prediction(const std::string& property) {
  std::erase_if(report_.findings, [&](const report::FindingText& finding) {
    return finding.status == witness::Status::Predicted && finding.property == property;
  });
  for (std::size_t i = 0; i < report_.findings.size(); ++i) report_.findings[i].id = static_cast<std::uint32_t>(i + 1);
}

void ObservedProgram::tell(const FoundRun& run) {
  add_finding(run, *property_, symbols_, report_);
  report::Report one = report_;
  one.findings.erase(one.findings.begin(), one.findings.end() - 1);
  speaker_.finding(one);
}

void ObservedProgram::look_at_violations() {
  if (observed_ == nullptr) return;
  const MessageMonitors& monitors = epoch_->monitors();
  for (ObservedRun::Failed& failed : observed_->take_failed())
    found(failed.monitor, {&monitors.property(failed.monitor), witness::Status::Observed, std::move(failed.path),
                           failed.before, std::move(failed.values)});
  const auto& violations = epoch_->result().violations;
  for (; violations_seen_ < violations.size(); ++violations_seen_) {
    const explore::Violation& violation = violations[violations_seen_];
    FoundRun run{&monitors.property(violation.monitor), witness::Status::Predicted, {}, violation.path_begins, {}};
    if (violation.path_begins == 0) run.values = monitors.start_state().values;
    bool as_observed = true; // the epoch's first positions, one after the other
    std::uint64_t expected = epoch_position_ + violation.path_begins;
    for (const explore::PathStep& step : violation.path) {
      const Happening& happening = monitors.kept(step.event);
      as_observed = as_observed && happening.position == ++expected;
      if (!happening.is_silent()) run.path.push_back({step.thread, happening});
    }
    // The observed run reports its own violations.
    if (!as_observed) found(violation.monitor, std::move(run));
  }
}

// Another order of the events so far violates a property that wants to do something about it. That
// order is reported when the lattice gets there, at the latest when the program has
// ended.
void ObservedProgram::look_ahead() {
  constexpr std::size_t kMost = 20'000; // cuts, for each event: milliseconds
  if (epoch_ == nullptr || given_up_) return;
  const auto objecting = epoch_->look_ahead(kMost);
  if (!objecting) ++looks_given_up_;
  else
    for (const std::uint32_t monitor : *objecting) act(epoch_->monitors().property(monitor));
}

void ObservedProgram::add_gap(const char* name, std::uint64_t count, const char* sentence, bool complete) {
  if (count == 0) return;
  report_.coverage.gaps.push_back({name, count, sentence, complete, ""});
  if (!complete) report_.coverage.complete = false;
}

void ObservedProgram::conclude() {
  if (concluded_) return;
  concluded_ = true;
  if (epoch_ != nullptr && !given_up_) {
    finish_epoch();
    out_of_budget_ = out_of_budget_ || epoch_->result().end == explore::End::OutOfTime ||
                     epoch_->result().end == explore::End::OutOfMemory;
  }
  report_.threads = threads_;
  add_gap("refused", refused_ ? 1 : 0, "property that does not fit the program", false);
  add_gap("cutOff", finish_ ? 0 : 1, "end that the program did not tell: it was killed, or the connection was cut",
          false);
  const std::uint64_t sent = finish_ ? finish_->messages : 0;
  add_gap("missingMessages", finish_ && sent > messages_ ? sent - messages_ : 0, "messages that did not come", false);
  add_gap("unusedMessages", waiting_.size() + (observed_ ? observed_->waiting() : 0) + unreached_,
          "messages that came, but not all that they depend on", false);
  add_gap("givenUp", given_up_ && !out_of_budget_ ? 1 : 0, "race between writes after which nothing is predicted",
          false);
  add_gap("overtakenReads", reorders_, "reads that a racing write overtook; runs do not reach across them", false);
  add_gap("horizons", finish_ ? finish_->horizons : 0,
          "times that a thread was silent for long; runs do not move it before what others did meanwhile", false);
  add_gap("lateStops", looks_given_up_,
          "events at which too many orders were open to look at all of them at once: violations among these stop or "
          "call the program later",
          true);
  add_gap("lateCalls", to_call_.size(), "violations that were found when the program could be called no more", true);
  add_gap("cutsLeftOut", cuts_left_out_, "cuts left out (--max-width)", false);
  add_gap("outOfBudget", out_of_budget_ ? 1 : 0, "budget of time or memory that ran out", false);
  add_gap("externalWrites", finish_ ? finish_->external_writes : 0, "changes of memory that no instrumented code made",
          true);
  add_gap("childProcesses", finish_ ? finish_->forks : 0, "child processes, which are not observed", true);
  add_gap("earlyEvents", finish_ && table_sent_ ? finish_->early : 0,
          "events before all names of the property were known (a library was loaded later), which were not looked at",
          false);
  add_gap("lateNames", finish_ ? finish_->late_names : 0,
          "threads that were named too late for thread_start with their name", false);
  add_gap("handedOverPages", finish_ ? finish_->handed_over : 0,
          "uses of memory that another thread had to itself: they count as uses of all that it did there before",
          false);
  add_gap("unfollowed", finish_ ? finish_->unsupported : 0,
          "calls of synchronisation that Sooth does not follow, or events that wrote more variables than were told",
          false);
  if (property_) {
    add_gap("unseenCalls", logic::partly_seen_calls(*property_, symbols_.tables().sites).size(),
            "functions of the property whose calls are seen only if something is recorded in them; compile the program "
            "with -fsooth-property=FILE",
            false);
    add_gap("monitors", property_->monitors.size(),
            "monitors, which are not checked by an observer: they run inside the program (SOOTH_MONITOR), or on a "
            "recorded run",
            false);
    add_gap("liveness", loops_ ? loops_->incomplete() : 0,
            "liveness properties for which not all paths were tried: only those of the first events, and only so many",
            false);
  }
  if (observed_) {
    // As for a recorded run: those of other runs count only if the observed one had none.
    const logic::Faults faults = observed_->faults().any() ? observed_->faults() : faults_elsewhere_;
    const bool here = observed_->faults().any();
    add_gap("divisionsByZero", faults.divisions_by_zero,
            here ? "divisions by zero in states of the observed run; a condition without a value is false"
                 : "divisions by zero in states of other runs; a condition without a value is false",
            true);
    add_gap("wideShifts", faults.wide_shifts,
            here ? "shifts by too much in states of the observed run; a condition without a value is false"
                 : "shifts by too much in states of other runs; a condition without a value is false",
            true);
  }
}

} // namespace sooth::observe
