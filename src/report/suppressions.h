// Findings that the user does not want to see: files in ThreadSanitizer's syntax, one
// `type:pattern` a line.
//
//   # a comment
//   race:Cache::lookup          a function in either stack,
//   race:third_party/           a file,
//   race:net::state             or the variable
//   race_top:fast_counter       the function or file of the access itself
//   deadlock:connect            for deadlocks; likewise every other kind of finding
//                               (docs/report.md)
//   fingerprint:59ee139b62c60e1a   this finding, or this pair of lines
//
// As in ThreadSanitizer, `race` is also for uses after free, and looks at the stacks that created
// the threads; `mutex` is for misused locks.
//
// A pattern matches anywhere in a name; `*` stands for any text, `^` and `$` for the beginning and
// the end.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "report/report.h"
#include "report/source_lines.h"

namespace sooth::report {

struct Suppression {
  std::string type;
  std::string pattern;
  std::uint64_t line = 0;
};
// The type for findings of a certain fingerprint.
inline constexpr std::string_view kFingerprintType = "fingerprint";

// `file` is for error messages.
Result<std::vector<Suppression>> parse_suppressions(std::string_view text, const std::string& file);
// Whether the pattern matches `name`.
bool pattern_matches(std::string_view pattern, std::string_view name);
// Whether the suppression, which has no fingerprint, matches a place, a stack or the property.
bool matches(const Suppression& suppression, const FindingText& finding);

// Whether this line of source asks to ignore findings of that kind: `// sooth:ignore(race,
// deadlock)`.
bool line_ignores(std::string_view line, std::string_view kind);
// Suppresses findings: by the suppressions of a file, and by such comments on the line of one of a
// finding's places, or on the line before it. Sources that cannot be read suppress nothing.
class Suppressor {
public:
  // Relative names of sources start in `directory`.
  Suppressor(std::vector<Suppression> suppressions, std::string directory)
      : suppressions_(std::move(suppressions)), used_(suppressions_.size()), sources_(std::move(directory)) {}

  // By places, stacks and comments. Asked about each pair of lines.
  bool keeps_back(const FindingText& finding);
  // By fingerprints: takes findings and pairs of lines out of the report, and counts them.
  void keep_back_fingerprints(Report& report);
  // Those that matched nothing, as text, of kinds that `find` (words of --find) looked for.
  std::vector<std::string> unused(const std::vector<std::string>& find) const;

private:
  bool ignored_in_source(const FindingText& finding);
  bool has_fingerprint(const std::string& fingerprint);

  std::vector<Suppression> suppressions_;
  std::vector<bool> used_; // by suppression
  SourceLines sources_;
};

} // namespace sooth::report
