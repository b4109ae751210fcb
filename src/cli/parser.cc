#include "cli/parser.h"

#include <cstdlib>
#include <type_traits>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "cli/command.h"
#include "cli/option_file.h"
#include "cli/output.h"

namespace sooth::cli {

namespace {

// For numbers with a least value. (The message of CLI11's own validator lists the whole range.)
CLI::Validator no_less_than(int least) {
  return CLI::Validator(
      [least](std::string& text) -> std::string {
        char* end = nullptr;
        const double number = std::strtod(text.c_str(), &end);
        if (!text.empty() && *end == '\0' && number >= least) return {};
        return fmt::format("`{}` is no number of at least {}.", text, least);
      },
      "");
}

} // namespace

Parser::Option* Parser::Option::type_name(const std::string& name) { return option_->type_name(name), this; }
Parser::Option* Parser::Option::required() { return option_->required(), this; }
Parser::Option* Parser::Option::show_default() { return option_->capture_default_str(), this; }
Parser::Option* Parser::Option::one_value() { return option_->allow_extra_args(false), this; }
Parser::Option* Parser::Option::delimiter(char between) { return option_->delimiter(between), this; }
Parser::Option* Parser::Option::at_least(int least) { return option_->check(no_less_than(least)), this; }
Parser::Option* Parser::Option::within(int least, int most) { return option_->check(CLI::Range(least, most)), this; }
Parser::Option* Parser::Option::existing_file() { return option_->check(CLI::ExistingFile), this; }
Parser::Option* Parser::Option::excludes(const std::string& other) { return option_->excludes(other), this; }
Parser::Option* Parser::Option::each(const std::function<void(std::string)>& value) {
  return option_->each(value), this;
}

Parser::Parser(const std::string& command, const std::string& description, const std::string& examples)
    : app_(std::make_unique<CLI::App>(description, "sooth " + command)) {
  app_->footer("\nExamples:\n" + examples);
  app_->get_formatter()->column_width(34);
}

Parser::~Parser() = default;

Parser::Option* Parser::add_flag(const std::string& names, bool& value, const std::string& description) {
  return &options_.emplace_back(app_->add_flag(names, value, description));
}

template <typename T>
Parser::Option* Parser::add_option(const std::string& names, T& value, const std::string& description) {
  Option* option = &options_.emplace_back(app_->add_option(names, value, description));
  // As an unsigned number, -1 would be a very large one.
  if constexpr (std::is_same_v<T, unsigned> || std::is_same_v<T, std::uint64_t> ||
                std::is_same_v<T, std::optional<std::uint64_t>>)
    option->at_least(0);
  return option;
}

void Parser::prefix_command() { app_->prefix_command(); }
std::vector<std::string> Parser::remaining() const { return app_->remaining(); }

std::optional<int> Parser::parse_all(int argc, char** argv) {
  try {
    app_->parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    Output out;
    out.text(app_->help());
    return out.finish();
  } catch (const CLI::ParseError& error) {
    complain(std::string(error.what()) + " (see `" + app_->get_name() + " --help`)");
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
  for (CLI::Option* option : app_->get_options())
    if (option->get_expected_max() == 1) option->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  std::vector<char*> words = {argv[0]};
  for (std::string& word : *more) words.push_back(word.data());
  words.insert(words.end(), argv + 1, argv + argc);
  words.push_back(nullptr);
  return parse_all(static_cast<int>(words.size()) - 1, words.data());
}

template Parser::Option* Parser::add_option(const std::string&, int&, const std::string&);
template Parser::Option* Parser::add_option(const std::string&, unsigned&, const std::string&);
template Parser::Option* Parser::add_option(const std::string&, std::uint64_t&, const std::string&);
template Parser::Option* Parser::add_option(const std::string&, double&, const std::string&);
template Parser::Option* Parser::add_option(const std::string&, std::string&, const std::string&);
template Parser::Option* Parser::add_option(const std::string&, std::optional<std::uint64_t>&, const std::string&);
template Parser::Option* Parser::add_option(const std::string&, std::vector<std::string>&, const std::string&);

} // namespace sooth::cli
