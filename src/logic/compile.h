// From trees of operators to expressions and formulas, with every name looked up and every type
// checked.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "logic/formula.h"
#include "logic/names/lookup.h"
#include "logic/names/symbols.h"
#include "logic/property.h"
#include "logic/syntax/syntax.h"

namespace sooth::logic {

// Adds the variables and events that it meets to `out`. After the first error it goes on without
// meaning; ask error() when done.
class Compiler {
public:
  Compiler(const SyntaxFile& file, const Symbols& symbols, PropertyFile& out)
      : file_(file), symbols_(symbols), out_(out) {}

  // A name for a condition without temporal operators; later entries can use it.
  void define_event(const SyntaxEntry& entry);
  bool is_event(const std::string& name) const;

  // A formula; its atoms are added to the property's.
  Formula formula(const Node& node, Property& property);
  // An event as an atom of its own.
  void event_atom(const SyntaxName& event, Property& property);

  const std::optional<Error>& error() const { return error_; }
  virtual ~Compiler() = default;

protected:
  // A type that operations have: after promotion.
  struct Shape {
    ScalarKind kind = ScalarKind::Signed;
    std::uint8_t bytes = 4;
    friend bool operator==(const Shape&, const Shape&) = default;
  };
  struct Code {
    std::vector<Instruction> instructions;
    Shape shape;
    std::size_t stack = 1; // places that it needs
  };

  // compile_expression.cc
  Expression expression(const Node& node);
  Code value(const Node& node);
  virtual Code value_at_depth(const Node& node); // logics that have more than C's expressions add to it
  Code number(const Node& node);
  Code name(const Node& node);
  Code found_value(const Node& node, FoundValue found);
  bool is_behind_arrow(const Node& node) const;
  Code prefix(const Node& node);
  Code binary(const Node& node);
  Code arithmetic(const Node& node, Code a, Code b);
  Code comparison(const Node& node, Code a, Code b);
  Code shift(const Node& node, Code a, Code b);
  Code connective(const Node& node, Code a, Code b);
  Code joined(Code a, Code b, Instruction last, Shape shape);
  static bool is_formula(const Node& node);
  Code part_of_formula(const Node& node);
  void check_operand(const Node& operation, const Node& operand);
  static Code as_truth(Code code);
  static Code converted(Code code, Shape to);
  static Shape promoted(const ScalarType& type);

  // compile_event.cc
  static std::string unquoted(std::string_view text); // "name" without its quotes, or as it is; no spaces around it
  Code predicate(const Node& node);
  std::optional<EventPredicate> event_predicate(const Node& node);
  void lock(const Node& node, EventPredicate& predicate);
  void thread(const Node& node, EventPredicate& predicate);
  void user_event(const Node& node, EventPredicate& predicate);

  // compile.cc
  bool is_temporal(const Node& node) const;
  bool names_event(const Node& node) const;
  std::uint32_t add_node(Formula& formula, const Node& node, Property& property);
  std::uint32_t add_atom(const Node& node, Property& property, bool share);
  std::string text_of(const Node& node) const;
  void fail(std::size_t at, std::string message);

  const SyntaxFile& file_;
  const Symbols& symbols_;
  PropertyFile& out_;

private:
  std::vector<const SyntaxEntry*> events_;
  std::optional<Error> error_;
  std::size_t depth_ = 0;         // of value(), through named events
  std::size_t temporal_bits_ = 0; // of the present formula
};

} // namespace sooth::logic
