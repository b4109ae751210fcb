// `sooth monitors`: compiles the monitors of a property file for a program; without -o, describes
// them.
#include <cstdio>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/output.h"
#include "cli/parser.h"
#include "logic/names/symbols.h"
#include "logic/resolve.h"

namespace sooth::cli {

namespace {

// The flat form, as the runtime reads it: words of this machine.
bool write_words(const std::vector<std::uint64_t>& words, std::FILE* out) {
  return std::fwrite(words.data(), sizeof words[0], words.size(), out) == words.size() && std::fflush(out) == 0;
}

bool write_block(const std::vector<std::uint64_t>& words, const std::string& file) {
  if (file == "-") return write_words(words, stdout);
  std::FILE* out = std::fopen(file.c_str(), "wb");
  if (out == nullptr) return false;
  const bool written = write_words(words, out);
  return std::fclose(out) == 0 && written;
}

void list(const logic::PropertyFile& file, Output& out) {
  for (const logic::MonitorEntry& monitor : file.monitors) {
    out.print("{}:{}: {}\n", monitor.place.file, monitor.place.line, monitor.text);
    if (!monitor.expansion.empty()) out.print("    stands for: {}\n", monitor.expansion);
  }
  out.print("{}, compiled to {}\n", counted(file.monitors.size(), "monitor"),
            byte_text(file.compiled_monitors.size() * sizeof(std::uint64_t)));
}

} // namespace

int run_monitors(int argc, char** argv) {
  std::string property, program, output;
  Parser parser(
      "monitors",
      "Check the monitors of a property file against a program that was built with `sooth cc` or `sooth c++`.\n"
      "With -o they are compiled, as SOOTH_MONITOR and `--monitor` of the compilers have it done.",
      "  sooth monitors bank.prop ./bank\n"
      "  SOOTH_MONITOR=bank.prop ./bank\n");
  parser.add_option("-o,--output", output, "Where the compiled monitors go; - is standard output")->type_name("FILE");
  parser.add_option("property", property, "The property file")->required()->type_name("P");
  parser.add_option("program", program, "The program")->required()->type_name("PROGRAM");
  if (const auto status = parser.parse_with_file(argc, argv)) return *status;

  const auto symbols = logic::symbols_of_program(program);
  if (!symbols) {
    complain(symbols.error().text());
    return kWrong;
  }
  auto file = logic::load_properties(property, symbols.value());
  if (!file) {
    complain(file.error().text());
    return kWrong;
  }
  if (file->monitors.empty()) {
    complain(fmt::format("there is no monitor in {}.", property));
    return kWrong;
  }
  if (output.empty()) {
    Output out;
    list(file.value(), out);
    return out.finish();
  }
  if (write_block(file->compiled_monitors, output)) return kFine;
  complain(fmt::format("cannot write {}.", output));
  return kWrong;
}

} // namespace sooth::cli
