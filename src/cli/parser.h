// The command line of one command: CLI11, with our error messages, and with examples in the help.
// Only parser.cc includes CLI11. It is header-only, and each file that includes it would compile
// much of it again.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
} // namespace CLI

namespace sooth::cli {

struct CommandReference;

class Parser {
public:
  // Properties of an option; calls can be chained.
  class Option {
  public:
    explicit Option(CLI::Option* option) : option_(option) {}
    Option* type_name(const std::string& name);
    Option* required();
    Option* show_default();          // in the help: the variable's present value
    Option* one_value();             // in a list, each value needs the option's name before it
    Option* delimiter(char between); // separates the values of a list
    Option* at_least(int least);
    Option* within(int least, int most);
    Option* existing_file();
    Option* excludes(const std::string& other);
    Option* each(const std::function<void(std::string)>& value);

  private:
    CLI::Option* option_;
  };

  Parser(const std::string& command, const std::string& description, const std::string& examples);
  ~Parser();

  Option* add_flag(const std::string& names, bool& value, const std::string& description);
  // For the types that parser.cc instantiates at its end.
  template <typename T>
  Option* add_option(const std::string& names, T& value, const std::string& description);
  void prefix_command(); // words behind the first positional one are the program's
  const std::vector<std::string>& remaining() const { return remaining_; }

  // While one exists, a parser fills the row instead of reading arguments, and its command ends.
  class Describing {
  public:
    explicit Describing(CommandReference& row);
    ~Describing();
    Describing(const Describing&) = delete;
    Describing& operator=(const Describing&) = delete;
  };

  // An exit status if the command should end: help was requested, or the arguments are wrong.
  std::optional<int> parse_all(int argc, char** argv);
  // The same, with the options of the file `.sooth` before them. Then options may be given twice:
  // the last one counts.
  std::optional<int> parse_with_file(int argc, char** argv);

private:
  // Takes the program's words away, and complains of options that the command does not have.
  bool take_words(std::vector<std::string>& words);
  bool is_known(const std::string& word, bool& takes_next) const;
  std::string advice_for(const std::string& word, const std::vector<std::string>& names) const;
  std::optional<int> parse_words(std::vector<std::string> words);
  void describe(CommandReference& row) const;

  std::unique_ptr<CLI::App> app_;
  std::string examples_;
  bool has_program_ = false;
  std::vector<std::string> remaining_;
  std::deque<Option> options_; // a deque, so that pointers to them stay valid
};

} // namespace sooth::cli
