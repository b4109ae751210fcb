#include "cli/reference/reference.h"

#include <filesystem>

#include "cli/command.h"
#include "cli/output.h"
#include "cli/parser.h"

namespace sooth::cli {

namespace fs = std::filesystem;

std::vector<CommandReference> reference() {
  std::vector<CommandReference> out;
  for (const Command& command : commands()) {
    CommandReference row{
        std::string(command.name), std::string(command.arguments), std::string(command.summary), {}, {}, {}};
    if (command.has_parser) {
      const Parser::Describing describing(row); // the command ends where it would read its arguments
      std::string name(command.name);
      char* argv[] = {name.data(), nullptr};
      command.run(1, argv);
    }
    out.push_back(std::move(row));
  }
  return out;
}

bool write_reference(const std::string& share) {
  const std::vector<CommandReference> commands = reference();
  std::vector<std::pair<fs::path, std::string>> files = {
      {"man/man1/sooth.1", man_page_of_all(commands)},
      {"bash-completion/completions/sooth", bash_completion(commands)},
      {"zsh/site-functions/_sooth", zsh_completion(commands)},
      {"fish/vendor_completions.d/sooth.fish", fish_completion(commands)},
  };
  for (const CommandReference& command : commands)
    if (!command.description.empty()) files.emplace_back("man/man1/sooth-" + command.name + ".1", man_page(command));
  for (const auto& [name, text] : files) {
    const fs::path path = share / name;
    std::error_code ignored; // writing tells
    fs::create_directories(path.parent_path(), ignored);
    if (!write_file(path.string(), text)) return false;
  }
  return true;
}

} // namespace sooth::cli
