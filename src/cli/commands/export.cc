// `sooth export`: a trace in another tool's format.
#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>

#include "cli/command.h"
#include "cli/formats.h"
#include "cli/output.h"
#include "cli/parser.h"
#include "cli/trace_within.h"
#include "import/format.h"

namespace sooth::cli {

namespace {

// Reports what the format cannot express, so that the file does not look complete.
void tell_left_out(const import::Exported& exported) {
  if (exported.left_out.empty()) return;
  std::string list;
  for (const auto& [kind, count] : exported.left_out)
    list += fmt::format("{}{} {}", list.empty() ? "" : ", ", count, kind);
  complain("left out, because the format has no word for them: " + list +
           ". Orders that they made are not in the file.");
}

} // namespace

int run_export(int argc, char** argv) {
  std::string format_name, file, target, memory;
  Parser parser("export", "Write a trace in another format. The formats:\n" + format_list(),
                "  sooth export --to std run.sooth -o run.std\n"
                "  sooth export --to std run.sooth -o - | head\n"
                "  sooth export --to shiviz run.sooth -o run.shiviz\n"
                "  sooth export --to perfetto run.sooth -o run.pftrace\n");
  parser.add_option("trace", file, "The trace file")->required()->type_name("T.sooth");
  parser.add_option("--to,--format", format_name, "The format; by default from the extension of the file to write")
      ->type_name("FORMAT");
  parser.add_option("-o,--output", target, "The file to write; - for standard output")->required()->type_name("FILE");
  add_memory_option(parser, memory);
  if (const auto status = parser.parse_all(argc, argv)) return *status;

  const import::Format* format = choose_format(format_name, target, "--to");
  if (format == nullptr) return kWrong;
  return with_trace(file, memory, [&](const trace::Trace& trace, const BeginTelling& begin) -> int {
    if (target == "-") {
      std::ostringstream text;
      tell_left_out(format->write(trace, text));
      begin();
      Output out;
      out.text(text.str());
      return out.finish();
    }
    begin(); // the rest takes little memory
    std::ofstream out(target, std::ios::binary);
    if (out) tell_left_out(format->write(trace, out));
    out.close();
    if (!out) {
      complain(fmt::format("cannot write {}: {}.", target, std::strerror(errno)));
      return kWrong;
    }
    return kFine;
  });
}

} // namespace sooth::cli
