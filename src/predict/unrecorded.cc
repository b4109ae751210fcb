#include "predict/unrecorded.h"

namespace sooth::predict {

std::string unrecorded_synchronisation(const trace::Trace& trace) {
  std::string names;
  for (const auto& [name, calls] : trace.process.unsupported) {
    // The one row that is about values only: some variable is not watched.
    if (calls == 0 || name.starts_with("SOOTH_WATCH")) continue;
    if (!names.empty()) names += ", ";
    names += name;
  }
  return names;
}

} // namespace sooth::predict
