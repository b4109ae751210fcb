// Monitors in their flat form: one block of memory without pointers. The tool makes it
// (logic/mttl.h). It can be written to a file, put into a program, and used where it lies.
//
// The block is a Header and the tables that it names, each of plain records, in the order of
// Header's fields. Compiled is a view of a checked block: every index in it is good, so its users
// need not check again.
//
// What is evaluated, and when. A *class* of threads is either a role (threads with a name, a start
// function, a number) or all threads. After each event a thread goes through all sections in order
// and evaluates those of its classes. A section is a list of nodes; one that loops is evaluated
// once for each thread that the evaluating one knows of. Operands come before their users, also
// across classes: the value of `@u(e)` is stored by sections before the first one that looks it up.
// So a thread that looks itself up finds what it stored about itself.
#pragma once

#include <cstddef>
#include <cstdint>

#include "knowledge/machine.h"

namespace sooth::knowledge {

inline constexpr std::uint32_t kCompiledVersion = 2;
inline constexpr unsigned kMaxMonitors = 64; // a set of monitors is one word
inline constexpr unsigned kMaxRoles = 63;    // a set of classes is one word, too
inline constexpr std::uint32_t kAllThreads = 63;
inline constexpr unsigned kMaxTemporalBits = 64; // of one section
inline constexpr unsigned kMaxValues = 1024;     // that a class stores of a thread ...
inline constexpr unsigned kMaxAbout = 64;        // ... and of a thread about each other one

// A place in the block.
struct Table {
  std::uint32_t offset = 0; // bytes from the beginning of the block; a multiple of 8
  std::uint32_t count = 0;  // records
};

struct Header {
  char magic[8];
  std::uint32_t version = kCompiledVersion;
  std::uint32_t bytes = 0; // of the whole block
  std::uint32_t registers = 0;
  std::uint32_t flags = 0;  // HeaderFlags
  std::uint32_t valued = 0; // the first so many variables are those whose values formulas read; only they have entries
  std::uint32_t reserved = 0;
  Table variables; // VariableRow
  Table locals;    // std::uint32_t: names
  Table blocks;    // std::uint32_t: names
  Table roles;     // RoleRow
  Table classes;   // ClassRow: one for each role, then that of all threads
  Table code;      // Instruction
  Table nodes;     // NodeRow
  Table sections;  // SectionRow
  Table monitors;  // MonitorRow
  Table parts;     // PartRow
  Table text;      // char: strings, each with a 0 at its end; offset 0 is the empty one
};
inline constexpr char kMagic[8] = {'s', 'o', 'o', 't', 'h', 'k', 'v', '1'};

enum HeaderFlags : std::uint32_t {
  kAllMemory = 1, // knowledge travels through every access of memory, not only through variables that are named
};

enum VariableFlags : std::uint32_t {
  kWatched = 1,   // its place is where the last SOOTH_WATCH of its name put it; `address` is an offset from there
  kInLibrary = 2, // `address` is relative to where the shared library `watch_name` is loaded
};
// A shared variable that some formula names, or that carries knowledge (`over x`).
struct VariableRow {
  std::uint64_t address = 0; // as the symbols have it: of a program's file, relative to where it is loaded
  std::uint32_t size = 0;    // bytes to keep, 1 to 8
  ScalarLayout layout;
  std::uint32_t name = 0;       // text: as written
  std::uint32_t watch_name = 0; // text: what the watch event calls it, or the library that it is in
  std::uint32_t flags = 0;      // VariableFlags
  std::uint32_t reserved = 0;
};

enum class RoleKind : std::uint32_t { Name, Function, Number };
// Threads that a formula names: `at writer`, `@reader(y)`, `@2(y)`. If several have the role, the
// one with the highest number that is known counts in @.
struct RoleRow {
  RoleKind kind = RoleKind::Name;
  std::uint32_t name = 0;   // text: Name, Function (plain name of the start function)
  std::uint32_t number = 0; // Number
};

// What a class stores about each of its threads.
struct ClassRow {
  std::uint32_t values = 0; // words: remote expressions and formulas
  std::uint32_t about = 0;  // words for each other thread: those that speak of another thread
};

enum class NodeKind : std::uint8_t {
  Compute,  // register `to` <- code [a, a + b)
  Temporal, // register `to` <- `op` of registers a and b, and bit `bit` of what the section remembers
  Store,    // value `to` of the thread in this class <- register a; in a loop: the value about the loop's thread
  Judge,    // monitor `to` holds if register a is not 0
};
enum class TemporalOp : std::uint8_t {
  Previously,
  Start,
  End,
  Once,
  Historically,
  SinceStrong,
  SinceWeak,
  IntervalStrong,
  IntervalWeak,
};
struct NodeRow {
  NodeKind kind = NodeKind::Compute;
  TemporalOp op = TemporalOp::Previously;
  std::uint16_t bit = 0;
  std::uint32_t to = 0;
  std::uint32_t a = 0;
  std::uint32_t b = 0;
};

enum class Loop : std::uint8_t {
  None,
  Exists, // register `to` <- whether register `of` was not 0 for some thread
  Forall, // register `to` <- whether register `of` was not 0 for all threads
  Store,  // only what its nodes store
};
struct SectionRow {
  std::uint32_t of_class = kAllThreads; // a role's number, or kAllThreads
  std::uint32_t first_node = 0;
  std::uint32_t nodes = 0;
  Loop loop = Loop::None;
  std::uint8_t without_self = 0; // `u != t`
  std::uint8_t temporal = 0;     // it remembers something
  std::uint8_t reserved = 0;
  std::uint32_t of = 0;
  std::uint32_t to = 0;
};

enum class ActionKind : std::uint32_t { Continue, Abort, Break, Call };
struct MonitorRow {
  std::uint32_t name = 0; // text
  std::uint32_t text = 0; // text: the entry as written (ready-made ones: what it expands to follows in `expansion`)
  std::uint32_t expansion = 0;
  std::uint32_t file = 0; // text
  std::uint32_t line = 0;
  std::uint32_t of_class = kAllThreads;
  ActionKind action = ActionKind::Continue;
  std::uint32_t call = 0; // text: the name of a registered function
  std::uint32_t first_part = 0;
  std::uint32_t parts = 0;
};

// The parts of a formula: for reports, and for programs that ask what is known.
struct PartRow {
  std::uint32_t text = 0;  // as written: `x`, `@reader(y)`, `@u(@t(atomic))`
  std::uint32_t about = 0; // text: the thread that it is about (`reader`, `u`), or empty
  Instruction leaf;        // how to look it up; ThreadValue, ThreadOfSelf, RoleOfOther: once for each thread
  ScalarLayout layout;     // how to print it
  std::uint32_t reserved = 0;
};

// --- operands of leaves --------------------------------------------------------------------------

// RoleValue, RoleOfSelf, RoleOfOther: role << 32 | index of the value.
constexpr std::uint64_t role_operand(std::uint32_t role, std::uint32_t value) {
  return std::uint64_t{role} << 32 | value;
}
// Accessed: variable << 8 | AccessBits.
enum AccessBits : std::uint8_t { kPlainRead = 1, kPlainWrite = 2, kAtomicRead = 4, kAtomicWrite = 8 };
constexpr std::uint64_t access_operand(std::uint32_t variable, std::uint8_t bits) {
  return std::uint64_t{variable} << 8 | bits;
}

// --- the view ------------------------------------------------------------------------------------

struct Compiled {
  const Header* header = nullptr;
  const VariableRow* variables = nullptr;
  const std::uint32_t* locals = nullptr;
  const std::uint32_t* blocks = nullptr;
  const RoleRow* roles = nullptr;
  const ClassRow* classes = nullptr;
  const Instruction* code = nullptr;
  const NodeRow* nodes = nullptr;
  const SectionRow* sections = nullptr;
  const MonitorRow* monitors = nullptr;
  const PartRow* parts = nullptr;
  const char* text = nullptr;

  const char* string(std::uint32_t at) const { return text + at; }
  std::uint32_t variable_count() const { return header->variables.count; }
  std::uint32_t valued_count() const { return header->valued; }
  std::uint32_t local_count() const { return header->locals.count; }
  std::uint32_t block_count() const { return header->blocks.count; }
  std::uint32_t role_count() const { return header->roles.count; }
  std::uint32_t section_count() const { return header->sections.count; }
  std::uint32_t monitor_count() const { return header->monitors.count; }
  std::uint32_t part_count() const { return header->parts.count; }
  const ClassRow& class_of(std::uint32_t number) const {
    return classes[number == kAllThreads ? header->roles.count : number];
  }
};

// Checks `block`, which must lie at a multiple of 8 and stay there. Returns what is wrong with it,
// or null.
const char* open_compiled(const void* block, std::size_t bytes, Compiled& out);

} // namespace sooth::knowledge
