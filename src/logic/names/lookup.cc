#include "logic/names/lookup.h"

#include <algorithm>
#include <optional>

#include "logic/syntax/nearest.h"

namespace sooth::logic {
namespace {

using trace::Type;
using trace::TypeKind;

// A variable's name in parts: `file.cpp`, `net::f::counter` (without parameters).
struct Parts {
  std::string file;
  std::string name;
};

Parts parts_of(std::string_view text) {
  Parts parts;
  // The first ':' that is not half of a '::' ends the file's name.
  for (std::size_t i = 0; i < text.size() && text[i] != '('; ++i) {
    if (text[i] != ':') continue;
    if (i + 1 < text.size() && text[i + 1] == ':') {
      ++i;
      continue;
    }
    std::string_view file = text.substr(0, i);
    if (file.size() >= 2 && file.front() == '"') file = file.substr(1, file.size() - 2);
    parts.file = file.substr(file.rfind('/') == std::string_view::npos ? 0 : file.rfind('/') + 1);
    text.remove_prefix(i + 1);
    break;
  }
  if (text.starts_with("::")) text.remove_prefix(2);
  constexpr std::string_view kUnnamed = "(anonymous namespace)::";
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (depth == 0 && text.substr(i).starts_with(kUnnamed)) {
      i += kUnnamed.size() - 1;
      continue;
    }
    if (text[i] == '(') ++depth;
    if (depth == 0) parts.name += text[i];
    if (text[i] == ')' && depth > 0) --depth;
  }
  return parts;
}

// Smaller is better; nothing: not this one.
std::optional<int> rank(const Parts& variable, const Parts& wanted) {
  if (!wanted.file.empty() && wanted.file != variable.file) return std::nullopt;
  if (variable.name == wanted.name) return wanted.file == variable.file ? 0 : 1;
  if (variable.name.ends_with("::" + wanted.name)) return 2;
  return std::nullopt;
}

std::string step_text(const PathStep& step) {
  return step.is_index ? "[" + std::to_string(step.index) + "]" : "." + step.member;
}

std::string written(const Node& name) {
  std::string text = name.text;
  for (const PathStep& step : name.path) text += step_text(step);
  return text;
}

// Where the steps of a path lead.
struct Spot {
  std::uint64_t address = 0; // bytes
  std::uint32_t type = 0;
  std::uint64_t bytes = 0;
  std::uint32_t bit_offset = 0; // from `address`
  std::uint32_t bit_width = 0;
};

// A structure that only wraps one member of the same size (std::atomic, std::array): that member's
// type.
std::optional<std::uint32_t> below_coat(const std::vector<Type>& types, const Type& t) {
  if (t.kind != TypeKind::Struct || t.members.size() != 1) return std::nullopt;
  const trace::TypeMember& m = t.members[0];
  if (m.bit_width != 0 || m.bit_offset != 0 || m.type >= types.size() || types[m.type].bytes != t.bytes)
    return std::nullopt;
  return m.type;
}
constexpr int kMostCoats = 16; // a damaged table could hold a structure that contains itself

class Finder {
public:
  Finder(const Node& node, const Symbols& symbols) : node_(node), symbols_(symbols) {}

  // The variable itself, then the steps of its path. `found` false with an empty message: no such
  // variable.
  bool find(Spot& spot, NotFound& why) {
    std::string text = node_.text;
    // A variable that the optimiser took apart has a row for each piece: `cfg.ready` is a name
    // then.
    for (std::size_t steps = 0;; ++steps) {
      const SymbolVariable* best = variable(text, why);
      if (best != nullptr) {
        spot = {best->address, best->type, best->bytes, 0, 0};
        return walk(spot, steps, why);
      }
      if (!why.message.empty() || steps == node_.path.size()) return false;
      text += step_text(node_.path[steps]);
    }
  }

private:
  const SymbolVariable* variable(const std::string& text, NotFound& why) const {
    const Parts wanted = parts_of(text);
    const SymbolVariable* best = nullptr;
    const SymbolVariable* rival = nullptr;
    int best_rank = 0;
    for (const SymbolVariable& candidate : symbols_.variables) {
      const auto r = rank(parts_of(candidate.name), wanted);
      if (!r) continue;
      if (best == nullptr || *r < best_rank) {
        best = &candidate;
        best_rank = *r;
        rival = nullptr;
      } else if (*r == best_rank && candidate.address != best->address) {
        rival = &candidate;
      }
    }
    if (rival != nullptr) {
      why = {node_.begin, "'" + text + "' is ambiguous: it could be '" + best->name + "' or '" + rival->name + "'"};
      return nullptr;
    }
    return best;
  }

  const Type& type(std::uint32_t index) const {
    static const Type kUnknown;
    return index < symbols_.types.size() ? symbols_.types[index] : kUnknown;
  }

  bool walk(Spot& spot, std::size_t from, NotFound& why) const {
    std::string so_far = node_.text;
    for (std::size_t i = 0; i < from; ++i) so_far += step_text(node_.path[i]);
    for (std::size_t i = from; i < node_.path.size(); ++i) {
      const PathStep& step = node_.path[i];
      why.at = step.at;
      if (!(step.is_index ? enter_array(spot, step, so_far, why) : enter_structure(spot, step, so_far, why)))
        return false;
      so_far += step_text(step);
    }
    return true;
  }

  bool wrong_type(const Type& t, const std::string& so_far, const char* wanted, NotFound& why) const {
    if (t.kind == TypeKind::Unknown)
      why.message = "the type of '" + so_far + "' is not known, so its parts cannot be found";
    else if (t.kind == TypeKind::Pointer)
      why.message = "'" + so_far + "' is a pointer; what it points to can be named in the program by SOOTH_WATCH";
    else why.message = "'" + so_far + "' is no " + wanted + (t.name.empty() ? "" : " but of type '" + t.name + "'");
    return false;
  }

  bool enter_array(Spot& spot, const PathStep& step, const std::string& so_far, NotFound& why) const {
    std::uint32_t below = spot.type;
    for (int coats = 0; coats < kMostCoats && type(below).kind != TypeKind::Array; ++coats) {
      const auto inner = below_coat(symbols_.types, type(below));
      if (!inner) break;
      below = *inner;
    }
    const Type& t = type(below);
    if (t.kind != TypeKind::Array) return wrong_type(type(spot.type), so_far, "array", why);
    if (step.index >= t.count) {
      why.message = "the index " + std::to_string(step.index) + " is outside of '" + so_far + "', which has " +
                    std::to_string(t.count) + " elements";
      return false;
    }
    const std::uint64_t bytes = type(t.element).bytes;
    spot = {spot.address + step.index * bytes, t.element, bytes, 0, 0};
    return true;
  }

  bool enter_structure(Spot& spot, const PathStep& step, const std::string& so_far, NotFound& why) const {
    const Type& t = type(spot.type);
    if (t.kind != TypeKind::Struct) return wrong_type(t, so_far, "structure", why);
    std::vector<std::string> known;
    Spot found = spot;
    std::size_t looked_at = 0;
    if (member(t, spot, step.member, found, known, looked_at)) {
      spot = found;
      return true;
    }
    why.message = "'" + so_far + "' has no member '" + step.member + "'" + did_you_mean(step.member, known);
    return false;
  }

  // A damaged table could hold a structure that contains itself.
  static constexpr std::size_t kMostMembers = 4096;

  // Also in base classes and unnamed structures, whose members count as its own.
  bool member(const Type& t, const Spot& in, const std::string& name, Spot& found, std::vector<std::string>& known,
              std::size_t& looked_at) const {
    for (const trace::TypeMember& m : t.members) {
      if (++looked_at > kMostMembers) return false;
      const Spot here{in.address + m.bit_offset / 8, m.type, type(m.type).bytes,
                      static_cast<std::uint32_t>(m.bit_width != 0 ? m.bit_offset % 8 : 0), m.bit_width};
      if (m.name == name) {
        found = here;
        return true;
      }
      if (!m.name.empty()) known.push_back(m.name);
      else if (type(m.type).kind == TypeKind::Struct && member(type(m.type), here, name, found, known, looked_at))
        return true;
    }
    return false;
  }

  const Node& node_;
  const Symbols& symbols_;
};

ScalarKind scalar_kind(TypeKind kind) {
  switch (kind) {
  case TypeKind::Unsigned: return ScalarKind::Unsigned;
  case TypeKind::Float: return ScalarKind::Float;
  case TypeKind::Bool: return ScalarKind::Bool;
  case TypeKind::Pointer: return ScalarKind::Pointer;
  default: return ScalarKind::Signed;
  }
}

bool is_scalar(TypeKind kind) { return kind >= TypeKind::Signed && kind <= TypeKind::Pointer; }
bool has_scalar_size(std::uint64_t bytes) { return bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8; }

// Below enumerations and coats (std::atomic<int>).
const Type* scalar_below(const Symbols& symbols, std::uint32_t index) {
  for (int depth = 0; depth < kMostCoats && index < symbols.types.size(); ++depth) {
    const Type& t = symbols.types[index];
    if (is_scalar(t.kind)) return &t;
    if (t.kind == TypeKind::Enum) {
      index = t.element;
    } else if (const auto inner = below_coat(symbols.types, t)) {
      index = *inner;
    } else {
      return nullptr;
    }
  }
  return nullptr;
}

FoundValue scalar_at(const Spot& spot, const std::string& name, const Symbols& symbols) {
  const std::string& type_name = spot.type < symbols.types.size() ? symbols.types[spot.type].name : std::string();
  const Type* t = scalar_below(symbols, spot.type);
  if (t == nullptr) {
    if (spot.type == 0)
      return NotFound{0, "the type of '" + name + "' is not known (was this part of the program built with Sooth?)"};
    return NotFound{0, "'" + name + "' is of type '" + type_name +
                           "', which is no number; name one of its members or elements"};
  }
  const std::uint32_t last_bit = spot.bit_offset + spot.bit_width;
  if (!has_scalar_size(t->bytes) || last_bit > 64)
    return NotFound{0, "'" + name + "' is of type '" + t->name + "', which is too large for an expression"};
  if (t->kind == TypeKind::Float && t->bytes < 4)
    return NotFound{0, "'" + name + "' is of type '" + t->name + "', which expressions do not have"};
  Variable variable;
  variable.name = name;
  variable.address = spot.address;
  variable.size = static_cast<std::uint32_t>(spot.bit_width != 0 ? (last_bit + 7) / 8 : t->bytes);
  variable.type = {scalar_kind(t->kind), static_cast<std::uint8_t>(t->bytes),
                   static_cast<std::uint8_t>(spot.bit_offset), static_cast<std::uint8_t>(spot.bit_width),
                   type_name.empty() ? t->name : type_name};
  return variable;
}

const SymbolWatch* watch_of(const std::string& name, const Symbols& symbols) {
  for (const SymbolWatch& watch : symbols.watches)
    if (watch.name == name) return &watch;
  return nullptr;
}

// Enumerators are known by the name of their scope and that of their type, and alone if they are
// unique.
FoundValue enumerator(const std::string& wanted, const Symbols& symbols, std::vector<std::string>& known) {
  const Constant* best = nullptr;
  int best_rank = 3;
  bool ambiguous = false;
  Constant found;
  for (const Type& t : symbols.types) {
    if (t.kind != TypeKind::Enum || t.element >= symbols.types.size()) continue;
    const Type& below = symbols.types[t.element];
    std::string_view scope = t.name;
    if (scope.starts_with("enum ")) scope.remove_prefix(5);
    const std::size_t colons = scope.rfind("::");
    const std::string outer(colons == std::string_view::npos ? "" : scope.substr(0, colons + 2));
    for (const trace::TypeEnumerator& e : t.enumerators) {
      known.push_back(outer + e.name);
      const std::string full = std::string(scope) + "::" + e.name;
      const int r = wanted == outer + e.name || wanted == full ? 0 : full.ends_with("::" + wanted) ? 1 : 3;
      if (r == 3 || r > best_rank) continue;
      // The same enumeration in several modules is not ambiguous.
      ambiguous = r == best_rank && best != nullptr && (ambiguous || best->value != e.value);
      best_rank = r;
      found = {e.value, {scalar_kind(below.kind), static_cast<std::uint8_t>(below.bytes), 0, 0, t.name}};
      best = &found;
    }
  }
  if (best == nullptr) return NotFound{};
  if (ambiguous)
    return NotFound{0, "the enumerator '" + wanted + "' is ambiguous; write the name of its enumeration before it"};
  if (!has_scalar_size(found.type.bytes))
    return NotFound{0, "the values of '" + wanted + "' are too large for an expression"};
  return found;
}

bool is_thread_local(const std::string& name, const Symbols& symbols) {
  return std::ranges::any_of(symbols.thread_locals, [wanted = parts_of(name)](const std::string& known) {
    return rank(parts_of(known), wanted).has_value();
  });
}

// `numbers`: only numbers are accepted there, so nothing else is suggested.
NotFound unknown_variable(const std::string& name, const Symbols& symbols, std::vector<std::string> known,
                          bool numbers) {
  if (is_thread_local(name, symbols))
    return {0, "'" + name +
                   "' is thread-local: every thread has its own; name one of them with SOOTH_WATCH(\"name\", " +
                   parts_of(name).name + ") in the program"};
  for (const SymbolVariable& variable : symbols.variables) {
    if (numbers && variable.type != 0 && scalar_below(symbols, variable.type) == nullptr) continue;
    known.push_back(variable.name);
    const Parts parts = parts_of(variable.name);
    if (!parts.file.empty()) known.push_back(parts.name);
  }
  for (const SymbolWatch& watch : symbols.watches) known.push_back(watch.name);
  const std::vector<std::string> near = nearest_names(name, known);
  std::string message = "unknown variable '" + name + "'" + did_you_mean(name, known);
  if (near.empty() && !symbols.variables.empty())
    message += "; properties see global variables, and what the program names with SOOTH_WATCH(\"name\", variable): "
               "locals, members of objects and what pointers lead to";
  if (symbols.variables.empty() && symbols.watches.empty())
    message += symbols.tables_missing ? " (the trace lacks the program's tables of names: they were cut off, or it was "
                                        "not recorded by Sooth)"
                                      : " (the program names no variables; was it built with Sooth?)";
  return {0, message};
}

} // namespace

FoundValue find_watched(const std::string& name, const Symbols& symbols) {
  const SymbolWatch* watch = watch_of(name, symbols);
  if (watch == nullptr) {
    std::vector<std::string> known;
    known.reserve(symbols.watches.size());
    for (const SymbolWatch& w : symbols.watches) known.push_back(w.name);
    return NotFound{0, "no SOOTH_WATCH of the program has the name '" + name + "'" + did_you_mean(name, known)};
  }
  if (!is_scalar(watch->kind) || !has_scalar_size(watch->bytes))
    return NotFound{0, "the watched variable '" + name +
                           "' is no number of a known type; SOOTH_WATCH it with a constant name, "
                           "one number at a time"};
  Variable variable;
  variable.name = variable.watch_name = name;
  variable.watched = true;
  variable.size = static_cast<std::uint32_t>(watch->bytes);
  variable.type = {scalar_kind(watch->kind), static_cast<std::uint8_t>(watch->bytes), 0, 0, "watched variable"};
  return variable;
}

FoundValue find_value(const Node& name, const Symbols& symbols) {
  Spot spot;
  NotFound why;
  const std::string text = written(name);
  if (Finder(name, symbols).find(spot, why)) return scalar_at(spot, text, symbols);
  if (!why.message.empty()) return why;
  if (watch_of(text, symbols) != nullptr) return find_watched(text, symbols);
  std::vector<std::string> known;
  if (name.path.empty()) {
    FoundValue found = enumerator(text.starts_with("::") ? text.substr(2) : text, symbols, known);
    if (!std::holds_alternative<NotFound>(found) || !std::get<NotFound>(found).message.empty()) return found;
    if (text == "true" || text == "false") return Constant{text == "true", {ScalarKind::Bool, 1, 0, 0, "bool"}};
    if (text == "NULL" || text == "nullptr") return Constant{0, {ScalarKind::Pointer, 8, 0, 0, "null pointer"}};
  }
  return unknown_variable(text, symbols, std::move(known), name.path.empty());
}

FoundObject find_object(const Node& name, const Symbols& symbols) {
  Spot spot;
  NotFound why;
  const std::string text = written(name);
  if (Finder(name, symbols).find(spot, why)) return Object{spot.address, spot.bytes, false, ""};
  if (!why.message.empty()) return why;
  if (watch_of(text, symbols) != nullptr) return Object{0, 0, true, text};
  return unknown_variable(text, symbols, {}, false);
}

} // namespace sooth::logic
