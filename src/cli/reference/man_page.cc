#include <algorithm>

#include <fmt/format.h>

#include "cli/reference/reference.h"

namespace sooth::cli {

namespace {

// As plain text in troff: no line begins with a command, hyphens stay hyphens.
std::string roff(const std::string& text) {
  std::string out;
  bool begins = true;
  for (const char letter : text) {
    if (begins && (letter == '.' || letter == '\'')) out += "\\&";
    if (letter == '\\') out += "\\e";
    else if (letter == '-') out += "\\-";
    else out += letter;
    begins = letter == '\n';
  }
  return out;
}

std::string without_line_ends(std::string text) {
  std::ranges::replace(text, '\n', ' ');
  return text;
}

std::string upper(std::string text) {
  for (char& letter : text)
    if (letter >= 'a' && letter <= 'z') letter = static_cast<char>(letter - 'a' + 'A');
  return text;
}

std::string head(const std::string& name) {
  return fmt::format(".TH {} 1 \"\" \"sooth {}\" \"Sooth\"\n", roff(upper(name)), SOOTH_VERSION);
}

std::string option_text(const OptionRow& option) {
  std::string out = ".TP\n";
  for (std::size_t i = 0; i < option.names.size(); ++i)
    out += fmt::format("{}\\fB{}\\fR", i == 0 ? "" : ", ", roff(option.names[i]));
  if (!option.value.empty() && !option.positional) out += fmt::format(" \\fI{}\\fR", roff(option.value));
  return out + "\n" + roff(without_line_ends(option.description)) + "\n";
}

constexpr const char* kExitStatus = R"(.SH EXIT STATUS
.TP
\fB0\fR
fine
.TP
\fB66\fR
something was found
.TP
\fB65\fR
nothing was found, but something was not looked for at all
.TP
\fB2\fR
wrong usage, or a bad trace
.TP
\fB124\fR
\-\-timeout ended the program, and nothing was found
.PP
In all other cases \fBrun\fR and \fBrecord\fR return the program's own status.
)";

} // namespace

std::string man_page(const CommandReference& command) {
  const std::string name = "sooth-" + command.name;
  std::string out = head(name) + fmt::format(".SH NAME\n{} \\- {}\n", roff(name), roff(command.summary));
  out += fmt::format(".SH SYNOPSIS\n\\fBsooth {}\\fR [OPTIONS] {}\n", roff(command.name), roff(command.arguments));
  out += ".SH DESCRIPTION\n" + roff(command.description) + "\n.SH OPTIONS\n";
  for (const OptionRow& option : command.options) out += option_text(option);
  out += ".SH EXAMPLES\n.nf\n" + roff(command.examples) + ".fi\n" + kExitStatus;
  return out + ".SH SEE ALSO\n\\fBsooth\\fR(1)\n";
}

std::string man_page_of_all(const std::vector<CommandReference>& commands) {
  std::string out = head("sooth") + ".SH NAME\nsooth \\- predicts concurrency errors from one run of a program\n"
                                    ".SH SYNOPSIS\n\\fBsooth\\fR COMMAND [ARGS]\n.SH DESCRIPTION\n"
                                    "Sooth reads one run of a multithreaded C or C++ program and says what other runs "
                                    "would do.\n.SH COMMANDS\n";
  for (const CommandReference& command : commands)
    out += fmt::format(".TP\n\\fB{}\\fR {}\n{}\n", roff(command.name), roff(command.arguments), roff(command.summary));
  return out + kExitStatus + ".SH SEE ALSO\n\\fBsooth\\-run\\fR(1), \\fBsooth\\-check\\fR(1)\n";
}

} // namespace sooth::cli
