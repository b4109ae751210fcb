// Any bytes as a report that is read back: `--baseline` and `sooth diff` get files from anywhere.
//
// What is read is compared with itself, so that every fingerprint must be found again.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "report/between/known.h"

using namespace sooth::report;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto known = read_known(std::string_view(reinterpret_cast<const char*>(data), size), "report.json");
  if (!known) {
    if (known.error().message.empty()) std::abort();
    return 0;
  }
  const Difference same = difference(known.value(), known.value());
  if (!same.fresh.empty() || !same.gone.empty() || same.unchanged != known.value()) std::abort();
  Report report;
  for (const KnownFinding& one : known.value()) {
    FindingText finding;
    finding.fingerprint = one.fingerprint;
    report.findings.push_back(finding);
  }
  leave_out_known(known.value(), "report.json", report);
  if (!report.findings.empty()) std::abort();
  return 0;
}
