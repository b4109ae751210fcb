#include <algorithm>
#include <charconv>

#include <tao/pegtl/contrib/parse_tree.hpp>

#include "logic/syntax/grammar.h"
#include "logic/syntax/nearest.h"
#include "logic/syntax/shape.h"
#include "logic/syntax/syntax.h"

namespace sooth::logic {
namespace {

namespace g = grammar;
namespace tree = tao::pegtl::parse_tree;

// The rules that become nodes of PEGTL's tree. All other rules only hold these together.
template <typename Rule>
using Kept = tree::selector<
    Rule, tree::store_content::on<
              g::property, g::liveness, g::event, g::pattern, g::machine, g::entry_name, g::over_event,
              g::whole_formula, g::formula_inside, g::whole_pattern, g::prefix, g::binary, g::unknown_word, g::group,
              g::interval, g::interval_suffix, g::number, g::predicate, g::predicate_word, g::argument, g::name,
              g::name_text, g::path_member, g::path_index, g::pattern_group, g::pattern_epsilon, g::pattern_empty,
              g::pattern_any, g::pattern_symbol, g::pattern_not, g::pattern_postfix, g::pattern_factor,
              g::pattern_concatenation, g::pattern_intersection, g::pattern_union, g::state, g::state_name,
              g::error_mark, g::transition_event, g::transition_target, g::action_simple, g::action_call_word,
              g::action_function, g::monitor, g::ready_race, g::ready_atomicity, g::race_variable, g::block_name,
              g::any_thread, g::thread_name, g::over_variable, g::over_star, g::remote, g::remote_inside, g::quantifier,
              g::quantifier_word, g::quantified, g::quantified_other>>;

using Tree = tree::node;

std::size_t begin_of(const Tree& t) { return t.m_begin.byte; }
std::size_t end_of(const Tree& t) { return t.m_end.byte; }
SyntaxName name_of(const Tree& t) { return {t.string(), begin_of(t)}; }

Node leaf(Form form, const Tree& t) {
  Node node;
  node.form = form;
  node.begin = node.first = begin_of(t);
  node.last = end_of(t);
  node.text = t.string();
  return node;
}

// --- formulas ------------------------------------------------------------------------------------

Node formula(const Tree& t, Use use);

Node name(const Tree& t) {
  Node node = leaf(Form::Name, t);
  for (const auto& part : t.children) {
    if (part->is_type<g::name_text>()) {
      node.text = part->string();
    } else if (part->is_type<g::path_member>()) {
      node.path.push_back({false, part->string(), 0, begin_of(*part)});
    } else {
      PathStep step{true, "", 0, begin_of(*part)};
      const std::string digits = part->string();
      if (std::from_chars(digits.data(), digits.data() + digits.size(), step.index).ec != std::errc())
        throw ShapeError{step.at, "the index is too large"};
      node.path.push_back(std::move(step));
    }
  }
  return node;
}

Node predicate(const Tree& t) {
  Node node = leaf(Form::Predicate, t);
  for (const auto& part : t.children) {
    if (part->is_type<g::predicate_word>()) node.text = part->string();
    else if (part->is_type<g::argument>()) node.argument = part->string(), node.argument_at = begin_of(*part);
  }
  return node;
}

Node interval(const Tree& t, Use use) {
  Node node = leaf(Form::Operation, t);
  node.op = Operator::IntervalStrong;
  node.text.clear();
  for (const auto& part : t.children) {
    if (part->is_type<g::formula_inside>()) node.children.push_back(formula(*part, use));
    else if (part->string_view().ends_with('w')) node.op = Operator::IntervalWeak;
  }
  if (use == Use::Future)
    throw ShapeError{node.begin, "an interval speaks of the past; it cannot be used in 'liveness'"};
  return node;
}

// Remote expressions and quantifiers have one operand, the whole of what follows.
Node with_operand(Node node, Node operand) {
  node.depth = operand.depth + 1;
  if (node.depth > kMaxTreeDepth) throw ShapeError{node.begin, "nested too deeply"};
  node.children.push_back(std::move(operand));
  return node;
}

Node remote(const Tree& t, Use use) {
  const Tree& inside = *t.children[1];
  Node node = leaf(Form::Remote, t);
  node.text = t.children[0]->string();
  node.argument_at = begin_of(*t.children[0]);
  if (inside.is_type<g::remote_inside>()) return with_operand(std::move(node), remote(*inside.children[0], use));
  return with_operand(std::move(node), formula(*inside.children[0], use));
}

Node quantifier(const Tree& t, Use use) {
  Node node = leaf(Form::Quantifier, t);
  for (const auto& part : t.children) {
    if (part->is_type<g::quantifier_word>()) node.universal = part->string_view() == "forall";
    else if (part->is_type<g::quantified>()) node.text = part->string();
    else if (part->is_type<g::quantified_other>()) node.argument = part->string(), node.argument_at = begin_of(*part);
    else return with_operand(std::move(node), formula(*part, use));
  }
  return node;
}

Node primary(const Tree& t, Use use) {
  if (t.is_type<g::remote>()) return remote(t, use);
  if (t.is_type<g::quantifier>()) return quantifier(t, use);
  if (t.is_type<g::number>()) return leaf(Form::Number, t);
  if (t.is_type<g::name>()) return name(t);
  if (t.is_type<g::predicate>()) return predicate(t);
  if (t.is_type<g::interval>()) return interval(t, use);
  Node node = formula(*t.children.front(), use);
  node.grouped = true;
  node.first = begin_of(t);
  node.last = end_of(t);
  return node;
}

Node formula(const Tree& t, Use use) {
  std::vector<Item> items;
  for (const auto& part : t.children) {
    Item item;
    item.at = begin_of(*part);
    if (part->is_type<g::prefix>() || part->is_type<g::binary>() || part->is_type<g::unknown_word>()) {
      item.what = part->is_type<g::prefix>() ? Item::What::Prefix : Item::What::Binary;
      item.spelling = part->string();
    } else {
      item.node = primary(*part, use);
    }
    items.push_back(std::move(item));
  }
  return shape_formula(std::move(items), use);
}

// --- patterns ------------------------------------------------------------------------------------

Node wrap(Operator op, std::size_t at, Node inner) {
  Node node;
  node.form = Form::Operation;
  node.op = op;
  node.begin = at;
  node.first = inner.first;
  node.last = inner.last;
  node.children.push_back(std::move(inner));
  return node;
}

Node regular(const Tree& t);

Node regular_factor(const Tree& t) {
  // not* primary postfix*: a complement takes in what its operand repeats, ~a* is ~(a*).
  std::vector<const Tree*> nots;
  std::size_t repeats = 0;
  Node node;
  for (const auto& part : t.children) {
    if (part->is_type<g::pattern_not>()) {
      nots.push_back(part.get());
    } else if (part->is_type<g::pattern_postfix>()) {
      if (++repeats > 8) throw ShapeError{begin_of(*part), "too many repetitions of the same pattern"};
      const char sign = part->string_view()[0];
      node = wrap(sign == '*'   ? Operator::Star
                  : sign == '+' ? Operator::Repeat
                                : Operator::Optional,
                  begin_of(*part), std::move(node));
    } else {
      node = regular(*part);
    }
  }
  // Two complements cancel.
  if (nots.size() % 2 == 1) node = wrap(Operator::PatternNot, begin_of(*nots.front()), std::move(node));
  return node;
}

Node regular(const Tree& t) {
  if (t.is_type<g::pattern_factor>()) return regular_factor(t);
  if (t.is_type<g::pattern_group>()) return regular(*t.children.front());
  const auto constant = [&](Operator op) {
    Node node = leaf(Form::Operation, t);
    node.op = op;
    return node;
  };
  if (t.is_type<g::pattern_symbol>()) return leaf(Form::Symbol, t);
  if (t.is_type<g::pattern_epsilon>()) return constant(Operator::Epsilon);
  if (t.is_type<g::pattern_empty>()) return constant(Operator::Empty);
  if (t.is_type<g::pattern_any>()) return constant(Operator::AnyEvent);
  // Union, intersection, concatenation: one operation with all of them as children.
  if (t.children.size() == 1) return regular(*t.children.front());
  Node node = leaf(Form::Operation, t);
  node.text.clear();
  node.op = t.is_type<g::pattern_union>()          ? Operator::Union
            : t.is_type<g::pattern_intersection>() ? Operator::Intersection
                                                   : Operator::Concatenation;
  for (const auto& part : t.children) node.children.push_back(regular(*part));
  return node;
}

// --- entries -------------------------------------------------------------------------------------

SyntaxState state(const Tree& t) {
  SyntaxState result;
  for (const auto& part : t.children) {
    if (part->is_type<g::error_mark>()) result.error = true;
    else if (part->is_type<g::state_name>()) result.name = name_of(*part);
    else if (part->is_type<g::transition_event>()) result.transitions.push_back({name_of(*part), {}});
    else result.transitions.back().target = name_of(*part);
  }
  return result;
}

EntryKind kind_of(const Tree& t) {
  if (t.is_type<g::property>()) return EntryKind::Property;
  if (t.is_type<g::event>()) return EntryKind::Event;
  if (t.is_type<g::pattern>()) return EntryKind::Pattern;
  if (t.is_type<g::liveness>()) return EntryKind::Liveness;
  if (t.is_type<g::monitor>()) return EntryKind::Monitor;
  return EntryKind::Machine;
}

// Parts that only monitors have.
bool monitor_part(const Tree& t, SyntaxEntry& entry) {
  SyntaxMonitor& monitor = entry.monitor;
  if (t.is_type<g::ready_race>() || t.is_type<g::ready_atomicity>()) {
    monitor.ready = t.is_type<g::ready_race>() ? ReadyMade::DataRace : ReadyMade::Atomicity;
    monitor.subject = name_of(*t.children.front());
    entry.name = name_of(t);
  } else if (t.is_type<g::any_thread>()) {
    monitor.any = true;
    const std::string text = t.string();
    const std::size_t last = text.find_last_of(" \t\r\n/") + 1; // a comment may stand before it
    monitor.at = {text.substr(last), begin_of(t) + last};
  } else if (t.is_type<g::thread_name>()) {
    monitor.at = name_of(t);
  } else if (t.is_type<g::over_variable>()) {
    monitor.over.push_back(name_of(t));
  } else if (t.is_type<g::over_star>()) {
    monitor.over_all = true;
  } else {
    return false;
  }
  return true;
}

void check_action(const SyntaxEntry& entry) {
  const std::string& action = entry.action.text;
  if ((action == "call" || action == "stop") && entry.kind == EntryKind::Liveness)
    throw ShapeError{entry.action.at, "what a 'liveness' entry finds is only possible: it can only be reported"};
  const bool of_monitors = action == "continue" || action == "abort" || action == "break";
  const bool of_all = action.empty() || action == "report" || action == "call";
  if (of_all || of_monitors == (entry.kind == EntryKind::Monitor)) return;
  throw ShapeError{entry.action.at, of_monitors
                                        ? "'" + action + "' is for monitors; here it is 'report', 'stop' or 'call NAME'"
                                        : "a monitor can 'continue', 'abort', 'break' or 'call NAME'"};
}

SyntaxEntry entry(const Tree& t) {
  SyntaxEntry result;
  result.kind = kind_of(t);
  result.first = begin_of(t);
  result.last = end_of(t);
  const Use use = result.kind == EntryKind::Liveness ? Use::Future : Use::Past;
  for (const auto& part : t.children) {
    if (part->is_type<g::entry_name>()) result.name = name_of(*part);
    else if (part->is_type<g::over_event>()) result.over.push_back(name_of(*part));
    else if (part->is_type<g::whole_formula>()) result.body = formula(*part, use);
    else if (part->is_type<g::whole_pattern>()) result.body = regular(*part->children.front());
    else if (part->is_type<g::state>()) result.states.push_back(state(*part));
    else if (part->is_type<g::action_simple>() || part->is_type<g::action_call_word>()) result.action = name_of(*part);
    else if (part->is_type<g::action_function>()) result.call = name_of(*part);
    else monitor_part(*part, result);
  }
  check_action(result);
  return result;
}

// For `proprty x: ...`: what is wrong with the word, if it is near one that begins an entry.
std::string misspelt_entry(std::string_view rest) {
  const std::vector<std::string> words = {"property", "event", "pattern", "machine", "liveness", "monitor", "when"};
  const auto letter = [](char c) { return c == '_' || g::is_word(std::string_view(&c, 1)); };
  const std::string word(rest.begin(), std::find_if_not(rest.begin(), rest.end(), letter));
  const std::string near = did_you_mean(word, words);
  return near.empty() ? near : "unknown entry '" + word + "'" + near;
}

// Something that is missing at the end of a line is missing there, not at the beginning of the next
// one.
std::size_t after_last_word(const std::string& text, std::size_t at) {
  const std::size_t last = at == 0 ? std::string::npos : text.find_last_not_of(" \t\r\n", at - 1);
  if (last == std::string::npos || text.find('\n', last) >= at) return at;
  return last + 1;
}

} // namespace

Error SyntaxFile::error(std::size_t at, std::string message) const {
  at = std::min(at, text.size());
  const std::size_t newline = at == 0 ? std::string::npos : text.rfind('\n', at - 1);
  const std::size_t first = newline == std::string::npos ? 0 : newline + 1;
  const std::size_t end = std::min(text.find('\n', at), text.size());
  Error result{std::move(message), name};
  result.line = 1 + static_cast<std::uint64_t>(std::count(text.begin(), text.begin() + static_cast<long>(first), '\n'));
  result.column = at - first + 1;

  // A long line is shown around the place; what a terminal could misunderstand is shown as a space.
  constexpr std::size_t kBefore = 90, kLongest = 110;
  const std::size_t from = at - first > kBefore ? at - kBefore : first;
  std::string line, caret;
  for (std::size_t i = from; i < std::min(end, from + kLongest); ++i) {
    const char c = text[i];
    line += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? ' ' : c;
    // A byte that continues a letter (UTF-8) takes no room of its own.
    if (i < at && (static_cast<unsigned char>(c) & 0xc0) != 0x80) caret += ' ';
  }
  result.message += "\n    " + line + "\n    " + caret + "^";
  return result;
}

std::optional<Node> parse_name(std::string_view text) {
  const auto space = [](char c) { return c == ' ' || c == '\t'; };
  while (!text.empty() && space(text.back())) text.remove_suffix(1);
  while (!text.empty() && space(text.front())) text.remove_prefix(1);
  tao::pegtl::memory_input<tao::pegtl::tracking_mode::eager> input(text.data(), text.data() + text.size(), "");
  try {
    const auto root = tree::parse<tao::pegtl::seq<g::name, tao::pegtl::eof>, Kept, g::depth, g::control>(input);
    if (root) return name(*root->children.front());
  } catch (const tao::pegtl::parse_error&) {
    return std::nullopt; // no name
  } catch (const ShapeError&) {
    return std::nullopt; // an index that is too large
  }
  return std::nullopt;
}

Error too_long(const std::string& name) { return {"the file is larger than a property file can be (1 MiB)", name}; }

Result<SyntaxFile> parse(std::string_view text, const std::string& name) {
  SyntaxFile file;
  file.name = name;
  file.text = text;
  if (text.size() > kLongestFile) return too_long(name);
  tao::pegtl::memory_input<tao::pegtl::tracking_mode::eager> input(file.text.data(),
                                                                   file.text.data() + file.text.size(), name);
  try {
    const auto root = tree::parse<g::file, Kept, g::depth, g::control>(input);
    if (!root) return file.error(0, "this is not understood");
    for (const auto& part : root->children) file.entries.push_back(entry(*part));
  } catch (const tao::pegtl::parse_error& error) {
    std::string message(error.message());
    const std::size_t at = error.positions().front().byte;
    if (message == g::message<g::end_of_file>) {
      std::string misspelt = misspelt_entry(std::string_view(file.text).substr(at));
      if (!misspelt.empty()) return file.error(at, std::move(misspelt));
    }
    if (message.find("nesting depth") != std::string::npos)
      message = "nested too deeply (more than " + std::to_string(g::kMaxNesting) + " levels of parentheses)";
    return file.error(after_last_word(file.text, at), std::move(message));
  } catch (const ShapeError& error) {
    return file.error(error.at, error.message);
  }
  return file;
}

} // namespace sooth::logic
