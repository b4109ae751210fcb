// Suppression files of any content are parsed or refused, and patterns of any kind match or do not.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "report/suppressions.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  (void)sooth::report::line_ignores(text, "race");
  if (auto parsed = sooth::report::parse_suppressions(text, "fuzz"))
    for (const auto& suppression : parsed.value()) {
      // Without anchors, a pattern matches whatever an anchored one does.
      const std::string_view pattern = suppression.pattern;
      if (pattern.starts_with('^') && sooth::report::pattern_matches(pattern, text) &&
          !sooth::report::pattern_matches(pattern.substr(1), text))
        __builtin_trap();
      (void)sooth::report::pattern_matches(pattern, "net::Cache::lookup(int)");
    }
  return 0;
}
