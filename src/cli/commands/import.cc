// `sooth import`: a trace from another tool's format.
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iostream>
#include <optional>
#include <sstream>
#include <string>

#include "cli/command.h"
#include "cli/formats.h"
#include "cli/output.h"
#include "cli/parser.h"
#include "import/format.h"
#include "trace/verify.h"
#include "trace/writer.h"

namespace sooth::cli {

namespace {

std::optional<std::string> read_whole(const std::string& path) {
  std::ostringstream text;
  if (path == "-") {
    text << std::cin.rdbuf();
    return std::move(text).str();
  }
  std::ifstream in(path, std::ios::binary);
  if (in && in.peek() != std::ifstream::traits_type::eof()) text << in.rdbuf();
  if (!in.is_open() || in.bad() || text.bad()) {
    complain(fmt::format("cannot read {}: {}.", path, std::strerror(errno)));
    return std::nullopt;
  }
  return std::move(text).str();
}

// An illegal trace is imported all the same, so that the user can look at it.
void warn_if_illegal(const trace::Trace& trace) {
  const trace::VerifyReport report = trace::verify(trace, 3);
  if (report.legal()) return;
  complain(fmt::format("warning: the imported trace is not legal ({}); predictions from it would mean nothing.",
                       counted(report.broken_count(), "problem")));
  for (const trace::Problem& problem : report.problems)
    complain(fmt::format("  event {}: {}", problem.event, problem.sentence));
}

} // namespace

int run_import(int argc, char** argv) {
  std::string format_name, file, target;
  Parser parser("import", "Make a trace from another format. The formats:\n" + format_list(),
                "  sooth import --from std run.std -o run.sooth\n"
                "  zcat run.std.gz | sooth import --from std - -o run.sooth\n");
  parser.add_option("file", file, "The file to read; - for standard input")->required();
  parser.add_option("--from", format_name, "Its format; by default from its extension")->type_name("FORMAT");
  parser.add_option("-o,--output", target, "The trace to write")->required()->type_name("T.sooth");
  if (const auto status = parser.parse_all(argc, argv)) return *status;

  const import::Format* format = choose_format(format_name, file, "--from");
  if (format == nullptr) return kWrong;
  if (format->read == nullptr) {
    complain(fmt::format("the format `{}` can only be written (`sooth export`).", format->name));
    return kWrong;
  }
  const auto text = read_whole(file);
  if (!text) return kWrong;
  const import::Imported imported = format->read(*text, file == "-" ? "<stdin>" : file);
  if (!imported.ok()) {
    for (const Error& error : imported.errors) print_error_text(error.text() + "\n");
    complain(fmt::format("nothing was imported: {} cannot be understood{}.", counted(imported.bad_lines, "line"),
                         imported.bad_lines > imported.errors.size() ? ", of which the first are listed" : ""));
    return kWrong;
  }
  for (const Error& warning : imported.warnings) print_error_text(warning.text() + "\n");
  warn_if_illegal(imported.trace);
  if (const auto written = trace::write_trace(imported.trace, target); !written) {
    complain(written.error().text());
    return kWrong;
  }
  Output out;
  out.print("{}: {} of {}\n", target, counted(imported.trace.events.size(), "event"),
            counted(imported.trace.threads.size(), "thread"));
  return out.finish();
}

} // namespace sooth::cli
