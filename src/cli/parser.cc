#include "cli/parser.h"

#include <cstdlib>

#include <fmt/format.h>

#include "cli/command.h"
#include "cli/option_file.h"
#include "cli/output.h"

namespace sooth::cli {

Parser::Parser(const std::string& command, const std::string& description, const std::string& examples)
    : CLI::App(description, "sooth " + command) {
  footer("\nExamples:\n" + examples);
  get_formatter()->column_width(34);
}

std::optional<int> Parser::parse_all(int argc, char** argv) {
  try {
    parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    Output out;
    out.text(help());
    return out.finish();
  } catch (const CLI::ParseError& error) {
    complain(std::string(error.what()) + " (see `" + get_name() + " --help`)");
    return kWrong;
  }
  return std::nullopt;
}

std::optional<int> Parser::parse_with_file(int argc, char** argv) {
  auto more = options_from_file();
  if (!more) {
    complain(more.error().text());
    return kWrong;
  }
  for (CLI::Option* option : get_options())
    if (option->get_expected_max() == 1) option->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  std::vector<char*> words = {argv[0]};
  for (std::string& word : *more) words.push_back(word.data());
  words.insert(words.end(), argv + 1, argv + argc);
  words.push_back(nullptr);
  return parse_all(static_cast<int>(words.size()) - 1, words.data());
}

CLI::Validator at_least(int least) {
  return CLI::Validator(
      [least](std::string& text) -> std::string {
        char* end = nullptr;
        const double number = std::strtod(text.c_str(), &end);
        if (!text.empty() && *end == '\0' && number >= least) return {};
        return fmt::format("`{}` is no number of at least {}.", text, least);
      },
      "");
}

} // namespace sooth::cli
