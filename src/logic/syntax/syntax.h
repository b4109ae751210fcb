// A property file as it is written: entries and trees of operators, before any name is looked up.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "logic/syntax/operators.h"

namespace sooth::logic {

// A node of an expression, a formula or a pattern.
enum class Form : std::uint8_t {
  Number,    // `text`: 42, 0x1fu, 1.5, 'a'
  Name,      // `text`: net::state, file.cpp:counter; `path`: .limits[3].low
  Predicate, // `text`: call, acquire, ...; `argument`: what is in its parentheses
  Operation, // `op`; one or two children
  Symbol,    // of a pattern: an event's name
  // Of monitors only:
  Remote,     // @text(child): `text` names a thread
  Quantifier, // exists or forall `text` (other than `argument`, if that is not empty): child
};

struct PathStep {
  bool is_index = false;
  std::string member;
  std::uint64_t index = 0;
  std::size_t at = 0;
};

struct Node {
  Form form = Form::Number;
  Operator op = Operator::Not;
  std::size_t begin = 0; // of the source text, for messages; an operation's is that of its operator
  std::size_t first = 0; // [first, last): the whole of it
  std::size_t last = 0;
  bool grouped = false;  // in parentheses of its own
  std::size_t depth = 1; // of the tree below it, itself included
  std::string text;
  std::string argument;
  std::size_t argument_at = 0;
  bool universal = false; // Quantifier: forall
  std::vector<PathStep> path;
  std::vector<Node> children;
};

struct SyntaxName {
  std::string text;
  std::size_t at = 0;
};
struct SyntaxTransition {
  SyntaxName event; // `else`: every event that has no transition of its own
  SyntaxName target;
};
struct SyntaxState {
  SyntaxName name;
  bool error = false;
  std::vector<SyntaxTransition> transitions;
};

enum class EntryKind : std::uint8_t { Property, Event, Pattern, Machine, Liveness, Monitor };

enum class ReadyMade : std::uint8_t { None, DataRace, Atomicity };
// Parts that only a monitor has; its formula is the entry's body.
struct SyntaxMonitor {
  ReadyMade ready = ReadyMade::None;
  SyntaxName subject;           // of a ready-made one: the variable or the block
  bool any = false;             // `at any t`
  SyntaxName at;                // the thread, or the variable for it
  bool over_all = false;        // `over *`
  std::vector<SyntaxName> over; // variables that knowledge travels through, besides those of formulas
};

struct SyntaxEntry {
  EntryKind kind = EntryKind::Property;
  SyntaxName name;
  std::size_t first = 0; // [first, last): the entry in the source text
  std::size_t last = 0;
  std::vector<SyntaxName> over;    // Pattern, Machine: the alphabet
  Node body;                       // not for Machine
  std::vector<SyntaxState> states; // Machine; the first one is where it starts
  SyntaxMonitor monitor;           // Monitor
  SyntaxName action;               // `when violated:` stop, report; continue, abort, break, call
  SyntaxName call;                 // the function of `call`
};

struct SyntaxFile {
  std::string name;
  std::string text;
  std::vector<SyntaxEntry> entries;

  // The error with line, column, source line and caret for a place in `text`.
  Error error(std::size_t at, std::string message) const;
};

// `cfg.locks[3]`, as it stands in the parentheses of an event; nothing if it is not such a name.
std::optional<Node> parse_name(std::string_view text);

inline constexpr std::size_t kLongestFile = std::size_t{1} << 20; // in bytes
Error too_long(const std::string& name);

// Reads the file; errors name it as it was given.
Result<SyntaxFile> parse_file(const std::string& path);
// `name` is what errors call the file.
Result<SyntaxFile> parse(std::string_view text, const std::string& name);

} // namespace sooth::logic
