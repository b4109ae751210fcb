#include "cli/parser.h"

#include <algorithm>
#include <cstdlib>
#include <type_traits>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "cli/command.h"
#include "cli/option_file.h"
#include "cli/output.h"
#include "cli/reference/reference.h"
#include "logic/syntax/nearest.h"

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
    : app_(std::make_unique<CLI::App>(description, "sooth " + command)), examples_(examples) {
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

void Parser::prefix_command() { has_program_ = true; }

// `--name`, `--name=value`, `-n`, `-nVALUE`. `takes_next`: its value is the next word.
bool Parser::is_known(const std::string& word, bool& takes_next) const {
  const bool is_long = word.starts_with("--");
  const std::size_t equals = word.find('=');
  const std::string name = is_long ? word.substr(0, equals) : word.substr(0, 2);
  const CLI::Option* option = app_->get_option_no_throw(name);
  const bool has_value = is_long ? equals != std::string::npos : word.size() > 2;
  takes_next = option != nullptr && option->get_items_expected_max() != 0 && !has_value;
  return option != nullptr;
}

// Where source files are compiled, a word with one dash is most likely meant for the compiler.
std::string Parser::advice_for(const std::string& word, const std::vector<std::string>& names) const {
  if (!word.starts_with("--") && app_->get_option_no_throw("--flag") != nullptr)
    return fmt::format(" For the compiler, write `--flag={}`.", word);
  const std::vector<std::string> near = logic::nearest_names(word.substr(0, word.find('=')), names);
  return near.empty() ? "" : fmt::format(" Did you mean `{}`?", near.front());
}

bool Parser::take_words(std::vector<std::string>& words) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string word = words[i];
    const bool ends_options = word == "--";
    if (word.size() < 2 || word.front() != '-' || ends_options) {
      if (!has_program_) {
        if (ends_options) return true;
        continue;
      }
      const std::size_t program = i + (ends_options ? 1 : 0); // its name
      if (program < words.size())
        remaining_.assign(words.begin() + static_cast<std::ptrdiff_t>(program) + 1, words.end());
      words.resize(std::min(words.size(), program + 1));
      return true;
    }
    bool takes_next = false;
    if (is_known(word, takes_next)) {
      i += takes_next ? 1 : 0;
      continue;
    }
    std::vector<std::string> names;
    for (const CLI::Option* option : app_->get_options())
      for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    const std::string name = word.substr(0, word.find('='));
    complain(
        fmt::format("there is no option `{}`.{} (see `{} --help`)", name, advice_for(word, names), app_->get_name()));
    return false;
  }
  return true;
}

namespace {

CommandReference* g_describing = nullptr; // only the main thread parses

} // namespace

Parser::Describing::Describing(CommandReference& row) { g_describing = &row; }
Parser::Describing::~Describing() { g_describing = nullptr; }

void Parser::describe(CommandReference& row) const {
  row.description = app_->get_description();
  row.examples = examples_;
  for (const CLI::Option* option : app_->get_options()) {
    OptionRow out;
    for (const std::string& name : option->get_snames()) out.names.push_back("-" + name);
    for (const std::string& name : option->get_lnames()) out.names.push_back("--" + name);
    out.positional = option->get_positional();
    if (out.positional) out.names = {option->get_type_name()};
    if (option->get_items_expected_max() != 0) out.value = option->get_type_name();
    out.description = option->get_description();
    row.options.push_back(std::move(out));
  }
}

std::optional<int> Parser::parse_words(std::vector<std::string> words) {
  if (g_describing != nullptr) {
    describe(*g_describing);
    return kFine;
  }
  if (!take_words(words)) return kWrong;
  try {
    std::ranges::reverse(words); // as CLI11 wants them
    app_->parse(words);
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

std::optional<int> Parser::parse_all(int argc, char** argv) { return parse_words({argv + 1, argv + argc}); }

std::optional<int> Parser::parse_with_file(int argc, char** argv) {
  auto words = options_from_file();
  if (!words) {
    complain(words.error().text());
    return kWrong;
  }
  for (CLI::Option* option : app_->get_options())
    if (option->get_expected_max() == 1) option->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  words->insert(words->end(), argv + 1, argv + argc);
  return parse_words(*std::move(words));
}

template Parser::Option* Parser::add_option(const std::string&, int&, const std::string&);
template Parser::Option* Parser::add_option(const std::string&, unsigned&, const std::string&);
template Parser::Option* Parser::add_option(const std::string&, std::uint64_t&, const std::string&);
template Parser::Option* Parser::add_option(const std::string&, double&, const std::string&);
template Parser::Option* Parser::add_option(const std::string&, std::string&, const std::string&);
template Parser::Option* Parser::add_option(const std::string&, std::optional<std::uint64_t>&, const std::string&);
template Parser::Option* Parser::add_option(const std::string&, std::vector<std::string>&, const std::string&);

} // namespace sooth::cli
