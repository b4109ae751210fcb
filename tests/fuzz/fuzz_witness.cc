// Witness files of any content are parsed or refused with a place; what was parsed is printed,
// parsed again and flattened the same.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "replay/script.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  namespace replay = sooth::replay;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto script = replay::parse_script(text, "fuzz");
  if (!script) {
    if (script.error().message.empty() || script.error().column == 0) __builtin_trap();
    return 0;
  }
  const auto again = replay::parse_script(replay::print(script.value()), "again");
  if (!again || !(again.value() == script.value())) __builtin_trap();
  const auto flat = replay::flatten(script.value(), replay::Then::Stop, 0);
  const std::size_t threads = script.value().threads.size();
  if (flat.size() != replay::bytes_of_schedule(threads, script.value().steps.size())) __builtin_trap();
  for (const replay::ScriptStep& step : script.value().steps)
    if (step.thread >= threads || replay::phrase(step).empty()) __builtin_trap();
  return 0;
}
