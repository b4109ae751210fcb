// The types of a program's variables as they lie in memory, and the names that it gives to things
// at run time. The pass knows them; a property needs them to find a member, an element or an
// enumerator.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "trace/format.h"

namespace sooth::trace {

struct TypeMember {
  std::string name;             // empty: a base class or an unnamed structure, whose members are found through it
  std::uint64_t bit_offset = 0; // from the beginning of the structure
  std::uint32_t type = 0;       // index into Trace::types
  std::uint32_t bit_width = 0;  // 0: not a bit field
};
struct TypeEnumerator {
  std::string name;
  std::int64_t value = 0;
};

struct Type {
  TypeKind kind = TypeKind::Unknown;
  std::uint64_t bytes = 0;
  std::string name;                        // as in the source
  std::uint32_t element = 0;               // Array: type of the elements. Enum: the integer type below it
  std::uint64_t count = 0;                 // Array: number of elements
  std::vector<TypeMember> members;         // Struct
  std::vector<TypeEnumerator> enumerators; // Enum
};

// A constant name that the program gives with sooth_event or SOOTH_WATCH, or the name of a function
// some of whose calls were inlined.
struct NamedThing {
  NameKind kind = NameKind::UserEvent;
  std::string name;
  std::uint64_t bytes = 0;           // Watch: of the variable
  TypeKind type = TypeKind::Unknown; // Watch: of the variable, if it is a scalar
};

} // namespace sooth::trace
