#include "logic/compile.h"

#include <algorithm>

#include "logic/syntax/nearest.h"

namespace sooth::logic {

void Compiler::fail(std::size_t at, std::string message) {
  if (!error_) error_ = file_.error(at, std::move(message));
}

std::string Compiler::text_of(const Node& node) const {
  std::string text = file_.text.substr(node.first, node.last - node.first);
  std::replace(text.begin(), text.end(), '\n', ' ');
  constexpr std::size_t kLongest = 200;
  if (text.size() > kLongest) text = text.substr(0, kLongest) + "...";
  return text;
}

bool Compiler::is_temporal(const Node& node) const {
  if (node.form != Form::Operation) return false;
  const Use use = operator_row(node.op).use;
  if (use == Use::Past || use == Use::Future) return true;
  return std::any_of(node.children.begin(), node.children.end(), [&](const Node& child) { return is_temporal(child); });
}

// Whether it is about something that happens, not only about values.
bool Compiler::names_event(const Node& node) const {
  if (node.form == Form::Predicate) return node.text != "watch";
  if (node.form == Form::Name) return node.path.empty() && is_event(node.text);
  return std::any_of(node.children.begin(), node.children.end(), [&](const Node& child) { return names_event(child); });
}

bool Compiler::is_event(const std::string& name) const {
  return std::any_of(events_.begin(), events_.end(), [&](const SyntaxEntry* e) { return e->name.text == name; });
}

void Compiler::define_event(const SyntaxEntry& entry) {
  if (is_event(entry.name.text)) return fail(entry.name.at, "there are two events '" + entry.name.text + "'");
  if (is_temporal(entry.body))
    return fail(entry.body.begin, "an event is about one step; temporal operators belong into a property");
  if (!names_event(entry.body))
    return fail(entry.body.begin, "an event needs something that happens: call(f), acquire(m), user(name), ...");
  // Compiled here only to find what is wrong with it, where it stands.
  PropertyFile scratch;
  Compiler check(file_, symbols_, scratch);
  check.events_ = events_;
  check.expression(entry.body);
  if (check.error_) error_ = check.error_;
  events_.push_back(&entry);
}

std::uint32_t Compiler::add_atom(const Node& node, Property& property, bool share) {
  Expression atom = expression(node);
  if (share)
    for (std::uint32_t i = 0; i < property.atoms.size(); ++i)
      if (property.atoms[i].code() == atom.code()) return i;
  if (property.atoms.size() == kMaxAtoms) {
    fail(node.begin, "'" + property.name + "' has more than " + std::to_string(kMaxAtoms) + " different conditions");
    return 0;
  }
  property.atoms.push_back(std::move(atom));
  return static_cast<std::uint32_t>(property.atoms.size() - 1);
}

std::uint32_t Compiler::add_node(Formula& formula, const Node& node, Property& property) {
  if (error_) return 0;
  FormulaNode made;
  made.text = text_of(node);
  if (!is_temporal(node)) {
    made.is_atom = true;
    made.left = add_atom(node, property, true);
  } else {
    made.op = node.op == Operator::Not ? Operator::Negation : node.op;
    const bool numbers = operator_row(made.op).use == Use::Value;
    if (numbers)
      for (const Node& child : node.children) check_operand(node, child);
    if (error_) return 0;
    if (remembers(made.op) && ++temporal_bits_ > kMaxTemporalBits)
      fail(node.begin,
           "'" + property.name + "' has more than " + std::to_string(kMaxTemporalBits) + " temporal operators");
    made.left = add_node(formula, node.children[0], property);
    if (node.children.size() > 1) made.right = add_node(formula, node.children[1], property);
  }
  if (formula.size() >= kMaxFormulaNodes) {
    fail(node.begin, "'" + property.name + "' has more than " + std::to_string(kMaxFormulaNodes) + " operators");
    return 0;
  }
  formula.push_back(std::move(made));
  return static_cast<std::uint32_t>(formula.size() - 1);
}

Formula Compiler::formula(const Node& node, Property& property) {
  Formula result;
  temporal_bits_ = 0;
  add_node(result, node, property);
  return result;
}

void Compiler::event_atom(const SyntaxName& event, Property& property) {
  for (const SyntaxEntry* entry : events_) {
    if (entry->name.text != event.text) continue;
    add_atom(entry->body, property, false);
    return;
  }
  std::vector<std::string> known;
  known.reserve(events_.size());
  for (const SyntaxEntry* entry : events_) known.push_back(entry->name.text);
  fail(event.at,
       "unknown event '" + event.text + "'" + did_you_mean(event.text, known) +
           (known.empty() ? "; events are defined before they are used: event " + event.text + " = call(f)" : ""));
}

} // namespace sooth::logic
