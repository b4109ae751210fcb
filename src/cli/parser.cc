#include "cli/parser.h"

#include "cli/command.h"
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

} // namespace sooth::cli
