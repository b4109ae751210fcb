#include "logic/monitor_needs.h"

#include <cctype>
#include <set>

#include "logic/mttl.h"
#include "logic/names/lookup.h"

namespace sooth::logic {
namespace {

class Collector {
public:
  void add(const SyntaxFile& file) {
    for (const SyntaxEntry& entry : file.entries)
      if (entry.kind == EntryKind::Monitor) add(entry);
  }
  MonitorNeeds result() {
    needs_.variables.assign(variables_.begin(), variables_.end());
    needs_.start_functions.assign(functions_.begin(), functions_.end());
    return std::move(needs_);
  }

private:
  void add(const SyntaxEntry& entry) {
    const SyntaxMonitor& monitor = entry.monitor;
    for (const SyntaxName& name : monitor.over) variable(name.text);
    needs_.all_memory = needs_.all_memory || is_about_all_memory(entry);
    if (monitor.ready != ReadyMade::None) {
      // Entries that cannot be parsed are refused when the monitors are compiled.
      if (const Result<SyntaxFile> expansion = parse(expansion_of(entry), "")) add(expansion.value());
      return;
    }
    std::set<std::string> bound;
    if (monitor.any) bound.insert(monitor.at.text);
    else thread(monitor.at.text, bound);
    collect(entry.body, bound);
  }

  void collect(const Node& node, std::set<std::string> bound) {
    switch (node.form) {
    case Form::Name: variable(node.text); break;
    case Form::Predicate: // an access, or a watched variable; local(x) and block(B) do not count, and match nothing
      if (node.text != "local" && node.text != "block") variable(node.argument);
      break;
    case Form::Remote: thread(node.text, bound); break;
    case Form::Quantifier: bound.insert(node.text); break;
    default: break;
    }
    for (const Node& child : node.children) collect(child, bound);
  }

  void variable(const std::string& written) {
    const auto name = parse_name(written);
    const std::string& text = name ? name->text : written;
    variables_.insert(text.substr(text.rfind(':') + 1)); // npos + 1 is 0
  }
  void thread(const std::string& name, const std::set<std::string>& bound) {
    const bool number = !name.empty() && std::isdigit(static_cast<unsigned char>(name[0])) != 0;
    if (!number && !bound.contains(name)) functions_.insert(unscoped_function_name(name));
  }

  MonitorNeeds needs_;
  std::set<std::string> variables_, functions_;
};

const SymbolVariable* symbol_of(const Variable& variable, const Symbols& symbols) {
  for (const SymbolVariable& symbol : symbols.variables)
    if (symbol.address <= variable.address && variable.address - symbol.address < symbol.bytes) return &symbol;
  return nullptr;
}

} // namespace

MonitorNeeds monitor_needs(const SyntaxFile& file) {
  Collector collector;
  collector.add(file);
  return collector.result();
}

std::optional<std::string> missing_hooks(const std::vector<Variable>& variables, bool all_memory,
                                         const Symbols& symbols) {
  if (symbols.unseen_variables.empty() && symbols.unreached_variables.empty()) return std::nullopt;
  const std::string why =
      ": the program was built with --monitor for other monitors; build it with --monitor for these";
  if (all_memory) return "not all memory is followed" + why;
  for (const Variable& variable : variables) {
    const SymbolVariable* symbol = variable.watched ? nullptr : symbol_of(variable, symbols);
    const bool seen = symbol == nullptr || !contains(symbols.unseen_variables, symbol->name);
    // Accesses by pointers were left out for the sake of variables that no pointer leads to.
    const bool reached = symbols.unreached_variables.empty() ||
                         (symbol != nullptr && contains(symbols.unreached_variables, symbol->name));
    if (!seen || !reached) return "not all accesses of '" + variable.name + "' are followed" + why;
  }
  return std::nullopt;
}

} // namespace sooth::logic
