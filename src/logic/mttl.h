// Multithreaded temporal logic: `monitor` entries, from trees of operators to the flat form that
// threads evaluate.
//
//     monitor fresh at writer: x > @reader(y)
//     class reader: after each event, store y about itself
//     class writer: after each event, load x, look up the reader's y, compare
//
// Question: which values must each class of threads store about itself, and in which order are they
//   computed?
// Source: DAME, section 2.2 (MtTL) and 2.3: every remote expression or formula, `@j(...)`, is a
//   value that thread j stores about itself after each of its events.
// Where we differ: thread variables. `at any t` is a formula of all threads; `exists u`, `forall u`
//   loop over the threads that the evaluating one knows of. The expression inside of `@u(...)` may
//   mention one more thread variable (`@u(@t(e))`): it then has a value for each thread. With two
//   more it would have one for each pair, and is refused.
// Cost: linear in the formulas.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "logic/compile.h"
#include "logic/monitor_builder.h"

namespace sooth::logic {

// The entries of a file that are monitors, all together. Sets what `out` has of monitors.
std::optional<Error> compile_monitors(const SyntaxFile& file, const Symbols& symbols, PropertyFile& out);

// Knowledge travels through every access, not only through those of variables that the entry names.
bool is_about_all_memory(const SyntaxEntry& entry);
// A ready-made monitor as the entry that it stands for (ready_made.cc).
std::string expansion_of(const SyntaxEntry& entry);

class MonitorCompiler final : public Compiler {
public:
  // `scratch` collects the variables.
  MonitorCompiler(const SyntaxFile& file, const Symbols& symbols, PropertyFile& scratch, MonitorBuilder& builder)
      : Compiler(file, symbols, scratch), builder_(builder) {}

  // Adds sections for the formula at its thread; `row` is what the monitor is called and does.
  void formula_at_thread(const SyntaxEntry& entry, knowledge::MonitorRow row);
  // `over x`: knowledge travels through it, though no formula may name it.
  void carry(const SyntaxName& name);
  // The subject of a ready-made monitor exists.
  void check_subject(const SyntaxEntry& entry);

private:
  // Where nodes go at present: a section that is not finished, of one class of threads.
  struct Frame {
    std::uint32_t of_class = knowledge::kAllThreads;
    std::string self; // the thread that evaluates: a variable, or as its role is written
    bool self_is_variable = false;
    std::string other; // the thread that the section loops over; empty: it does not
    std::vector<knowledge::NodeRow> nodes;
    unsigned bits = 0; // temporal operators so far
  };
  struct Stored {
    std::uint32_t index = 0;
    Shape shape;
  };

  Code value_at_depth(const Node& node) override;
  Code monitor_name(const Node& node);
  Code monitor_predicate(const Node& node);
  Code access(const Node& node, std::uint8_t bits);
  Code local(const Node& node, const std::string& name);
  Code block(const Node& node);
  void check_block(const std::string& name, std::size_t at);
  Code temporal(const Node& node);
  Code remote(const Node& node);
  Code quantifier(const Node& node);

  Stored stored_value(const Node& node, std::uint32_t of_class, bool of_variable, const std::string& about);
  std::uint32_t find_role(const std::string& text, std::size_t at);
  void named_role(const std::string& text, std::size_t at, knowledge::RoleRow& row);
  std::set<std::string> thread_variables(const Node& node) const;

  std::uint32_t computed(Code code); // the register that will hold it
  std::uint32_t new_register() { return builder_.registers++; }
  void finish_section(Frame& frame, knowledge::SectionRow row);
  Code leaf(const Node& node, Op op, std::uint64_t operand, Shape shape, const std::string& about = {});
  static Code nothing() { return {{{}}, {}}; }

  MonitorBuilder& builder_;
  Frame* frame_ = nullptr;
  unsigned remote_depth_ = 0;            // inside so many @...(): values used there are not parts of the monitor
  std::size_t first_part_ = 0;           // of the present monitor
  std::map<std::string, Stored> stored_; // by class, names of thread variables and text
};

} // namespace sooth::logic
