// Finds the meaning of a name in a property.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "logic/names/symbols.h"
#include "logic/property.h"
#include "logic/syntax/syntax.h"

namespace sooth::logic {

// `void net::send<int>(int) const` -> `net::send<int>`; unnamed namespaces are not part of a name.
std::string plain_function_name(std::string_view demangled);
// `net::Pool<int>::take<char>` -> `take`; `operator<` and its like stay whole.
std::string unscoped_function_name(std::string_view written);
// Whether a function of this plain name matches the written one: the same, or the same without
// template arguments.
bool same_function(std::string_view plain, std::string_view written);

struct NotFound {
  std::size_t at = 0; // in the source text; 0: the name itself
  std::string message;
};
struct Constant {
  std::int64_t value = 0;
  ScalarType type;
};
// An object in memory, of any type; a lock, for one.
struct Object {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  bool watched = false;
  std::string watch_name;
};

using FoundValue = std::variant<NotFound, Variable, Constant>;
using FoundObject = std::variant<NotFound, Object>;
using FoundFunction = std::variant<NotFound, std::string>;

// A scalar variable (`net::state`, `cfg.limits[3].low`, a watched one) or an enumerator.
FoundValue find_value(const Node& name, const Symbols& symbols);
// A variable named by SOOTH_WATCH, whatever letters its name has.
FoundValue find_watched(const std::string& name, const Symbols& symbols);
FoundObject find_object(const Node& name, const Symbols& symbols);
// The function's full plain name. If its calls are asked for, all must be seen: none may have been
// inlined.
enum class FunctionUse : std::uint8_t { Calls, ThreadStart };
FoundFunction find_function(std::string_view written, const Symbols& symbols, FunctionUse use = FunctionUse::Calls);

} // namespace sooth::logic
