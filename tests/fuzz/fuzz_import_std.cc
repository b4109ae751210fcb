// Any text goes through the importer: it is refused with a place and a reason, or becomes a trace that can be judged,
// exported and imported again with the same result.
#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <string>
#include <string_view>

#include "import/std/std_format.h"
#include "trace/verify.h"

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

std::string exported(const sooth::trace::Trace& trace) {
  std::ostringstream out;
  sooth::import::write_std(trace, out);
  return std::move(out).str();
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto imported = sooth::import::read_std(text, "input");
  if (!imported.ok()) {
    require(!imported.errors.empty() && imported.errors.size() <= 20 && imported.trace.events.empty());
    for (const sooth::Error& error : imported.errors)
      require(error.line != 0 && error.column != 0 && !error.message.empty());
    return 0;
  }
  const auto report = sooth::trace::verify(imported.trace);
  require(report.broken[static_cast<std::size_t>(sooth::trace::Rule::WellFormed)] == 0);

  // Names are made safe once; after that nothing changes any more.
  const std::string once = exported(imported.trace);
  const auto again = sooth::import::read_std(once, "input");
  require(again.ok());
  require(exported(again.trace) == once);
  return 0;
}
