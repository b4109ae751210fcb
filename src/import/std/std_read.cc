// STD text to a Trace, in two steps: take every line apart, then give names their numbers and
// addresses.
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include "import/std/std_format.h"
#include "import/std/std_line.h"

namespace sooth::import {

namespace {

using trace::Event;
using trace::EventKind;
using trace::Trace;

constexpr std::size_t kMaxErrors = 20;
constexpr std::uint64_t kFirstAddress = 0x10000000;
constexpr std::uint32_t kVariableBytes = 8;

// Names in the order of their first use. The views point into the text.
class Numbers {
public:
  std::uint32_t of(std::string_view name) {
    const auto [it, added] = numbers_.try_emplace(name, static_cast<std::uint32_t>(names.size()));
    if (added) names.push_back(name);
    return it->second;
  }
  std::vector<std::string_view> names;

private:
  absl::flat_hash_map<std::string_view, std::uint32_t> numbers_;
};

struct Record {
  std::uint32_t thread;
  std::uint32_t target; // number among its own sort
  StdOperation operation;
  std::int64_t location; // kNoLocation: none
};
constexpr std::int64_t kNoLocation = std::numeric_limits<std::int64_t>::min();

struct Parsed {
  std::vector<Record> records;
  Numbers threads, variables, locks, blocks;
};

std::uint32_t number_target(Parsed& parsed, const StdLine& line) {
  switch (line.operation) {
  case StdOperation::Read:
  case StdOperation::Write: return parsed.variables.of(line.target);
  case StdOperation::Acquire:
  case StdOperation::Release: return parsed.locks.of(line.target);
  case StdOperation::Fork:
  case StdOperation::Join: return parsed.threads.of(line.target);
  case StdOperation::Begin:
  case StdOperation::End: break;
  }
  return parsed.blocks.of(line.target);
}

// Forks that cannot be meant: a second one of a thread is left out, one of a name that does nothing
// is odd.
class Forks {
public:
  Forks(const std::string& file, Imported& result) : file_(file), result_(result) {}

  // False: not the first one.
  bool add(std::string_view thread, std::uint64_t line) {
    const auto [it, first] = lines_.try_emplace(thread, line);
    if (!first)
      warn(fmt::format("thread `{}` was forked before, in line {}: this line is left out.", thread, it->second), line);
    return first;
  }
  void finish(const Parsed& parsed) {
    std::vector<bool> acts(parsed.threads.names.size());
    for (const Record& r : parsed.records) acts[r.thread] = true;
    for (const Record& r : parsed.records)
      if (r.operation == StdOperation::Fork && !acts[r.target])
        warn(fmt::format("thread `{}` is forked, but does nothing in this file. Is it spelt as it should be?",
                         parsed.threads.names[r.target]),
             lines_.at(parsed.threads.names[r.target]));
  }

private:
  void warn(std::string message, std::uint64_t line) {
    if (result_.warnings.size() < kMaxErrors) result_.warnings.push_back({std::move(message), file_, line, 1});
  }

  const std::string& file_;
  Imported& result_;
  absl::flat_hash_map<std::string_view, std::uint64_t> lines_; // by thread: of its fork
};

Parsed parse(std::string_view text, const std::string& file, Imported& result) {
  Parsed parsed;
  Forks forks(file, result);
  parsed.blocks.of(""); // string 0: blocks without a name
  std::uint64_t number = 0;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
    ++number;
    if (line.find_first_not_of(" \t\r\f\v") == std::string_view::npos) continue;
    StdLine parts;
    if (StdLineError error = parse_std_line(line, parts); !error.message.empty()) {
      if (result.errors.size() < kMaxErrors)
        result.errors.push_back({std::move(error.message) + ".", file, number, error.column});
      ++result.bad_lines;
      continue;
    }
    if (parts.operation == StdOperation::Fork && !forks.add(parts.target, number)) continue;
    const std::uint32_t thread = parsed.threads.of(parts.thread);
    parsed.records.push_back(
        {thread, number_target(parsed, parts), parts.operation, parts.location.value_or(kNoLocation)});
  }
  forks.finish(parsed);
  return parsed;
}

// Everything that needs the whole file: which threads are forked and joined, which locks are taken
// again by their holder.
struct Facts {
  std::vector<bool> forked, joined;
  std::vector<std::size_t> last_record; // by thread
  std::vector<bool> reentrant;          // by lock
};

Facts gather(const Parsed& parsed) {
  constexpr std::uint32_t kNobody = ~std::uint32_t{0};
  Facts facts;
  facts.forked.resize(parsed.threads.names.size());
  facts.joined.resize(parsed.threads.names.size());
  facts.last_record.resize(parsed.threads.names.size());
  facts.reentrant.resize(parsed.locks.names.size());
  struct Hold {
    std::uint32_t owner = kNobody;
    std::uint64_t depth = 0;
  };
  std::vector<Hold> holds(parsed.locks.names.size());
  for (std::size_t i = 0; i < parsed.records.size(); ++i) {
    const Record& r = parsed.records[i];
    facts.last_record[r.thread] = i;
    if (r.operation == StdOperation::Fork) facts.forked[r.target] = true;
    if (r.operation == StdOperation::Join) facts.joined[r.target] = true;
    if (r.operation == StdOperation::Acquire) {
      Hold& hold = holds[r.target];
      if (hold.owner == r.thread) facts.reentrant[r.target] = true;
      hold = {r.thread, hold.owner == r.thread ? hold.depth + 1 : 1};
    } else if (r.operation == StdOperation::Release) {
      Hold& hold = holds[r.target];
      if (hold.owner == r.thread && --hold.depth == 0) hold.owner = kNobody;
    }
  }
  return facts;
}

class Builder {
public:
  Builder(const Parsed& parsed, Trace& trace) : parsed_(parsed), facts_(gather(parsed)), trace_(trace) {}

  void build() {
    add_names();
    std::vector<bool> seen(trace_.threads.size());
    std::vector<std::uint64_t> values(parsed_.variables.names.size());
    std::uint64_t writes = 0;
    trace_.events.reserve(parsed_.records.size() + 2 * trace_.threads.size());
    for (std::size_t i = 0; i < parsed_.records.size(); ++i) {
      const Record& r = parsed_.records[i];
      if (!seen[r.thread] && facts_.forked[r.thread])
        add(r, EventKind::ThreadStart, 0, trace_.threads[r.thread].parent);
      seen[r.thread] = true;
      if (r.operation == StdOperation::Write) values[r.target] = ++writes;
      add_record(r, values);
      // Without an end of its own, a thread ends with its last event, if someone saw it end.
      if (facts_.last_record[r.thread] == i && facts_.joined[r.thread]) {
        add(r, EventKind::ThreadEnd, 0, 0);
        trace_.threads[r.thread].ended = true;
      }
    }
  }

private:
  std::uint64_t variable_address(std::uint32_t number) const {
    return kFirstAddress + std::uint64_t{number} * kVariableBytes;
  }
  std::uint64_t lock_address(std::uint32_t number) const {
    return variable_address(static_cast<std::uint32_t>(parsed_.variables.names.size())) +
           std::uint64_t{number} * kVariableBytes;
  }

  void add_names() {
    for (std::uint32_t i = 0; i < parsed_.variables.names.size(); ++i)
      trace_.globals.push_back(
          {variable_address(i), kVariableBytes, std::string(parsed_.variables.names[i]), "", "", 0});
    for (std::uint32_t i = 0; i < parsed_.locks.names.size(); ++i)
      trace_.globals.push_back({lock_address(i), kVariableBytes, std::string(parsed_.locks.names[i]), "", "", 0});
    for (const std::string_view name : parsed_.blocks.names) trace_.strings.emplace_back(name);
    for (const std::string_view name : parsed_.threads.names)
      trace_.threads.push_back({std::string(name), static_cast<std::uint32_t>(trace_.threads.size()), false});
    for (const Record& r : parsed_.records)
      if (r.operation == StdOperation::Fork) trace_.threads[r.target].parent = r.thread;
    trace_.sites.resize(1);
  }

  void add_record(const Record& r, const std::vector<std::uint64_t>& values) {
    const auto lock_type = [&] { return facts_.reentrant[r.target] ? trace::kLockRecursive : trace::kLockNormal; };
    switch (r.operation) {
    case StdOperation::Read: add(r, EventKind::Read, variable_address(r.target), values[r.target]); break;
    case StdOperation::Write: add(r, EventKind::Write, variable_address(r.target), values[r.target]); break;
    case StdOperation::Acquire: add(r, EventKind::Acquire, lock_address(r.target), lock_type()); break;
    case StdOperation::Release: add(r, EventKind::Release, lock_address(r.target), lock_type()); break;
    case StdOperation::Fork: add(r, EventKind::Fork, 0, r.target); break;
    case StdOperation::Join: add(r, EventKind::Join, 0, r.target); break;
    case StdOperation::Begin: add(r, EventKind::AtomicBegin, r.target, 0); break;
    case StdOperation::End: add(r, EventKind::AtomicEnd, r.target, 0); break;
    }
  }

  void add(const Record& r, EventKind kind, std::uint64_t address, std::uint64_t value) {
    Event e;
    e.kind = kind;
    e.thread = r.thread;
    e.address = address;
    e.value = value;
    if (kind == EventKind::Read || kind == EventKind::Write) e.size = kVariableBytes;
    if (kind != EventKind::ThreadStart && kind != EventKind::ThreadEnd) e.site = site(r);
    trace_.events.push_back(e);
  }

  // A location is a number that stands for a place; `location:23` says no more than that.
  std::uint32_t site(const Record& r) {
    std::string_view variable;
    if (r.operation == StdOperation::Read || r.operation == StdOperation::Write)
      variable = parsed_.variables.names[r.target];
    if (r.operation == StdOperation::Acquire || r.operation == StdOperation::Release)
      variable = parsed_.locks.names[r.target];
    if (r.location == kNoLocation && variable.empty()) return 0;
    const auto [it, added] =
        sites_.try_emplace(std::pair(r.location, variable), static_cast<std::uint32_t>(trace_.sites.size()));
    if (added) {
      trace::Site s;
      if (r.location >= 0 && r.location <= std::numeric_limits<std::uint32_t>::max()) {
        s.file = "location";
        s.line = static_cast<std::uint32_t>(r.location);
      } else if (r.location != kNoLocation) {
        s.file = "location " + std::to_string(r.location);
      }
      s.variable = variable;
      trace_.sites.push_back(std::move(s));
    }
    return it->second;
  }

  const Parsed& parsed_;
  const Facts facts_;
  Trace& trace_;
  absl::flat_hash_map<std::pair<std::int64_t, std::string_view>, std::uint32_t> sites_;
};

} // namespace

Imported read_std(std::string_view text, const std::string& file) {
  Imported result;
  const Parsed parsed = parse(text, file, result);
  if (!result.ok()) return result;
  Builder(parsed, result.trace).build();
  result.trace.flags = trace::kNoValues | trace::kFrozen;
  result.trace.process.program = file;
  result.trace.process.end = trace::EndKind::Exit;
  return result;
}

} // namespace sooth::import
