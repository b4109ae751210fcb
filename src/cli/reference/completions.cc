// Completions for shells: commands, their options, and files where an option or argument takes one.
#include <algorithm>

#include <fmt/format.h>

#include "cli/reference/reference.h"

namespace sooth::cli {

namespace {

// One line, for a shell's single quotes.
std::string quoted_text(std::string text) {
  std::ranges::replace(text, '\n', ' ');
  std::string out;
  for (const char letter : text) {
    if (letter == '\'') out += "'\\''";
    else out += letter;
  }
  return out;
}

// For zsh, brackets and colons also mean something.
std::string zsh_text(const std::string& text) {
  std::string out;
  for (const char letter : quoted_text(text)) {
    if (letter == '[' || letter == ']' || letter == ':') out += '\\';
    out += letter;
  }
  return out;
}

std::string options_of(const CommandReference& command, bool with_value_only) {
  std::string out;
  for (const OptionRow& option : command.options)
    if (!option.positional && (!with_value_only || !option.value.empty()))
      for (const std::string& name : option.names) out += (out.empty() ? "" : with_value_only ? "|" : " ") + name;
  return out;
}

} // namespace

std::string bash_completion(const std::vector<CommandReference>& commands) {
  std::string names, cases;
  for (const CommandReference& command : commands) {
    names += (names.empty() ? "" : " ") + command.name;
    if (!command.options.empty())
      cases += fmt::format("    {}) options='{}' ;;\n", command.name, options_of(command, false));
  }
  return fmt::format(R"(# bash completion for sooth; made by `sooth help --files`
_sooth() {{
  local word="${{COMP_WORDS[COMP_CWORD]}}" options=''
  if [ "$COMP_CWORD" -eq 1 ]; then
    mapfile -t COMPREPLY < <(compgen -W '{}' -- "$word")
    return
  fi
  case "${{COMP_WORDS[1]}}" in
{}  esac
  if [[ "$word" == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$options" -- "$word")
  else
    mapfile -t COMPREPLY < <(compgen -f -- "$word")
  fi
}}
complete -o filenames -F _sooth sooth
)",
                     names, cases);
}

std::string zsh_completion(const std::vector<CommandReference>& commands) {
  std::string rows, cases;
  for (const CommandReference& command : commands) {
    rows += fmt::format("    '{}:{}'\n", command.name, zsh_text(command.summary));
    if (command.options.empty()) continue;
    cases += fmt::format("    {}) _arguments -S", command.name);
    for (const OptionRow& option : command.options) {
      if (option.positional) continue;
      for (const std::string& name : option.names)
        cases += fmt::format(" \\\n      '{}[{}]{}'", name, zsh_text(option.description),
                             option.value.empty() ? "" : fmt::format(":{}:_files", zsh_text(option.value)));
    }
    cases += " \\\n      '*:file:_files' ;;\n";
  }
  return fmt::format(R"(#compdef sooth
# zsh completion for sooth; made by `sooth help --files`
_sooth() {{
  local -a commands=(
{}  )
  if (( CURRENT == 2 )); then
    _describe 'command' commands
    return
  fi
  local command="$words[2]"
  shift words
  (( CURRENT-- ))
  case "$command" in
{}    *) _files ;;
  esac
}}
_sooth "$@"
)",
                     rows, cases);
}

std::string fish_completion(const std::vector<CommandReference>& commands) {
  std::string out = "# fish completion for sooth; made by `sooth help --files`\n";
  for (const CommandReference& command : commands)
    out += fmt::format("complete -c sooth -n __fish_use_subcommand -f -a '{}' -d '{}'\n", command.name,
                       quoted_text(command.summary));
  for (const CommandReference& command : commands)
    for (const OptionRow& option : command.options) {
      if (option.positional) continue;
      out += fmt::format("complete -c sooth -n '__fish_seen_subcommand_from {}'", command.name);
      for (const std::string& name : option.names)
        out += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      out += fmt::format("{} -d '{}'\n", option.value.empty() ? "" : " -r -F", quoted_text(option.description));
    }
  return out;
}

} // namespace sooth::cli
