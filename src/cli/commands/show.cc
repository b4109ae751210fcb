// `sooth show`: the events of a trace, one a line.
#include <charconv>
#include <deque>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/event_json.h"
#include "cli/output.h"
#include "cli/parser.h"
#include "cli/show_facts.h"
#include "cli/trace_within.h"
#include "report/event_text.h"
#include "report/terminal/printable.h"

namespace sooth::cli {

using trace::Event;
using trace::EventKind;
using trace::Trace;

namespace {

struct Options {
  std::string file, memory;
  bool json = false;
  bool facts = false;
  std::vector<std::string> threads;
  std::vector<std::string> variables;
  std::vector<std::string> kinds;
  std::string range;
  std::optional<std::size_t> limit;
  std::optional<std::size_t> tail;
};

struct Filter {
  std::set<std::uint32_t> threads; // empty: all
  std::set<EventKind> kinds;       // empty: all
  std::vector<std::string> variables;
  std::size_t first = 0;
  std::size_t last = std::numeric_limits<std::size_t>::max();

  bool takes(const Trace& trace, std::size_t index, const report::Narrator& narrator) const {
    const Event& e = trace.events[index];
    if (index < first || index > last) return false;
    if (!threads.empty() && !threads.contains(e.thread)) return false;
    if (!kinds.empty() && !kinds.contains(e.kind)) return false;
    if (variables.empty()) return true;
    for (const std::string& glob : variables)
      if (narrator.variable_matches(glob)) return true;
    return false;
  }
};

bool parse_number(std::string_view text, std::size_t& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size();
}

// Each returns a sentence about the error, or nothing.
std::string add_threads(const Trace& trace, const std::vector<std::string>& wanted, Filter& filter) {
  for (const std::string& text : wanted) {
    bool found = false;
    std::size_t number = 0;
    if (parse_number(text, number)) {
      found = number < trace.threads.size();
      if (found) filter.threads.insert(static_cast<std::uint32_t>(number));
    }
    for (std::uint32_t i = 0; i < trace.threads.size(); ++i) {
      if (trace.threads[i].name != text) continue;
      filter.threads.insert(i);
      found = true;
    }
    if (!found)
      return fmt::format("there is no thread `{}` in this trace, which has {}.", text,
                         counted(trace.threads.size(), "thread"));
  }
  return {};
}

std::string add_kinds(const std::vector<std::string>& wanted, Filter& filter) {
  for (const std::string& name : wanted) {
    const EventKind kind = trace::kind_from_name(name);
    if (kind != EventKind::None) {
      filter.kinds.insert(kind);
      continue;
    }
    std::string known;
    for (const EventKind k : trace::all_kinds())
      known += fmt::format("{}{}", known.empty() ? "" : ", ", trace::kind_name(k));
    return fmt::format("there is no kind `{}`. The kinds are {}.", name, known);
  }
  return {};
}

std::string add_range(const std::string& text, Filter& filter) {
  if (text.empty()) return {};
  const std::size_t colon = text.find(':');
  const std::string first = text.substr(0, colon);
  const std::string last = colon == std::string::npos ? first : text.substr(colon + 1);
  const bool fine =
      (first.empty() || parse_number(first, filter.first)) && (last.empty() || parse_number(last, filter.last));
  if (fine && filter.first <= filter.last) return {};
  return fmt::format("`{}` is no range of events. Write A:B, A: or :B.", text);
}

void print_header(Output& out) {
  out.print("{:>8}  {:<12} {:<15} {:<14} {:>5}  {:<22} {:<8} {:<24} {:<28} {}\n", "n", "thread", "kind", "address",
            "size", "value", "order", "variable", "place", "function");
}

void print_event(Output& out, const Trace& trace, std::size_t index, const report::Narrator& narrator) {
  const Event& e = trace.events[index];
  const bool ordered = e.order != trace::MemoryOrder::Plain;
  std::string line = fmt::format(
      "{:>8}  {:<12} {:<15} {:<14} {:>5}  {:<22} {:<8} {:<24} {:<28} {}", index, report::thread_text(trace, e.thread),
      trace::kind_name(e.kind), report::has_address(e.kind) ? fmt::format("{:#x}", e.address) : "",
      e.size != 0 ? std::to_string(e.size) : "", narrator.value_text(), ordered ? trace::order_name(e.order) : "",
      narrator.variable(), narrator.place_text(), narrator.function());
  line.erase(line.find_last_not_of(' ') + 1);
  out.print("{}\n", report::printable(line, std::string::npos));
}

int show(const Trace& trace, const Options& options, const Filter& filter) {
  Output out;
  const std::size_t end = filter.last < trace.events.size() ? filter.last + 1 : trace.events.size();
  // Finding the last events takes a walk through all of them; a second walk prints them.
  std::size_t skip = 0;
  if (options.tail) {
    report::Narrator narrator(trace);
    std::size_t matching = 0;
    for (std::size_t i = 0; i < end; ++i) {
      narrator.follow(i);
      if (filter.takes(trace, i, narrator)) ++matching;
    }
    skip = matching > *options.tail ? matching - *options.tail : 0;
  }

  report::Narrator narrator(trace);
  std::size_t shown = 0;
  if (!options.json) print_header(out);
  for (std::size_t i = 0; i < end && !out.closed(); ++i) {
    if (options.limit && shown == *options.limit) break;
    narrator.follow(i);
    if (!filter.takes(trace, i, narrator)) continue;
    if (skip > 0) {
      --skip;
      continue;
    }
    if (options.json) out.print("{}\n", event_json(trace, i, narrator));
    else print_event(out, trace, i, narrator);
    ++shown;
  }
  return out.finish();
}

} // namespace

int run_show(int argc, char** argv) {
  Options options;
  Parser parser("show", "Print the events of a trace in their legal order, one a line.",
                "  sooth show bank.sooth --limit 50\n"
                "  sooth show bank.sooth --thread 2 --kind acquire,release\n"
                "  sooth show bank.sooth --variable 'acct->*' --json\n");
  parser.add_option("trace", options.file, "The trace file")->required()->type_name("T.sooth");
  parser.add_flag("--json", options.json, "One JSON object a line");
  parser.add_flag("--facts", options.facts,
                  "Not the events, but what is known of the program: what each site depends on");
  parser.add_option("--thread", options.threads, "Only this thread; may be repeated")->type_name("N|NAME")->one_value();
  parser.add_option("--variable", options.variables, "Only what touches variables of this name; may be repeated")
      ->type_name("GLOB")
      ->one_value();
  parser.add_option("--kind", options.kinds, "Only these kinds")->type_name("K[,K]")->delimiter(',')->one_value();
  parser.add_option("--range", options.range, "Only events A to B")->type_name("A:B");
  parser.add_option("--limit", options.limit, "At most the first N that match")->type_name("N");
  parser.add_option("--tail", options.tail, "Only the last N that match")->type_name("N");
  add_memory_option(parser, options.memory);
  if (const auto status = parser.parse_all(argc, argv)) return *status;

  Filter filter;
  filter.variables = options.variables;
  for (const std::string& wrong : {add_kinds(options.kinds, filter), add_range(options.range, filter)}) {
    if (wrong.empty()) continue;
    complain(wrong);
    return kWrong;
  }
  return with_trace(options.file, options.memory, [&](const Trace& trace, const BeginTelling& begin) {
    begin(); // the rest takes little memory
    if (options.facts) {
      Output out;
      print_facts(trace, options.json, out);
      return out.finish();
    }
    if (const std::string wrong = add_threads(trace, options.threads, filter); !wrong.empty()) {
      complain(wrong);
      return kWrong;
    }
    return show(trace, options, filter);
  });
}

} // namespace sooth::cli
