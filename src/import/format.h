// Foreign trace formats, one row each: what an importer takes and gives, and the table of all of
// them.
#pragma once

#include <cstdint>
#include <map>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "trace/trace.h"

namespace sooth::import {

struct Imported {
  trace::Trace trace;        // empty if there are errors: a file is imported whole or not at all
  std::vector<Error> errors; // the first of them, each with its line
  std::uint64_t bad_lines = 0;
  std::vector<Error> warnings; // what is odd, or was left out, each with its line; the first of them
  bool ok() const { return bad_lines == 0; }
};

struct Exported {
  std::uint64_t lines = 0;
  std::map<std::string, std::uint64_t> left_out; // kinds that the format has no word for, and how many events
};

struct Format {
  std::string_view name;      // for --from and --to
  std::string_view extension; // with its dot
  std::string_view sentence;
  Imported (*read)(std::string_view text, const std::string& file); // null: it can only be written
  Exported (*write)(const trace::Trace& trace, std::ostream& out);
};

std::span<const Format> formats();
// Null if there is none.
const Format* format_named(std::string_view name);
const Format* format_of_file(std::string_view path);

} // namespace sooth::import
