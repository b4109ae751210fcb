#include "report/end_text.h"

#include <cstring>

#include <fmt/format.h>

namespace sooth::report {

std::string end_text(const trace::ProcessInfo& process) {
  switch (process.end) {
  case trace::EndKind::Exit: return fmt::format("exited with status {}", process.end_value);
  case trace::EndKind::QuickExit: return fmt::format("left at once with status {}", process.end_value);
  case trace::EndKind::Exec: return "went on as another program (exec)";
  case trace::EndKind::Signal: {
    const char* name = strsignal(process.end_value);
    return fmt::format("was ended by signal {} ({})", process.end_value, name != nullptr ? name : "unknown");
  }
  case trace::EndKind::Running: break;
  }
  return "is still running, or was killed: what it did last may be missing";
}

} // namespace sooth::report
