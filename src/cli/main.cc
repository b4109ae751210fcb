// sooth: finds the command and runs it. Whatever goes wrong inside ends with a sentence, never with a crash.
#include <cstdio>
#include <exception>
#include <new>
#include <string_view>

#include "cli/command.h"
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
  try {
    return sooth::cli::dispatch(argc, argv);
  } catch (const std::bad_alloc&) {
    std::fputs("sooth: there is not enough memory for this.\n", stderr);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "sooth: unexpected error: %s\n", error.what());
  } catch (...) {
    std::fputs("sooth: unexpected error.\n", stderr);
  }
  return sooth::cli::kWrong;
}
