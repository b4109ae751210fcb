#include "replay/script.h"

#include <array>
#include <charconv>
#include <cstring>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "trace/trace.h"

namespace sooth::replay {

namespace {

constexpr std::string_view kFirstLine = "sooth witness 1";
constexpr std::array<std::string_view, 5> kGoals = {"followed", "race", "deadlock", "freed", "waiting"};

constexpr std::size_t kMostFrames = 1000; // of one event

struct FlagWord {
  std::string_view word;
  StepFlags flag;
};
constexpr std::array kFlags = {FlagWord{"fails", kFails}, FlagWord{"remember", kRemember}};

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '\n') out += "\\n";
    else out += c;
  }
  return out + '"';
}

// Without quotes where they are not needed.
std::string word_of(std::string_view text) {
  const bool plain = !text.empty() && text.find_first_of(" \"\\\n") == std::string_view::npos;
  return plain ? std::string(text) : quoted(text);
}

std::string print_place(const ScriptPlace& place) {
  return fmt::format("{} {} {} {}", quoted(place.file), place.line, place.column, quoted(place.function));
}

std::string print_step(const ScriptStep& step, std::string_view verb) {
  std::string out = fmt::format("{} {} {} {} {}", verb, step.thread, trace::kind_name(step.kind), step.count,
                                print_place(step.place));
  for (const FlagWord& row : kFlags)
    if ((step.flags & row.flag) != 0) out += fmt::format(" {}", row.word);
  if ((step.flags & kHasValue) != 0) out += fmt::format(" value {:#x}", step.value);
  if (!step.name.empty()) out += fmt::format(" of {}", quoted(step.name));
  return out + '\n';
}

std::string print_event(const ScriptEvent& event, std::string_view verb) {
  std::string out = print_step(event.step, verb);
  for (const ScriptPlace& place : event.stack) out += fmt::format("from {}\n", print_place(place));
  return out;
}

// The words of one line. A word may be quoted; then it may have blanks, `\"`, `\\` and `\n`.
class Words {
public:
  explicit Words(std::string_view line) : line_(line) {}

  std::optional<std::string> next() {
    while (at_ < line_.size() && line_[at_] == ' ') ++at_;
    begin_ = at_;
    if (at_ == line_.size()) return std::nullopt;
    return line_[at_] == '"' ? quoted_word() : plain_word();
  }
  std::size_t column() const { return begin_ + 1; } // of the last word, or of where one is missing
  bool broken() const { return broken_; }           // a quoted word has no end

private:
  std::string plain_word() {
    while (at_ < line_.size() && line_[at_] != ' ') ++at_;
    return std::string(line_.substr(begin_, at_ - begin_));
  }
  std::string quoted_word() {
    std::string out;
    for (++at_; at_ < line_.size() && line_[at_] != '"'; ++at_) {
      if (line_[at_] != '\\' || at_ + 1 == line_.size()) out += line_[at_];
      else out += line_[++at_] == 'n' ? '\n' : line_[at_];
    }
    broken_ = at_ == line_.size();
    if (!broken_) ++at_;
    return out;
  }

  std::string_view line_;
  std::size_t at_ = 0, begin_ = 0;
  bool broken_ = false;
};

class Reader {
public:
  Reader(std::string_view text, const std::string& name) : text_(text), name_(name) {}

  Result<Script> read() {
    std::string_view line;
    if (!next_line(line) || line != kFirstLine) {
      if (line.starts_with("sooth witness ")) return wrong("this witness is of another version of Sooth", 15);
      return wrong(fmt::format("this is not a witness: it does not begin with `{}`", kFirstLine), 1);
    }
    while (next_line(line)) {
      if (line.empty()) continue;
      Words words(line);
      if (auto error = take(words)) return *error;
    }
    if (script_.threads.empty()) return wrong("the witness has no threads", 1);
    if (script_.steps.empty()) return wrong("the witness has no steps", 1);
    if (script_.early.has_value() != script_.late.has_value())
      return wrong("`early` and `late` belong together: one is missing", 1);
    return script_;
  }

private:
  bool next_line(std::string_view& line) {
    if (text_.empty()) return false;
    const std::size_t end = text_.find('\n');
    line = text_.substr(0, end);
    text_.remove_prefix(end == std::string_view::npos ? text_.size() : end + 1);
    ++number_;
    return true;
  }

  Error wrong(const std::string& message, std::size_t column) const {
    return Error{message + ".", name_, number_, column};
  }
  Error expected(const char* what, const Words& words) const {
    return wrong(words.broken() ? std::string("this text has no end: `\"` is missing")
                                : fmt::format("expected {}", what),
                 words.column());
  }

  std::optional<Error> take(Words& words) {
    const std::string verb = words.next().value_or("");
    std::optional<Error> error;
    if (verb == "program") error = take_text(words, script_.program);
    else if (verb == "finding") {
      error = take_text(words, script_.finding);
      if (!error) error = take_text(words, script_.fingerprint);
    } else if (verb == "goal") error = take_goal(words);
    else if (verb == "thread") error = take_thread(words);
    else if (verb == "run") error = take_step(words, 0);
    else if (verb == "pause") error = take_step(words, kPauses);
    else if (verb == "stop") error = take_step(words, kStops);
    else if (verb == "early" || verb == "late")
      error = take_event(words, verb == "early" ? script_.early : script_.late);
    else if (verb == "from") error = take_frame(words);
    else
      return expected("`program`, `finding`, `goal`, `thread`, `run`, `pause`, `stop`, `early`, `late` or `from`",
                      words);
    if (!error && (words.next() || words.broken())) return wrong("there is too much on this line", words.column());
    return error;
  }

  std::optional<Error> take_text(Words& words, std::string& out) {
    auto word = words.next();
    if (!word || words.broken()) return expected("a word", words);
    out = std::move(*word);
    return std::nullopt;
  }

  template <typename Number>
  std::optional<Error> take_number(Words& words, Number& out, std::uint64_t least, std::uint64_t most,
                                   const char* what) {
    const std::string word = words.next().value_or("");
    const bool hex = word.starts_with("0x");
    const char* begin = word.data() + (hex ? 2 : 0);
    const char* end = word.data() + word.size();
    std::uint64_t value = 0;
    const auto [rest, problem] = std::from_chars(begin, end, value, hex ? 16 : 10);
    if (problem != std::errc() || rest != end || begin == end || value < least || value > most)
      return expected(what, words);
    out = static_cast<Number>(value);
    return std::nullopt;
  }

  std::optional<Error> take_goal(Words& words) {
    const std::string word = words.next().value_or("");
    for (std::size_t i = 0; i < kGoals.size(); ++i)
      if (kGoals[i] == word) {
        script_.goal = static_cast<Goal>(i);
        return std::nullopt;
      }
    return expected("`followed`, `race`, `deadlock`, `freed` or `waiting`", words);
  }

  std::optional<Error> take_thread(Words& words) {
    std::uint32_t number = 0;
    const auto next = static_cast<std::uint32_t>(script_.threads.size());
    if (next >= kMostThreads) return wrong("there are too many threads", 1);
    if (auto error = take_number(words, number, next, next, "the next thread's number")) return error;
    ScriptThread thread;
    if (next != 0) {
      if (words.next().value_or("") != "by") return expected("`by`", words);
      if (auto error = take_number(words, thread.parent, 0, next - 1, "the number of an earlier thread")) return error;
      if (auto error = take_number(words, thread.ordinal, 1, ~0u, "which of its threads this is, from 1")) return error;
    }
    script_.threads.push_back(thread);
    return std::nullopt;
  }

  std::optional<Error> take_place(Words& words, ScriptPlace& place) {
    if (auto error = take_text(words, place.file)) return error;
    if (auto error = take_number(words, place.line, 0, ~0u, "a line")) return error;
    if (auto error = take_number(words, place.column, 0, ~0u, "a column")) return error;
    return take_text(words, place.function);
  }

  std::optional<Error> take_event(Words& words, std::optional<ScriptEvent>& out) {
    if (out) return wrong("there is one such event already", 1);
    out.emplace();
    frames_ = &out->stack;
    return take_step_words(words, out->step);
  }

  std::optional<Error> take_frame(Words& words) {
    if (frames_ == nullptr) return wrong("no event comes before this call", 1);
    if (frames_->size() >= kMostFrames) return wrong("there are too many calls", 1);
    return take_place(words, frames_->emplace_back());
  }

  std::optional<Error> take_step(Words& words, std::uint16_t flags) {
    if (script_.steps.size() >= kMostSteps) return wrong("there are too many steps", 1);
    ScriptStep step;
    step.flags = flags;
    if (auto error = take_step_words(words, step)) return error;
    script_.steps.push_back(std::move(step));
    return std::nullopt;
  }

  std::optional<Error> take_step_words(Words& words, ScriptStep& step) {
    if (script_.threads.empty()) return wrong("no thread comes before this step", 1);
    if (auto error = take_number(words, step.thread, 0, script_.threads.size() - 1, "a thread's number")) return error;
    step.kind = trace::kind_from_name(words.next().value_or(""));
    if (step.kind == trace::EventKind::None) return expected("a kind of event", words);
    if (auto error = take_number(words, step.count, 1, ~0u, "a count, from 1")) return error;
    if (auto error = take_place(words, step.place)) return error;
    return take_flags(words, step);
  }

  std::optional<Error> take_flags(Words& words, ScriptStep& step) {
    while (auto word = words.next()) {
      bool known = false;
      for (const FlagWord& row : kFlags)
        if (*word == row.word) step.flags |= row.flag, known = true;
      if (*word == "value") {
        if (auto error = take_number(words, step.value, 0, ~std::uint64_t{0}, "a value")) return error;
        step.flags |= kHasValue, known = true;
      }
      if (*word == "of") {
        if (auto error = take_text(words, step.name)) return error;
        known = true;
      }
      if (!known) return expected("`fails`, `remember`, `value` or `of`", words);
    }
    return std::nullopt;
  }

  std::string_view text_;
  const std::string& name_;
  std::uint64_t number_ = 0;
  Script script_;
  std::vector<ScriptPlace>* frames_ = nullptr; // of the event that came last
};

} // namespace

std::string_view goal_name(Goal goal) { return kGoals[static_cast<std::size_t>(goal)]; }

std::string print(const Script& script) {
  std::string out = fmt::format("{}\nprogram {}\nfinding {} {}\ngoal {}\n", kFirstLine, word_of(script.program),
                                word_of(script.finding), word_of(script.fingerprint), goal_name(script.goal));
  for (std::size_t i = 0; i < script.threads.size(); ++i) {
    const ScriptThread& thread = script.threads[i];
    out += i == 0 ? "thread 0\n" : fmt::format("thread {} by {} {}\n", i, thread.parent, thread.ordinal);
  }
  for (const ScriptStep& step : script.steps)
    out += print_step(step, step.stops() ? "stop" : step.pauses() ? "pause" : "run");
  if (script.early) out += print_event(*script.early, "early");
  if (script.late) out += print_event(*script.late, "late");
  return out;
}

Result<Script> parse_script(std::string_view text, const std::string& name) { return Reader(text, name).read(); }

std::string phrase(const ScriptStep& step) {
  const ScriptPlace& p = step.place;
  return fmt::format("thread {}: {}{}{}{}", step.thread, trace::kind_name(step.kind),
                     step.name.empty() ? "" : " of " + step.name, (step.flags & kFails) != 0 ? " (failed)" : "",
                     p.line == 0 ? "" : fmt::format(" at {}:{}:{} in {}", p.file, p.line, p.column, p.function));
}

std::optional<Script> with_write_first(const Script& script) {
  if (script.goal != Goal::Race || script.steps.size() < 2) return std::nullopt;
  const ScriptStep& read = script.steps.back();
  if (!read.stops() || read.kind != trace::EventKind::Read) return std::nullopt;
  Script out = script;
  out.steps.pop_back();
  out.steps.back().flags &= static_cast<std::uint16_t>(~kStops);
  out.goal = Goal::Followed;
  return out;
}

namespace {

// Each step names the next one of its thread.
void link_steps(std::vector<std::uint8_t>& schedule) {
  const auto& header = *reinterpret_cast<const ScheduleHeader*>(schedule.data());
  auto* rows = reinterpret_cast<StepRow*>(schedule.data() + bytes_of_schedule(header.threads, 0));
  std::vector<std::uint32_t> latest(header.threads, header.steps);
  for (std::uint32_t i = header.steps; i-- > 0;) rows[i].next = std::exchange(latest[rows[i].thread], i);
}

} // namespace

std::vector<std::uint8_t> flatten(const Script& script, Then then, std::uint32_t first, const RecordedInputs* inputs) {
  std::vector<std::uint8_t> out(bytes_of_schedule(script.threads.size(), script.steps.size()));
  auto* header = new (out.data()) ScheduleHeader{};
  header->magic = kScheduleMagic;
  header->threads = static_cast<std::uint32_t>(script.threads.size());
  header->steps = static_cast<std::uint32_t>(script.steps.size());
  header->goal = script.goal;
  header->then = then;
  header->first = first;
  header->input_threads = inputs != nullptr ? inputs->threads : 0;
  std::uint8_t* at = out.data() + sizeof *header;
  for (const ScriptThread& thread : script.threads) {
    const ThreadRow row = {thread.parent, thread.ordinal};
    std::memcpy(at, &row, sizeof row);
    at += sizeof row;
  }
  for (const ScriptStep& step : script.steps) {
    const ScriptPlace& place = step.place;
    const StepRow row = {place_hash(place.file.c_str(), place.line, place.column, place.function.c_str()),
                         step.value,
                         step.thread,
                         step.count,
                         static_cast<std::uint16_t>(step.kind),
                         step.flags,
                         header->steps};
    std::memcpy(at, &row, sizeof row);
    at += sizeof row;
  }
  link_steps(out);
  if (inputs != nullptr) out.insert(out.end(), inputs->bytes.begin(), inputs->bytes.end());
  return out;
}

} // namespace sooth::replay
