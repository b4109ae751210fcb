#include "logic/called_functions.h"

#include <set>

#include "logic/names/lookup.h"
#include "logic/trimmed.h"

namespace sooth::logic {
namespace {

void collect(const Node& node, std::set<std::string>& names) {
  if (node.form == Form::Predicate && (node.text == "call" || node.text == "return"))
    if (const std::string_view argument = trimmed(node.argument); !argument.empty())
      names.insert(unscoped_function_name(argument));
  for (const Node& child : node.children) collect(child, names);
}

} // namespace

std::vector<std::string> called_functions(const SyntaxFile& file) {
  std::set<std::string> names;
  for (const SyntaxEntry& entry : file.entries) collect(entry.body, names);
  return {names.begin(), names.end()};
}

} // namespace sooth::logic
