#include "import/format.h"

#include "import/std/std_format.h"
#include "import/views/views.h"

namespace sooth::import {

std::span<const Format> formats() {
  static constexpr Format rows[] = {
      {"std", ".std", "the STD text format of RAPID, one `thread|operation(target)|location` a line", read_std,
       write_std},
      {"shiviz", ".shiviz", "a vector-clock log that ShiViz shows (only --to)", nullptr, write_shiviz},
      {"perfetto", ".pftrace", "Perfetto's trace format, TrackEvent packets (only --to)", nullptr, write_perfetto},
  };
  return rows;
}

const Format* format_named(std::string_view name) {
  for (const Format& format : formats())
    if (format.name == name) return &format;
  return nullptr;
}

const Format* format_of_file(std::string_view path) {
  for (const Format& format : formats())
    if (path.ends_with(format.extension)) return &format;
  return nullptr;
}

} // namespace sooth::import
