#include "logic/resolve.h"

#include <algorithm>

#include "logic/compile.h"
#include "logic/ere.h"
#include "logic/fsm.h"
#include "logic/mttl.h"

namespace sooth::logic {
namespace {

Place place_of(const SyntaxFile& file, std::size_t at) {
  const Error error = file.error(at, "");
  return {error.file, error.line, error.column};
}

PropertyKind kind_of(EntryKind kind) {
  switch (kind) {
  case EntryKind::Pattern: return PropertyKind::Pattern;
  case EntryKind::Machine: return PropertyKind::Machine;
  case EntryKind::Liveness: return PropertyKind::Liveness;
  default: return PropertyKind::Formula;
  }
}

// Which variables and events the atoms read.
void collect_uses(Property& property) {
  for (const Expression& atom : property.atoms) {
    for (const Instruction& in : atom.code()) {
      if (in.op == Op::Load) property.variables.push_back(static_cast<std::uint32_t>(in.operand));
      if (in.op == Op::Happened) property.events |= std::uint64_t{1} << in.operand;
    }
  }
  std::sort(property.variables.begin(), property.variables.end());
  property.variables.erase(std::unique(property.variables.begin(), property.variables.end()), property.variables.end());
}

// The alphabet of a pattern or machine: event i is atom i.
void add_alphabet(const SyntaxFile& file, const SyntaxEntry& entry, Compiler& compiler, Property& property,
                  std::optional<Error>& error) {
  for (std::size_t i = 0; i < entry.over.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k)
      if (!error && entry.over[k].text == entry.over[i].text)
        error = file.error(entry.over[i].at, "'" + entry.over[i].text + "' is there twice");
    compiler.event_atom(entry.over[i], property);
  }
  if (!error) error = compiler.error();
}

std::optional<Error> add_property(const SyntaxFile& file, const SyntaxEntry& entry, Compiler& compiler,
                                  PropertyFile& out) {
  for (const Property& other : out.properties)
    if (other.name == entry.name.text)
      return file.error(entry.name.at, "there are two properties '" + entry.name.text + "'");
  Property property;
  property.name = entry.name.text;
  property.place = place_of(file, entry.first);
  property.kind = kind_of(entry.kind);
  property.text = file.text.substr(entry.first, entry.last - entry.first);
  property.action = entry.action.text == "stop"   ? Action::Stop
                    : entry.action.text == "call" ? Action::Call
                                                  : Action::Report;
  property.call = entry.call.text;

  if (entry.kind == EntryKind::Property || entry.kind == EntryKind::Liveness) {
    Formula formula = compiler.formula(entry.body, property);
    if (compiler.error()) return compiler.error();
    if (entry.kind == EntryKind::Property) property.monitor = make_past_monitor(std::move(formula));
    else property.lasso = make_lasso_formula(std::move(formula));
  } else {
    std::optional<Error> error;
    add_alphabet(file, entry, compiler, property, error);
    if (error) return error;
    Result<MonitorPointer> monitor =
        entry.kind == EntryKind::Pattern ? make_pattern_monitor(file, entry) : make_machine_monitor(file, entry);
    if (!monitor) return monitor.error();
    property.monitor = std::move(*monitor);
  }
  collect_uses(property);
  out.properties.push_back(std::move(property));
  return std::nullopt;
}

} // namespace

Letter PropertyFile::letter(const Property& property, std::span<const std::uint64_t> values, std::uint64_t happened,
                            Faults* faults) const {
  Letter result;
  for (std::size_t i = 0; i < property.atoms.size(); ++i)
    if (property.atoms[i].evaluate(values, types, happened, faults)) result.atoms |= std::uint64_t{1} << i;
  return result;
}

Result<PropertyFile> resolve(const SyntaxFile& file, const Symbols& symbols) {
  PropertyFile out;
  out.name = file.name;
  Compiler compiler(file, symbols, out);
  for (const SyntaxEntry& entry : file.entries) {
    if (entry.kind == EntryKind::Monitor) continue;
    if (entry.kind == EntryKind::Event) {
      compiler.define_event(entry);
      if (compiler.error()) return *compiler.error();
    } else if (const auto error = add_property(file, entry, compiler, out)) {
      return *error;
    }
  }
  if (const auto error = compile_monitors(file, symbols, out)) return *error;
  if (out.properties.empty() && out.monitors.empty())
    return file.error(0, "the file has no property, pattern, machine, liveness or monitor entry");
  return out;
}

Result<PropertyFile> read_properties(std::string_view text, const std::string& name, const Symbols& symbols) {
  const Result<SyntaxFile> syntax = parse(text, name);
  if (!syntax) return syntax.error();
  return resolve(syntax.value(), symbols);
}

Result<PropertyFile> load_properties(const std::string& path, const Symbols& symbols) {
  const Result<SyntaxFile> syntax = parse_file(path);
  if (!syntax) return syntax.error();
  return resolve(syntax.value(), symbols);
}

} // namespace sooth::logic
