// The command line of one command: CLI11, with our way of telling errors and with examples in the help.
#pragma once

#include <optional>
#include <string>

#include <CLI/CLI.hpp>

namespace sooth::cli {

class Parser : public CLI::App {
public:
  Parser(const std::string& command, const std::string& description, const std::string& examples);

  // An exit status if there is nothing more to do: help was asked for, or the arguments are wrong.
  std::optional<int> parse_all(int argc, char** argv);
  // The same, with the options of the file `.sooth` before them. Options may be given twice then: the last one counts.
  std::optional<int> parse_with_file(int argc, char** argv);
};

// For numbers that must not be smaller. (CLI11's own tells of all numbers that there are.)
CLI::Validator at_least(int least);

} // namespace sooth::cli
