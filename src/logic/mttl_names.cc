// The meaning of names and events in monitors: shared variables, local ones, blocks, accesses.
#include <algorithm>

#include "logic/mttl.h"
#include "logic/syntax/nearest.h"

namespace sooth::logic {
namespace {

constexpr std::uint8_t kReads = knowledge::kPlainRead | knowledge::kAtomicRead;
constexpr std::uint8_t kWrites = knowledge::kPlainWrite | knowledge::kAtomicWrite;

struct AccessRow {
  std::string_view word;
  std::uint8_t bits;
};
constexpr AccessRow kAccesses[] = {
    {"read", kReads},
    {"write", kWrites},
    {"plain_read", knowledge::kPlainRead},
    {"plain_write", knowledge::kPlainWrite},
};

std::uint32_t number_of(std::vector<std::string>& names, const std::string& name) {
  const auto at = std::find(names.begin(), names.end(), name);
  const auto number = static_cast<std::uint32_t>(at - names.begin());
  if (at == names.end()) names.push_back(name);
  return number;
}

} // namespace

Compiler::Code MonitorCompiler::monitor_name(const Node& node) {
  const bool may_be_local = node.path.empty() && contains(symbols_.user_events, node.text);
  FoundValue found = find_value(node, symbols_);
  const auto* missing = std::get_if<NotFound>(&found);
  if (may_be_local && missing == nullptr) {
    fail(node.begin, "'" + node.text + "' is a variable of the program and one that sooth_internal sets; write '::" +
                         node.text + "' or 'local(" + node.text + ")'");
    return nothing();
  }
  if (may_be_local) return local(node, node.text);
  if (missing != nullptr && missing->at == 0 && node.path.empty()) {
    const std::string near = did_you_mean(node.text, symbols_.user_events);
    if (!near.empty()) {
      fail(node.begin, "unknown variable '" + node.text + "'" + near);
      return nothing();
    }
  }
  Code code = found_value(node, std::move(found));
  if (error() || code.instructions[0].op != Op::Load) return code;
  return leaf(node, Op::Load, code.instructions[0].operand, code.shape);
}

Compiler::Code MonitorCompiler::monitor_predicate(const Node& node) {
  for (const AccessRow& row : kAccesses)
    if (row.word == node.text) return access(node, row.bits);
  if (node.text == "local") return local(node, unquoted(node.argument));
  if (node.text == "block") return block(node);
  if (node.text == "watch") {
    Code code = predicate(node);
    return error() ? code : leaf(node, Op::Load, code.instructions[0].operand, code.shape);
  }
  std::vector<std::string> known{"local", "block", "watch"};
  for (const AccessRow& row : kAccesses) known.emplace_back(row.word);
  for (const OperatorRow& row : operator_rows())
    if (row.stand == Stand::Prefix && row.use != Use::Future)
      for (std::string& spelling : spellings_of(row)) known.push_back(std::move(spelling));
  const std::string near = did_you_mean(node.text, known);
  fail(node.begin,
       "a monitor has no event or operator '" + node.text + "'" +
           (near.empty() ? "; it can see read(x), write(x), block(NAME) and what sooth_internal sets" : near));
  return nothing();
}

Compiler::Code MonitorCompiler::access(const Node& node, std::uint8_t bits) {
  const auto name = parse_name(node.argument);
  if (!name) {
    fail(node.argument_at, "'" + node.text + "' needs the name of a variable in its parentheses");
    return nothing();
  }
  FoundValue found = find_value(*name, symbols_);
  if (const auto* why = std::get_if<NotFound>(&found)) {
    fail(node.argument_at, why->message);
    return nothing();
  }
  const Code variable = found_value(*name, std::move(found));
  if (error()) return nothing();
  if (variable.instructions[0].op != Op::Load) {
    fail(node.argument_at, "'" + unquoted(node.argument) + "' is no variable");
    return nothing();
  }
  const auto index = static_cast<std::uint32_t>(variable.instructions[0].operand);
  return leaf(node, Op::Accessed, knowledge::access_operand(index, bits), {});
}

Compiler::Code MonitorCompiler::local(const Node& node, const std::string& name) {
  if (symbols_.all_names_known && !contains(symbols_.user_events, name))
    fail(node.begin,
         "the program has no sooth_internal of the name '" + name + "'" + did_you_mean(name, symbols_.user_events));
  return leaf(node, Op::Local, number_of(builder_.locals, name), {ScalarKind::Signed, 8});
}

void MonitorCompiler::check_block(const std::string& name, std::size_t at) {
  const bool all_known = symbols_.all_names_known && !contains(symbols_.block_names, "");
  if (name.empty() || (all_known && !contains(symbols_.block_names, name)))
    fail(at, "the program has no SOOTH_ATOMIC of the name '" + name + "'" + did_you_mean(name, symbols_.block_names));
}

Compiler::Code MonitorCompiler::block(const Node& node) {
  const std::string name = unquoted(node.argument);
  check_block(name, node.argument_at);
  return leaf(node, Op::Block, number_of(builder_.blocks, name), {ScalarKind::Signed, 8});
}

void MonitorCompiler::carry(const SyntaxName& name) {
  const auto node = parse_name(name.text);
  if (!node) return fail(name.at, "'" + name.text + "' is not the name of a variable");
  FoundValue found = find_value(*node, symbols_);
  if (const auto* why = std::get_if<NotFound>(&found)) return fail(name.at, why->message);
  if (std::holds_alternative<Constant>(found)) return fail(name.at, "'" + name.text + "' is no variable");
  found_value(*node, std::move(found));
}

void MonitorCompiler::check_subject(const SyntaxEntry& entry) {
  const SyntaxName& subject = entry.monitor.subject;
  if (entry.monitor.ready == ReadyMade::DataRace) return carry(subject);
  check_block(unquoted(subject.text), subject.at);
}

} // namespace sooth::logic
