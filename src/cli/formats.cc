#include "cli/formats.h"

#include "cli/output.h"

namespace sooth::cli {

std::string format_list() {
  std::string out;
  for (const import::Format& format : import::formats())
    out += fmt::format("  {:<8} {}\n", format.name, format.sentence);
  return out;
}

const import::Format* choose_format(const std::string& name, const std::string& file, const std::string& option) {
  const import::Format* format = name.empty() ? import::format_of_file(file) : import::format_named(name);
  if (format != nullptr) return format;
  if (name.empty()) complain(fmt::format("the name `{}` does not tell the format; say it with {}.", file, option));
  else complain(fmt::format("there is no format `{}`. The formats:\n{}", name, format_list()));
  return nullptr;
}

} // namespace sooth::cli
