// The command line of one command: CLI11, with our way of telling errors and with examples in the help.
// Only parser.cc sees CLI11. It is all headers, and each file that sees it would compile much of it once more.
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

class Parser {
public:
  // What may be said of an option, one after the other.
  class Option {
  public:
    explicit Option(CLI::Option* option) : option_(option) {}
    Option* type_name(const std::string& name);
    Option* required();
    Option* show_default();          // in the help: what the variable holds now
    Option* one_value();             // of a list: each value needs the option's name before it
    Option* delimiter(char between); // of the values of a list
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
  // For the types that parser.cc names at its end.
  template <typename T>
  Option* add_option(const std::string& names, T& value, const std::string& description);
  void prefix_command(); // what follows the first positional argument is not ours
  std::vector<std::string> remaining() const;

  // An exit status if there is nothing more to do: help was asked for, or the arguments are wrong.
  std::optional<int> parse_all(int argc, char** argv);
  // The same, with the options of the file `.sooth` before them. Options may be given twice then: the last one counts.
  std::optional<int> parse_with_file(int argc, char** argv);

private:
  std::unique_ptr<CLI::App> app_;
  std::deque<Option> options_; // stay where they are
};

} // namespace sooth::cli
