// `sooth help` and `sooth version`.
#include <string>
#include <string_view>

#include "cli/command.h"
#include "cli/output.h"
#include "cli/reference/reference.h"
#include "trace/format.h"

namespace sooth::cli {

int run_help(int argc, char** argv) {
  if (argc == 3 && std::string_view(argv[1]) == "--files") return write_reference(argv[2]) ? kFine : kWrong;
  if (argc > 1 && argv[1][0] != '-') {
    const Command* command = find_command(argv[1]);
    if (command == nullptr) {
      complain(fmt::format("there is no command `{}`. `sooth help` lists all commands.", argv[1]));
      return kWrong;
    }
    // For the compilers, --help would show clang's help, not their own options.
    const bool compiles = command->run == run_cc || command->run == run_cxx;
    std::string name(command->name), option = compiles ? "--sooth-help" : "--help";
    if (command->run != run_help && command->run != run_version) {
      char* arguments[] = {name.data(), option.data(), nullptr};
      return command->run(2, arguments);
    }
  }
  Output out;
  out.text(overview());
  return out.finish();
}

int run_version(int, char**) {
  Output out;
  out.print("sooth {} (trace format {})\n", SOOTH_VERSION, trace::kFormatVersion);
  return out.finish();
}

} // namespace sooth::cli
