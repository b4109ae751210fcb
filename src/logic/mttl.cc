#include "logic/mttl.h"

#include <algorithm>
#include <charconv>

#include "logic/syntax/nearest.h"

namespace sooth::logic {
namespace {

using knowledge::kAllThreads;
using knowledge::Loop;
using knowledge::NodeKind;
using knowledge::NodeRow;
using knowledge::SectionRow;
using knowledge::TemporalOp;

TemporalOp temporal_op(Operator op) {
  switch (op) {
  case Operator::Previously: return TemporalOp::Previously;
  case Operator::Start: return TemporalOp::Start;
  case Operator::End: return TemporalOp::End;
  case Operator::Once: return TemporalOp::Once;
  case Operator::Historically: return TemporalOp::Historically;
  case Operator::SinceStrong: return TemporalOp::SinceStrong;
  case Operator::SinceWeak: return TemporalOp::SinceWeak;
  case Operator::IntervalStrong: return TemporalOp::IntervalStrong;
  default: return TemporalOp::IntervalWeak;
  }
}

// Gives a variable another value for the lifetime of this object.
template <typename T>
class Instead {
public:
  Instead(T& variable, T value) : variable_(variable), before_(variable) { variable = value; }
  ~Instead() { variable_ = before_; }
  Instead(const Instead&) = delete;
  Instead& operator=(const Instead&) = delete;

private:
  T& variable_;
  T before_;
};

} // namespace

void MonitorCompiler::formula_at_thread(const SyntaxEntry& entry, knowledge::MonitorRow row) {
  Frame frame;
  frame.self = entry.monitor.at.text;
  frame.self_is_variable = entry.monitor.any;
  if (!entry.monitor.any) frame.of_class = find_role(entry.monitor.at.text, entry.monitor.at.at);
  const Instead<Frame*> here(frame_, &frame);
  first_part_ = builder_.parts.size();
  NodeRow judge;
  judge.kind = NodeKind::Judge;
  judge.to = static_cast<std::uint32_t>(builder_.monitors.size());
  judge.a = computed(as_truth(value(entry.body)));
  frame.nodes.push_back(judge);
  SectionRow section;
  section.of_class = frame.of_class;
  finish_section(frame, section);
  row.of_class = frame.of_class;
  row.first_part = static_cast<std::uint32_t>(first_part_);
  row.parts = static_cast<std::uint32_t>(builder_.parts.size() - first_part_);
  builder_.monitors.push_back(row);
}

void MonitorCompiler::finish_section(Frame& frame, SectionRow row) {
  row.first_node = static_cast<std::uint32_t>(builder_.nodes.size());
  row.nodes = static_cast<std::uint32_t>(frame.nodes.size());
  row.temporal = frame.bits != 0 ? 1 : 0;
  builder_.nodes.insert(builder_.nodes.end(), frame.nodes.begin(), frame.nodes.end());
  builder_.sections.push_back(row);
}

std::uint32_t MonitorCompiler::computed(Code code) {
  if (code.instructions.size() == 1 && code.instructions[0].op == Op::Result)
    return static_cast<std::uint32_t>(code.instructions[0].operand);
  NodeRow node;
  node.to = new_register();
  node.a = static_cast<std::uint32_t>(builder_.code.size());
  node.b = static_cast<std::uint32_t>(code.instructions.size());
  builder_.code.insert(builder_.code.end(), code.instructions.begin(), code.instructions.end());
  frame_->nodes.push_back(node);
  return node.to;
}

// Something to look at; reports say what it was.
Compiler::Code MonitorCompiler::leaf(const Node& node, Op op, std::uint64_t operand, Shape shape,
                                     const std::string& about) {
  const Instruction in{op, shape.kind, shape.bytes, shape.kind, operand};
  if (remote_depth_ == 0) {
    knowledge::PartRow part;
    part.text = builder_.text(text_of(node));
    part.about = builder_.text(about);
    part.leaf = in;
    part.layout = {shape.kind, shape.bytes, 0, 0};
    const auto same = [&](const knowledge::PartRow& p) { return p.text == part.text && p.leaf == part.leaf; };
    if (std::none_of(builder_.parts.begin() + static_cast<long>(first_part_), builder_.parts.end(), same))
      builder_.parts.push_back(part);
  }
  return {{in}, shape};
}

Compiler::Code MonitorCompiler::value_at_depth(const Node& node) {
  switch (node.form) {
  case Form::Name: return monitor_name(node);
  case Form::Predicate: return monitor_predicate(node);
  case Form::Remote: return remote(node);
  case Form::Quantifier: return quantifier(node);
  case Form::Operation:
    if (operator_row(node.op).use == Use::Past) return temporal(node);
    break;
  default: break;
  }
  return Compiler::value_at_depth(node);
}

Compiler::Code MonitorCompiler::temporal(const Node& node) {
  NodeRow made;
  made.kind = NodeKind::Temporal;
  made.op = temporal_op(node.op);
  made.a = made.b = computed(as_truth(value(node.children[0])));
  if (node.children.size() > 1) made.b = computed(as_truth(value(node.children[1])));
  if (error()) return nothing();
  if (frame_->bits == knowledge::kMaxTemporalBits) {
    fail(node.begin, "more than " + std::to_string(knowledge::kMaxTemporalBits) + " temporal operators of one thread");
    return nothing();
  }
  made.bit = static_cast<std::uint16_t>(frame_->bits++);
  made.to = new_register();
  frame_->nodes.push_back(made);
  return {{{Op::Result, ScalarKind::Signed, 4, ScalarKind::Signed, made.to}}, {}};
}

// --- other threads -------------------------------------------------------------------------------

// The present thread variables that a formula mentions.
std::set<std::string> MonitorCompiler::thread_variables(const Node& node) const {
  std::set<std::string> found;
  for (const Node& child : node.children) found.merge(thread_variables(child));
  if (node.form == Form::Quantifier) {
    found.erase(node.text);
    if (!node.argument.empty()) found.insert(node.argument);
  }
  if (node.form == Form::Remote) found.insert(node.text);
  std::erase_if(found, [&](const std::string& name) {
    return name != frame_->other && (name != frame_->self || !frame_->self_is_variable);
  });
  return found;
}

Compiler::Code MonitorCompiler::remote(const Node& node) {
  const std::string& who = node.text;
  if (frame_->self_is_variable && who == frame_->self) return value(node.children[0]); // in this very state
  const bool of_variable = !frame_->other.empty() && who == frame_->other;
  const std::uint32_t of_class = of_variable ? kAllThreads : find_role(who, node.argument_at);
  std::set<std::string> others = thread_variables(node.children[0]);
  if (of_variable) others.erase(who);
  if (others.size() > 1) {
    fail(node.begin, "this can never be known: '@" + who + "(...)' speaks of more than one other thread variable, '" +
                         *others.begin() + "' and '" + *others.rbegin() + "'");
  }
  if (error()) return nothing();
  const std::string about = others.empty() ? "" : *others.begin();
  const Stored stored = stored_value(node, of_class, of_variable, about);
  const bool of_self = !about.empty() && about != frame_->other;
  if (of_variable) return leaf(node, of_self ? Op::ThreadOfSelf : Op::ThreadValue, stored.index, stored.shape, who);
  const Op op = about.empty() ? Op::RoleValue : of_self ? Op::RoleOfSelf : Op::RoleOfOther;
  return leaf(node, op, knowledge::role_operand(of_class, stored.index), stored.shape, who);
}

// The thread `node.text` stores the value in the parentheses about itself, and about each thread if
// there is an `about`.
MonitorCompiler::Stored MonitorCompiler::stored_value(const Node& node, std::uint32_t of_class, bool of_variable,
                                                      const std::string& about) {
  const Node& inside = node.children[0];
  const std::string key = std::to_string(of_class) + " " + (of_variable ? node.text : "") + " " + about + " " +
                          file_.text.substr(inside.first, inside.last - inside.first);
  if (const auto known = stored_.find(key); known != stored_.end()) return known->second;

  Frame frame;
  frame.of_class = of_class;
  frame.self = node.text;
  frame.self_is_variable = of_variable;
  frame.other = about;
  const Instead<Frame*> here(frame_, &frame);
  ++remote_depth_;
  Code code = value(inside);
  --remote_depth_;
  Stored stored;
  stored.shape = code.shape;
  NodeRow store;
  store.kind = NodeKind::Store;
  store.a = computed(std::move(code));
  knowledge::ClassRow& kept = builder_.classes[of_class];
  if ((about.empty() ? kept.values >= knowledge::kMaxValues : kept.about >= knowledge::kMaxAbout))
    fail(node.begin, "the monitors ask for too many things about '" + node.text + "'");
  store.to = stored.index = about.empty() ? kept.values++ : kept.about++;
  frame.nodes.push_back(store);
  SectionRow section;
  section.of_class = of_class;
  section.loop = about.empty() ? Loop::None : Loop::Store;
  finish_section(frame, section);
  stored_.emplace(key, stored);
  return stored;
}

Compiler::Code MonitorCompiler::quantifier(const Node& node) {
  const std::string& variable = node.text;
  if ((frame_->self_is_variable && variable == frame_->self) || variable == frame_->other)
    fail(node.begin, "there is a thread variable '" + variable + "' already");
  if (!node.argument.empty() && node.argument != frame_->self)
    fail(node.argument_at,
         "here '" + variable + "' can only be told apart from '" + frame_->self + "', whose formula this is");
  if (!frame_->other.empty() && thread_variables(node.children[0]).contains(frame_->other))
    fail(node.begin, "this can never be known: it speaks of two thread variables at once, '" + frame_->other +
                         "' and '" + variable + "'");
  if (error()) return nothing();

  Frame frame;
  frame.of_class = frame_->of_class;
  frame.self = frame_->self;
  frame.self_is_variable = frame_->self_is_variable;
  frame.other = variable;
  const Instead<Frame*> here(frame_, &frame);
  if (!thread_variables(node.children[0]).contains(variable))
    fail(node.begin, "what follows says nothing about '" + variable + "'; write '@" + variable + "(...)'");
  SectionRow section;
  section.of_class = frame.of_class;
  section.loop = node.universal ? Loop::Forall : Loop::Exists;
  section.without_self = node.argument.empty() ? 0 : 1;
  section.of = computed(as_truth(value(node.children[0])));
  section.to = new_register();
  finish_section(frame, section);
  return {{{Op::Result, ScalarKind::Signed, 4, ScalarKind::Signed, section.to}}, {}};
}

std::uint32_t MonitorCompiler::find_role(const std::string& text, std::size_t at) {
  knowledge::RoleRow row;
  named_role(text, at, row);
  for (std::uint32_t r = 0; r < builder_.roles.size(); ++r) {
    const knowledge::RoleRow& other = builder_.roles[r];
    if (other.kind == row.kind && other.name == row.name && other.number == row.number) return r;
  }
  if (builder_.roles.size() == knowledge::kMaxRoles) {
    fail(at, "the monitors name more than " + std::to_string(knowledge::kMaxRoles) + " threads");
    return 0;
  }
  builder_.roles.push_back(row);
  return static_cast<std::uint32_t>(builder_.roles.size() - 1);
}

// A number, a name that some thread gives itself, or the function that it starts with.
void MonitorCompiler::named_role(const std::string& text, std::size_t at, knowledge::RoleRow& row) {
  if (text.find_first_not_of("0123456789") == std::string::npos) {
    row.kind = knowledge::RoleKind::Number;
    if (std::from_chars(text.data(), text.data() + text.size(), row.number).ec != std::errc())
      fail(at, "there are not that many threads");
    return;
  }
  const std::string name = unquoted(text);
  row.name = builder_.text(name);
  if (contains(symbols_.thread_names, name)) return;
  if (name == "main" && text == name) {
    row = {knowledge::RoleKind::Number, 0, 0};
    return;
  }
  if (text == name) {
    FoundFunction function = find_function(name, symbols_, FunctionUse::ThreadStart);
    if (const auto* found = std::get_if<std::string>(&function)) {
      row = {knowledge::RoleKind::Function, builder_.text(*found), 0};
      return;
    }
    const auto inlined = [&](const std::string& demangled) {
      return same_function(plain_function_name(demangled), name);
    };
    if (std::ranges::any_of(symbols_.inlined_functions, inlined)) return fail(at, std::get<NotFound>(function).message);
  }
  if (!symbols_.all_names_known || contains(symbols_.thread_names, "")) return;
  if (text != name && (name == "main" || std::holds_alternative<std::string>(find_function(name, symbols_))))
    return fail(at, "unknown thread " + text + ": in quotes it is a name that a thread gives itself, and no " +
                        "sooth_thread_name gives this one; for the function that a thread starts with, write " + name);
  std::vector<std::string> names = symbols_.thread_names;
  for (const std::string& function : symbols_.functions) names.push_back(plain_function_name(function));
  if (frame_ != nullptr && frame_->self_is_variable) names.push_back(frame_->self);
  if (frame_ != nullptr && !frame_->other.empty()) names.push_back(frame_->other);
  fail(at, "unknown thread '" + name + "': no sooth_thread_name, start function or thread variable is called so" +
               did_you_mean(name, names));
}

} // namespace sooth::logic
