// A small recorded run and findings about it, made by hand: what the tests of reports start from.
#pragma once

#include <string>

#include "report/describe.h"
#include "report/report.h"
#include "trace/trace.h"
#include "unit/verify_builder.h"
#include "witness/finding.h"

namespace sooth::report::testing {

using trace::EventKind;
using trace::testing::TraceBuilder;

// Main creates `worker` (thread 1) and thread 2. The worker writes `total` under `guard`; thread 2 reads it without.
// `shift` moves every address, as another run would.
inline trace::Trace bank_trace(std::uint64_t shift = 0) {
  TraceBuilder b(3);
  b.trace.process.program = "bank";
  b.trace.threads[1] = {"worker", 0, true};
  b.global(0x1000 + shift, 4, "total");
  b.global(0x2000 + shift, 40, "guard");
  const std::uint32_t start = b.site("bank.cpp", 40, "main", "");
  const std::uint32_t work = b.site("src/bank.cpp", 9, "deposit(int)", "", trace::kSiteFunction);
  const std::uint32_t call = b.site("src/bank.cpp", 30, "run()", "deposit", trace::kSiteCall);
  const std::uint32_t take = b.site("src/bank.cpp", 10, "deposit(int)", "");
  const std::uint32_t write = b.site("src/bank.cpp", 11, "deposit(int)", "total", trace::kSiteSigned);
  const std::uint32_t read = b.site("src/audit.cpp", 20, "audit()", "total", trace::kSiteSigned);
  b.add(0, EventKind::Fork, 0, 1).site = start;                // 0
  b.add(0, EventKind::Fork, 0, 2).site = start;                // 1
  b.add(1, EventKind::ThreadStart, 0, 0);                      // 2
  b.add(1, EventKind::Enter, 0, call).site = work;             // 3
  b.add(1, EventKind::Acquire, 0x2000 + shift, 0).site = take; // 4
  b.write(1, 0x1000 + shift, 4, 7).site = write;               // 5
  b.add(1, EventKind::Release, 0x2000 + shift, 0).site = take; // 6
  b.add(2, EventKind::ThreadStart, 0, 0);                      // 7
  b.read(2, 0x1000 + shift, 4, 7).site = read;                 // 8
  return b.trace;
}

inline witness::Finding bank_race() {
  witness::Finding race;
  race.kind = witness::FindingKind::Race;
  race.engine = "closure";
  race.places = {{5, witness::Role::Access}, {8, witness::Role::Access}};
  race.witness = {2, {2, 3, 4, 7}, {5, 8}};
  race.count = 3;
  return race;
}

inline Report report_of(const trace::Trace& trace, const std::vector<witness::Finding>& findings) {
  Report report;
  report.version = "1.2.3";
  report.trace = "bank.sooth";
  report.model = "maximal";
  report.looked_for = {"races"};
  describe(trace, findings, [](std::uint64_t address) { return address; }, report);
  return report;
}

} // namespace sooth::report::testing
