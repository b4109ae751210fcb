// sooth: finds the command and runs it.
#include <string_view>

#include "cli/command.h"
#include "cli/guarded.h"
#include "cli/output.h"

namespace sooth::cli {
namespace {

int dispatch(int argc, char** argv) {
  if (argc < 2) {
    print_error_text(overview());
    return kWrong;
  }
  std::string_view name = argv[1];
  if (name == "-h" || name == "--help") name = "help";
  if (name == "-V" || name == "--version") name = "version";
  if (const Command* command = find_command(name)) return command->run(argc - 1, argv + 1);

  std::string sentence = "there is no command `" + std::string(name) + "`.";
  if (const std::string nearest = nearest_command(name); !nearest.empty())
    sentence += " Did you mean `" + nearest + "`?";
  complain(sentence + " `sooth help` lists all commands.");
  return kWrong;
}

} // namespace
} // namespace sooth::cli

int main(int argc, char** argv) {
  return sooth::cli::guarded([&] { return sooth::cli::dispatch(argc, argv); });
}
