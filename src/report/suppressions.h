// Findings that the user does not want to see: files in ThreadSanitizer's syntax, one `type:pattern` a line.
//
//   # a comment
//   race:Cache::lookup          a function in either stack,
//   race:third_party/           a file,
//   race:net::state             or the variable
//   race_top:fast_counter       the function or file of the access itself
//   deadlock:connect            for deadlocks; likewise every other kind of finding (docs/report.md)
//
// A pattern matches anywhere in a name; `*` stands for anything, `^` and `$` for its beginning and end.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "report/report.h"

namespace sooth::report {

struct Suppression {
  std::string type;
  std::string pattern;
  std::uint64_t line = 0;
  std::uint64_t used = 0; // findings that it kept back
};

// `file` is for error messages.
Result<std::vector<Suppression>> parse_suppressions(std::string_view text, const std::string& file);
// Is `name` what the pattern asks for?
bool pattern_matches(std::string_view pattern, std::string_view name);
bool matches(const Suppression& suppression, const FindingText& finding);

// Does this line of source say that findings of that kind are meant to be there: `// sooth:ignore(race, deadlock)`?
bool line_ignores(std::string_view line, std::string_view kind);
// Takes those findings out of the report that such a comment stands beside: on the line of one of their places, or on the
// line before it. Sources that cannot be read say nothing.
void suppress_in_source(Report& report);

// Takes the findings that match one out of the report, counts them, and numbers the rest anew.
void suppress(std::vector<Suppression>& suppressions, Report& report);

} // namespace sooth::report
