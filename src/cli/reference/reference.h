// The commands and their options as data, from which man pages and completions are made.
#pragma once

#include <string>
#include <vector>

namespace sooth::cli {

struct OptionRow {
  std::vector<std::string> names; // "-o", "--output"; of a positional argument its name
  std::string value;              // "FILE"; empty: a flag
  std::string description;
  bool positional = false;
};

struct CommandReference {
  std::string name;
  std::string arguments;
  std::string summary;
  std::string description; // empty: the command has no options of its own
  std::string examples;
  std::vector<OptionRow> options;
};

// Every row of the table of commands, with the options of its parser.
std::vector<CommandReference> reference();

// `sooth-run.1`, in troff.
std::string man_page(const CommandReference& command);
// `sooth.1`
std::string man_page_of_all(const std::vector<CommandReference>& commands);

std::string bash_completion(const std::vector<CommandReference>& commands);
std::string zsh_completion(const std::vector<CommandReference>& commands);
std::string fish_completion(const std::vector<CommandReference>& commands);

// Writes all of them below `share`, where shells and man look for them; false after an error, which
// has been reported.
bool write_reference(const std::string& share);

} // namespace sooth::cli
