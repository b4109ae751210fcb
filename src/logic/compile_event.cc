// Events: call(f), acquire(m), user("landed"), ... One row for each kind.
#include <algorithm>
#include <charconv>

#include "logic/compile.h"
#include "logic/syntax/nearest.h"
#include "logic/trimmed.h"

namespace sooth::logic {
namespace {

struct PredicateRow {
  std::string_view word;
  EventClass what;
};
constexpr PredicateRow kPredicates[] = {
    {"call", EventClass::Call},
    {"return", EventClass::Return},
    {"acquire", EventClass::Acquire},
    {"release", EventClass::Release},
    {"thread_start", EventClass::ThreadStart},
    {"thread_end", EventClass::ThreadEnd},
    {"user", EventClass::User},
};

} // namespace

std::string Compiler::unquoted(std::string_view text) {
  text = trimmed(text);
  if (text.size() >= 2 && text.front() == '"' && text.back() == '"') text = text.substr(1, text.size() - 2);
  return std::string(text);
}

Compiler::Code Compiler::predicate(const Node& node) {
  if (node.text == "watch") return found_value(node, find_watched(unquoted(node.argument), symbols_));
  const auto predicate = event_predicate(node);
  if (!predicate || error_) return {{{}}, {}};
  const auto at = std::find(out_.events.begin(), out_.events.end(), *predicate);
  const auto index = static_cast<std::uint64_t>(at - out_.events.begin());
  if (at == out_.events.end()) {
    if (out_.events.size() == kMaxEvents) {
      fail(node.begin, "the file has more than " + std::to_string(kMaxEvents) + " different events");
      return {{{}}, {}};
    }
    out_.events.push_back(*predicate);
  }
  return {{{Op::Happened, ScalarKind::Signed, 4, ScalarKind::Signed, index}}, {}};
}

std::optional<EventPredicate> Compiler::event_predicate(const Node& node) {
  const auto row = std::find_if(std::begin(kPredicates), std::end(kPredicates),
                                [&](const PredicateRow& r) { return r.word == node.text; });
  if (row == std::end(kPredicates)) {
    std::vector<std::string> known{"watch"};
    for (const PredicateRow& r : kPredicates) known.emplace_back(r.word);
    for (const OperatorRow& r : operator_rows())
      if (r.stand == Stand::Prefix)
        for (std::string& spelling : spellings_of(r)) known.push_back(std::move(spelling));
    fail(node.begin, "unknown event or operator '" + node.text + "'" + did_you_mean(node.text, known));
    return std::nullopt;
  }
  EventPredicate predicate;
  predicate.what = row->what;
  predicate.name = trimmed(node.argument);
  const bool threads = row->what == EventClass::ThreadStart || row->what == EventClass::ThreadEnd;
  if (predicate.name == "*" || (threads && predicate.name.empty())) {
    predicate.any = true;
    predicate.name.clear();
    return predicate;
  }
  if (predicate.name.empty()) {
    fail(node.argument_at, "'" + node.text + "' needs a name in its parentheses, or '*' for all");
    return std::nullopt;
  }
  switch (row->what) {
  case EventClass::Call:
  case EventClass::Return: {
    FoundFunction found = find_function(predicate.name, symbols_);
    if (const auto* why = std::get_if<NotFound>(&found)) fail(node.argument_at, why->message);
    else predicate.name = std::get<std::string>(found);
    break;
  }
  case EventClass::Acquire:
  case EventClass::Release: lock(node, predicate); break;
  case EventClass::ThreadStart:
  case EventClass::ThreadEnd: thread(node, predicate); break;
  case EventClass::User: user_event(node, predicate); break;
  }
  if (error_) return std::nullopt;
  return predicate;
}

void Compiler::lock(const Node& node, EventPredicate& predicate) {
  const auto name = parse_name(node.argument);
  if (!name) return fail(node.argument_at, "'" + predicate.name + "' is not the name of a lock");
  FoundObject found = find_object(*name, symbols_);
  if (const auto* why = std::get_if<NotFound>(&found)) return fail(node.argument_at, why->message);
  const auto& object = std::get<Object>(found);
  predicate.address = object.address;
  predicate.size = object.bytes;
  predicate.watch_name = object.watch_name;
}

void Compiler::thread(const Node& node, EventPredicate& predicate) {
  const std::string& text = predicate.name;
  if (text.find_first_not_of("0123456789") != std::string::npos) {
    predicate.name = unquoted(text);
    return;
  }
  predicate.has_thread = true;
  if (std::from_chars(text.data(), text.data() + text.size(), predicate.thread).ec != std::errc())
    return fail(node.argument_at, "there are not that many threads");
  predicate.name.clear();
}

void Compiler::user_event(const Node& node, EventPredicate& predicate) {
  predicate.name = unquoted(predicate.name);
  const auto& known = symbols_.user_events;
  if (!symbols_.all_names_known || std::find(known.begin(), known.end(), predicate.name) != known.end()) return;
  fail(node.argument_at,
       "the program has no sooth_event of the name '" + predicate.name + "'" + did_you_mean(predicate.name, known));
}

} // namespace sooth::logic
