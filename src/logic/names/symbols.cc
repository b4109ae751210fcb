#include "logic/names/symbols.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include "trace/program/program.h"

namespace sooth::logic {
namespace {

using trace::EventKind;
using trace::TypeKind;

struct BasicType {
  std::string_view name;
  TypeKind kind;
  std::uint64_t bytes;
};
// For traces without layouts (older, imported, written by hand): a type's name may say enough.
constexpr BasicType kBasicTypes[] = {
    {"bool", TypeKind::Bool, 1},
    {"_Bool", TypeKind::Bool, 1},
    {"char", TypeKind::Signed, 1},
    {"signed char", TypeKind::Signed, 1},
    {"unsigned char", TypeKind::Unsigned, 1},
    {"short", TypeKind::Signed, 2},
    {"unsigned short", TypeKind::Unsigned, 2},
    {"int", TypeKind::Signed, 4},
    {"unsigned int", TypeKind::Unsigned, 4},
    {"long", TypeKind::Signed, 8},
    {"unsigned long", TypeKind::Unsigned, 8},
    {"long long", TypeKind::Signed, 8},
    {"unsigned long long", TypeKind::Unsigned, 8},
    {"float", TypeKind::Float, 4},
    {"double", TypeKind::Float, 8},
};

std::string_view without_qualifiers(std::string_view name) {
  for (bool changed = true; changed;) {
    changed = false;
    for (const std::string_view prefix : {"const ", "volatile ", "_Atomic("}) {
      if (!name.starts_with(prefix)) continue;
      name.remove_prefix(prefix.size());
      if (prefix.back() == '(' && name.ends_with(')')) name.remove_suffix(1);
      changed = true;
    }
  }
  return name;
}

class SymbolBuilder {
public:
  explicit SymbolBuilder(const trace::Trace& trace) : trace_(trace) {}

  Symbols run() {
    out_.types = trace_.types;
    if (out_.types.empty()) out_.types.emplace_back();
    complete_types();
    for (const trace::Global& global : trace_.globals)
      out_.variables.push_back({global.name, global.address, global.bytes, type_of(global)});
    for (const trace::Site& site : trace_.sites)
      if ((site.flags & trace::kSiteFunction) != 0) functions_.insert(site.function);
    for (const trace::NamedThing& thing : trace_.names) {
      if (thing.kind == trace::NameKind::UserEvent) user_events_.insert(thing.name);
      else if (thing.kind == trace::NameKind::InlinedFunction) inlined_.insert(thing.name);
      else if (thing.kind == trace::NameKind::Thread) thread_names_.insert(thing.name);
      else if (thing.kind == trace::NameKind::Block) block_names_.insert(thing.name);
      else if (thing.kind == trace::NameKind::Unseen) out_.unseen_variables.push_back(thing.name);
      else if (thing.kind == trace::NameKind::Unreached) out_.unreached_variables.push_back(thing.name);
      else if (thing.kind == trace::NameKind::ThreadLocal) out_.thread_locals.push_back(thing.name);
      else add_watch(thing.name, thing.bytes, thing.type);
    }
    for (const trace::Thread& thread : trace_.threads)
      if (!thread.name.empty()) thread_names_.insert(thread.name);
    for (const trace::Event& event : trace_.events) add_event(event);
    for (auto& [name, watch] : watches_) out_.watches.push_back(std::move(watch));
    out_.functions.assign(functions_.begin(), functions_.end());
    out_.inlined_functions.assign(inlined_.begin(), inlined_.end());
    out_.user_events.assign(user_events_.begin(), user_events_.end());
    out_.thread_names.assign(thread_names_.begin(), thread_names_.end());
    out_.block_names.assign(block_names_.begin(), block_names_.end());
    out_.all_names_known = trace_.all_names_known;
    return std::move(out_);
  }

private:
  // Where a module had only the declaration of a structure, another one may have had it whole.
  void complete_types() {
    std::map<std::string, std::size_t> known;
    for (std::size_t i = 1; i < out_.types.size(); ++i)
      if (out_.types[i].kind != TypeKind::Unknown && !out_.types[i].name.empty())
        known.try_emplace(out_.types[i].name, i);
    for (trace::Type& type : out_.types)
      if (const auto at = known.find(type.name); type.kind == TypeKind::Unknown && at != known.end())
        type = trace::Type(out_.types[at->second]);
  }

  std::uint32_t type_of(const trace::Global& global) {
    if (global.type_id != 0 && global.type_id < out_.types.size()) return global.type_id;
    const std::string_view name = without_qualifiers(global.type);
    const bool pointer = name.ends_with('*') && global.bytes == 8;
    for (const BasicType& basic : kBasicTypes)
      if (basic.name == name && basic.bytes == global.bytes) return scalar(basic.kind, global);
    return pointer ? scalar(TypeKind::Pointer, global) : 0;
  }

  std::uint32_t scalar(TypeKind kind, const trace::Global& global) {
    const auto [at, fresh] = made_.try_emplace({kind, global.type}, static_cast<std::uint32_t>(out_.types.size()));
    if (fresh) out_.types.push_back({kind, global.bytes, global.type});
    return at->second;
  }

  // The same name for things of different types: none of them can be read.
  void add_watch(const std::string& name, std::uint64_t bytes, TypeKind kind) {
    const auto [at, fresh] = watches_.try_emplace(name, SymbolWatch{name, bytes, kind});
    if (!fresh && (at->second.bytes != bytes || at->second.kind != kind)) at->second.kind = TypeKind::Unknown;
  }

  void add_event(const trace::Event& event) {
    const auto name = [&](std::uint64_t number) {
      return number < trace_.strings.size() ? trace_.strings[number] : std::string();
    };
    if (event.kind == EventKind::User) user_events_.insert(name(event.address));
    if (event.kind == EventKind::ThreadName) thread_names_.insert(name(event.address));
    if (event.kind == EventKind::AtomicBegin) block_names_.insert(name(event.address));
    if (event.kind != EventKind::Watch) return;
    const std::string watched = name(event.value >> 32);
    if (!watches_.contains(watched)) add_watch(watched, event.value & 0xffffffff, TypeKind::Unknown);
  }

  const trace::Trace& trace_;
  Symbols out_;
  std::set<std::string> functions_;
  std::set<std::string> inlined_;
  std::set<std::string> user_events_;
  std::set<std::string> thread_names_;
  std::set<std::string> block_names_;
  std::map<std::string, SymbolWatch> watches_;
  std::map<std::pair<TypeKind, std::string>, std::uint32_t> made_;
};

} // namespace

Symbols symbols_of_trace(const trace::Trace& trace) {
  Symbols symbols = SymbolBuilder(trace).run();
  symbols.tables_missing = trace.globals.empty() && trace.names.empty() && symbols.functions.empty();
  return symbols;
}

Result<Symbols> symbols_of_program(const std::string& path) {
  const Result<trace::Program> program = trace::read_program(path);
  if (!program) return program.error();
  Symbols symbols = SymbolBuilder(program.value().tables).run();
  symbols.libraries = program.value().libraries;
  symbols.may_grow = program.value().may_grow;
  return symbols;
}

} // namespace sooth::logic
