// `sooth lattice`: a picture of the runs on which a property is checked.
#include <cerrno>
#include <filesystem>
#include <string>

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "analysis/prepare.h"
#include "cli/command.h"
#include "cli/output.h"
#include "cli/parser.h"
#include "cli/terminal/progress.h"
#include "cli/trace_within.h"
#include "logic/resolve.h"
#include "properties/lattice_picture.h"

extern char** environ;

namespace sooth::cli {

namespace {

// Graphviz draws it, from a text file beside the picture.
bool draw_svg(const std::string& dot, const std::string& path) {
  const std::string source = path + ".dot.tmp";
  if (!write_file(source, dot)) return false;
  std::string words[] = {"dot", "-Tsvg", "-o", path, source};
  char* argv[] = {words[0].data(), words[1].data(), words[2].data(), words[3].data(), words[4].data(), nullptr};
  pid_t child = 0;
  int status = 0;
  const int wrong = posix_spawnp(&child, "dot", nullptr, nullptr, argv, environ);
  if (wrong == 0)
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
  unlink(source.c_str());
  if (wrong == 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0) return true;
  complain(wrong != 0 ? "Graphviz is not installed (there is no program `dot`); a .dot file can be written without it."
                      : "Graphviz could not draw the picture.");
  return false;
}

int draw(trace::Trace trace, const std::string& file, const std::string& property, const std::string& model,
         const std::string& output, const properties::PictureOptions& options, const BeginTelling& begin) {
  const auto prepared = [&] {
    ProgressLine line("verifying the trace");
    return analysis::prepare(std::move(trace), analysis::Spending(), line);
  }();
  if (!prepared) {
    complain(Error{prepared.error().message, file}.text());
    return kWrong;
  }
  const analysis::Prepared& p = *prepared.value();
  const auto properties = logic::load_properties(property, logic::symbols_of_trace(p.trace));
  if (!properties) {
    complain(properties.error().text());
    return kWrong;
  }
  const auto dot = properties::lattice_picture(p.trace, p.computation, properties.value(), model, options);
  if (!dot) {
    complain(dot.error().text());
    return kWrong;
  }
  begin();
  const bool as_text = std::filesystem::path(output).extension() == ".dot";
  return (as_text ? write_file(output, dot.value()) : draw_svg(dot.value(), output)) ? kFine : kWrong;
}

} // namespace

int run_lattice(int argc, char** argv) {
  std::string file, property, output, memory, model = "hb";
  properties::PictureOptions options;
  Parser parser(
      "lattice",
      "Draw the computation lattice of a trace: the states that a property can see, the observed run (thick), and\n"
      "the runs that violate a property (red). Needs Graphviz for .svg.",
      "  sooth lattice landing.sooth --property safe_landing.prop -o landing.svg\n"
      "  sooth lattice bank.sooth --property p.prop --window 5 -o around_the_error.dot\n");
  parser.add_option("trace", file, "The trace file")->required()->type_name("T.sooth");
  parser.add_option("--property", property, "What must hold (docs/properties.md)")->required()->type_name("P.prop");
  parser.add_option("-o,--output", output, "The picture: a name that ends in .svg or .dot")
      ->required()
      ->type_name("FILE");
  parser.add_option("--model", model, "Which other runs there are")->type_name("MODEL")->show_default();
  parser.add_option("--max-cuts", options.max_cuts, "Draw at most so many cuts")->type_name("N")->show_default();
  parser.add_option("--window", options.window, "Only cuts within N steps of the first violation, before or after it")
      ->type_name("N");
  parser.add_option("--around", options.around, "... of the first violation of this property")->type_name("NAME");
  add_memory_option(parser, memory);
  if (const auto status = parser.parse_all(argc, argv)) return *status;

  const std::string extension = std::filesystem::path(output).extension().string();
  if (extension != ".svg" && extension != ".dot") {
    complain("the picture's name must end in .svg or .dot.");
    return kWrong;
  }
  if (!options.around.empty() && options.window == 0) options.window = 5;
  return with_trace(file, memory, [&](trace::Trace trace, const BeginTelling& begin) {
    return draw(std::move(trace), file, property, model, output, options, begin);
  });
}

} // namespace sooth::cli
