#include "unit/knowledge_run.h"

#include <algorithm>
#include <random>
#include <sstream>
#include <stdexcept>

#include "logic/syntax/operators.h"

namespace sooth::knowledge {

using logic::Form;
using logic::Node;
using logic::Operator;

OpenMonitors::OpenMonitors(const std::string& text, std::uint32_t places) {
  auto file = logic::read_properties(text, "test.prop", test_program().symbols);
  if (!file) throw std::runtime_error(file.error().text());
  file_ = std::move(*file);
  const auto& block = file_.compiled_monitors;
  if (const char* wrong = setup_.open(block.data(), block.size() * sizeof(Word), places))
    throw std::runtime_error(wrong);
  snapshots_.begin(setup_);
  memory_.resize(setup_.setup_words());
  const std::vector<std::uint64_t> zero(setup_.compiled.variable_count() + 1, 0);
  setup_.begin(memory_.data(), zero.data());
}

// --- the run -----------------------------------------------------------------------------------------------------------

KnowledgeRun::KnowledgeRun(const OpenMonitors& monitors, std::uint32_t places)
    : setup_(monitors.setup()), places_memory_(std::size_t{2} * places) {
  places_.begin(places_memory_.data(), places);
  make(0, nullptr);
}

void KnowledgeRun::make(std::uint32_t number, const Thread* creator) {
  Owned& owned = threads_[number];
  owned.memory.resize(setup_.thread_words());
  owned.state = make_thread(setup_, owned.memory.data(), number, places_.take(setup_, creator, number));
}

namespace {

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  std::istringstream in(text);
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}
bool accesses(const Step& step, const std::string& variable) {
  if (step.what != Do::Read && step.what != Do::Write) return false;
  return std::ranges::count(words_of(step.target), variable) != 0;
}

} // namespace

Outcome KnowledgeRun::touch(Thread& thread, Access kind, const std::string& names) {
  std::vector<Touch> touches;
  for (const std::string& name : words_of(names))
    touches.push_back({&carriers_[name], std::uint64_t{static_cast<std::uint32_t>(values_[name])}, variable(name)});
  return access(setup_, thread, kind, touches.data(), touches.size(), false);
}

std::uint32_t KnowledgeRun::variable(const std::string& name) const {
  for (std::uint32_t i = 0; i < setup_.compiled.variable_count(); ++i)
    if (setup_.compiled.string(setup_.compiled.variables[i].name) == name) return i;
  return kNoVariable;
}

std::int64_t KnowledgeRun::predicted(std::uint32_t thread, const std::string& name) const {
  const Word bits = threads_.at(thread).state->vector[Layout::variable_at(variable(name)) + 1];
  return static_cast<std::int32_t>(bits);
}

Outcome KnowledgeRun::take(const Step& step) {
  // A thread that nobody forked is there from the beginning.
  if (!threads_.contains(step.thread)) make(step.thread, nullptr);
  Thread& thread = *threads_[step.thread].state;
  const auto other = static_cast<std::uint32_t>(step.value);
  switch (step.what) {
  case Do::Start: return start(setup_, thread);
  case Do::End: return end(setup_, thread);
  case Do::Fork: make(other, &thread); return fork(setup_, thread, *threads_[other].state);
  case Do::Join: {
    const Outcome outcome = join(setup_, thread, *threads_[other].state);
    places_.joined(threads_[other].state->place, other);
    return outcome;
  }
  case Do::Read: return touch(thread, Access::Read, step.target);
  case Do::Write:
    for (const std::string& name : words_of(step.target)) values_[name] = step.value;
    return touch(thread, Access::Write, step.target);
  case Do::Lock: return write_carrier(setup_, thread, carriers_["lock " + step.target]);
  case Do::Internal: return internal(setup_, thread, find_local(setup_.compiled, step.target.c_str()), step.value);
  case Do::BlockBegin: return block_begin(setup_, thread, find_block(setup_.compiled, step.target.c_str()));
  case Do::BlockEnd: return block_end(setup_, thread, find_block(setup_.compiled, step.target.c_str()));
  case Do::Name: return take_name(setup_, thread, step.target.c_str());
  }
  return {};
}

// --- the computation ---------------------------------------------------------------------------------------------------

namespace {

bool conflict(const Step& a, const Step& b) {
  const auto memory = [](const Step& s) { return s.what == Do::Read || s.what == Do::Write; };
  if (memory(a) && memory(b))
    return (a.what == Do::Write || b.what == Do::Write) &&
           std::ranges::any_of(words_of(a.target), [&](const std::string& v) { return accesses(b, v); });
  return a.what == Do::Lock && b.what == Do::Lock && a.target == b.target;
}

bool ordered(const Step& a, const Step& b) {
  if (a.thread == b.thread || conflict(a, b)) return true;
  if (a.what == Do::Fork && b.thread == a.value) return true;
  return b.what == Do::Join && a.thread == b.value;
}

} // namespace

Computation::Computation(Steps steps) : steps_(std::move(steps)), before_(steps_.size()) {
  for (std::size_t b = 0; b < steps_.size(); ++b) {
    before_[b].resize(steps_.size(), false);
    threads_ = std::max<std::size_t>(threads_, steps_[b].thread + 1);
    for (std::size_t a = 0; a < b; ++a) {
      if (!ordered(steps_[a], steps_[b])) continue;
      before_[b][a] = true;
      for (std::size_t c = 0; c < a; ++c) before_[b][c] = before_[b][c] || before_[a][c];
    }
  }
}

std::vector<std::size_t> Computation::linearisation(std::uint32_t seed) const {
  std::mt19937 random(seed);
  std::vector<std::size_t> order;
  std::vector<bool> taken(steps_.size(), false);
  while (order.size() < steps_.size()) {
    std::vector<std::size_t> ready;
    for (std::size_t e = 0; e < steps_.size(); ++e) {
      bool now = !taken[e];
      for (std::size_t p = 0; p < e && now; ++p) now = taken[p] || !before_[e][p];
      if (now) ready.push_back(e);
    }
    const std::size_t chosen = ready[random() % ready.size()];
    taken[chosen] = true;
    order.push_back(chosen);
  }
  return order;
}

std::optional<std::size_t> Computation::latest(std::uint32_t thread, std::optional<std::size_t> at) const {
  if (!at) return std::nullopt;
  for (std::size_t e = *at + 1; e-- > 0;)
    if (steps_[e].thread == thread && (e == *at || before_[*at][e])) return e;
  return std::nullopt;
}

std::int64_t Computation::predicted(std::optional<std::size_t> at, const std::string& variable) const {
  if (!at) return 0;
  // Writes of one variable are in order, so the last one of the past in any order is the last one.
  for (std::size_t e = *at + 1; e-- > 0;)
    if (steps_[e].what == Do::Write && accesses(steps_[e], variable) && (e == *at || before_[*at][e]))
      return steps_[e].value;
  return 0;
}

bool Computation::known(std::uint32_t thread, std::size_t at) const {
  if (!latest(thread, at)) return false;
  for (std::size_t e = 0; e < steps_.size(); ++e)
    if (steps_[e].what == Do::Join && steps_[e].value == thread && before_[at][e]) return false;
  return true;
}

bool Computation::has_name(std::size_t at, const std::string& name) const {
  const std::uint32_t thread = steps_[at].thread;
  for (std::size_t e = at + 1; e-- > 0;)
    if (steps_[e].thread == thread && steps_[e].what == Do::Name) return steps_[e].target == name;
  return false;
}

// The latest state in which the thread had the role.
std::optional<std::size_t> Computation::latest_in_role(const std::string& role, std::uint32_t thread,
                                                       std::optional<std::size_t> at) const {
  const bool number = role.find_first_not_of("0123456789") == std::string::npos;
  for (auto e = latest(thread, at); e;) {
    if (number ? std::stoul(role) == thread : has_name(*e, role)) return e;
    const std::size_t from = *e;
    e.reset();
    for (std::size_t p = from; p-- > 0 && !e;)
      if (steps_[p].thread == thread) e = p;
  }
  return std::nullopt;
}

std::optional<std::uint32_t> Computation::holder(const std::string& role, std::optional<std::size_t> at) const {
  for (auto thread = static_cast<std::uint32_t>(threads_); thread-- > 0;)
    if (latest_in_role(role, thread, at)) return thread;
  return std::nullopt;
}

// --- Table 1 -----------------------------------------------------------------------------------------------------------

std::int64_t Computation::value(const Node& node, std::uint32_t thread, std::optional<std::size_t> at,
                                const Bound& bound) const {
  switch (node.form) {
  case Form::Number: return std::stoll(node.text);
  case Form::Name:
    return node.text == "a" || node.text == "atomic" ? local(node.text, thread, at) : predicted(at, node.text);
  case Form::Predicate: return predicate(node, thread, at);
  case Form::Remote: {
    const auto variable = bound.find(node.text);
    Bound inside = bound;
    std::erase_if(inside, [](const auto& name) { return name.first.starts_with('#'); });
    if (variable != bound.end()) return value(node.children[0], variable->second, latest(variable->second, at), inside);
    inside["#" + node.text] = 0;
    const auto whose = holder(node.text, at);
    // Nobody is known to have the role: it is as at the start. (The thread's number counts for nothing then.)
    return whose ? value(node.children[0], *whose, latest_in_role(node.text, *whose, at), inside)
                 : value(node.children[0], ~0u, std::nullopt, inside);
  }
  case Form::Quantifier: {
    for (std::uint32_t u = 0; at && u < threads_; ++u) {
      if (!known(u, *at) || (!node.argument.empty() && u == thread)) continue;
      Bound inner = bound;
      inner[node.text] = u;
      if ((value(node.children[0], thread, at, inner) != 0) != node.universal) return !node.universal;
    }
    return node.universal;
  }
  default: return operation(node, thread, at, bound);
  }
}

std::int64_t Computation::operation(const Node& node, std::uint32_t thread, std::optional<std::size_t> at,
                                    const Bound& bound) const {
  if (logic::operator_row(node.op).use == logic::Use::Past) return past(node, thread, at, bound);
  const std::int64_t a = value(node.children[0], thread, at, bound);
  const std::int64_t b = node.children.size() > 1 ? value(node.children[1], thread, at, bound) : 0;
  switch (node.op) {
  case Operator::Not:
  case Operator::Negation: return a == 0;
  case Operator::And: return a != 0 && b != 0;
  case Operator::Or: return a != 0 || b != 0;
  case Operator::Implies: return a == 0 || b != 0;
  case Operator::Iff: return (a != 0) == (b != 0);
  case Operator::Xor: return (a != 0) != (b != 0);
  case Operator::Equal: return a == b;
  case Operator::NotEqual: return a != b;
  case Operator::Less: return a < b;
  case Operator::LessEqual: return a <= b;
  case Operator::Greater: return a > b;
  case Operator::GreaterEqual: return a >= b;
  case Operator::Plus: return a + b;
  case Operator::Minus: return a - b;
  case Operator::Times: return a * b;
  default: throw std::logic_error("the evaluation by hand does not have this operator");
  }
}

std::int64_t Computation::past(const Node& node, std::uint32_t thread, std::optional<std::size_t> at,
                               const Bound& bound) const {
  // The states s' of the thread up to this one, latest first. Before it did anything there is that one state.
  std::vector<std::optional<std::size_t>> states{at};
  std::string role; // whose states: those since the thread has had it
  for (const auto& [name, number] : bound)
    if (name.starts_with('#') && name.find_first_not_of("#0123456789") != std::string::npos) role = name.substr(1);
  for (std::size_t e = at.value_or(0); at && e-- > 0;) {
    if (steps_[e].thread != thread) continue;
    if (!role.empty() && !has_name(e, role)) break;
    states.emplace_back(e);
  }
  const auto holds = [&](std::size_t child, std::size_t state) {
    return value(node.children[child], thread, states[state], bound) != 0;
  };
  const auto since = [&](bool weak) {
    for (std::size_t s = 0; s < states.size(); ++s) {
      if (holds(1, s)) return true;
      if (!holds(0, s)) return false;
    }
    return weak;
  };
  switch (node.op) {
  case Operator::Previously: return states.size() > 1 ? holds(0, 1) : holds(0, 0);
  case Operator::Start: return states.size() > 1 && holds(0, 0) && !holds(0, 1);
  case Operator::End: return states.size() > 1 && !holds(0, 0) && holds(0, 1);
  case Operator::Once:
    for (std::size_t s = 0; s < states.size(); ++s)
      if (holds(0, s)) return true;
    return false;
  case Operator::Historically:
    for (std::size_t s = 0; s < states.size(); ++s)
      if (!holds(0, s)) return false;
    return true;
  case Operator::SinceStrong: return since(false);
  case Operator::SinceWeak: return since(true);
  case Operator::IntervalStrong:
  case Operator::IntervalWeak:
    for (std::size_t s = 0; s < states.size(); ++s) {
      if (holds(1, s)) return false;
      if (holds(0, s)) return true;
    }
    return node.op == Operator::IntervalWeak;
  default: throw std::logic_error("no operator of the past");
  }
}

std::int64_t Computation::predicate(const Node& node, std::uint32_t thread, std::optional<std::size_t> at) const {
  if (node.text == "local") return local(node.argument, thread, at);
  if (node.text == "block") return block(node.argument, thread, at);
  if (!at || !accesses(steps_[*at], node.argument)) return 0;
  const bool reads = node.text == "read" || node.text == "plain_read";
  return steps_[*at].what == (reads ? Do::Read : Do::Write);
}

std::int64_t Computation::local(const std::string& name, std::uint32_t thread, std::optional<std::size_t> at) const {
  for (std::size_t e = at ? *at + 1 : 0; e-- > 0;)
    if (steps_[e].thread == thread && steps_[e].what == Do::Internal && steps_[e].target == name)
      return steps_[e].value;
  return 0;
}

std::int64_t Computation::block(const std::string& name, std::uint32_t thread, std::optional<std::size_t> at) const {
  std::int64_t depth = 0, entries = 0;
  for (std::size_t e = 0; at && e <= *at; ++e) {
    if (steps_[e].thread != thread || steps_[e].target != name) continue;
    if (steps_[e].what == Do::BlockBegin && ++depth == 1) ++entries;
    if (steps_[e].what == Do::BlockEnd && depth > 0) --depth;
  }
  return depth > 0 ? entries : 0;
}

} // namespace sooth::knowledge
