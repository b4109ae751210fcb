// A hand-made trace with an engine to be tried on it: the trace must be legal, and whatever is found must be accepted by the
// checker.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "causality/computation/computation.h"
#include "predict/question/coverage.h"
#include "predict/question/feasibility.h"
#include "trace/verify.h"
#include "unit/verify_builder.h"
#include "witness/check.h"
#include "witness/finding.h"

namespace sooth::predict::testing {

using trace::EventKind;

class Case : public trace::testing::TraceBuilder {
public:
  using TraceBuilder::TraceBuilder;

  void lock(std::uint32_t thread, std::uint64_t lock, std::uint64_t type = 0) {
    add(thread, EventKind::Acquire, lock, type);
  }
  void unlock(std::uint32_t thread, std::uint64_t lock, std::uint64_t type = 0) {
    add(thread, EventKind::Release, lock, type);
  }
  void lock_shared(std::uint32_t thread, std::uint64_t lock, std::uint64_t type = trace::kLockReadWrite) {
    add(thread, EventKind::AcquireShared, lock, type);
  }
  void unlock_shared(std::uint32_t thread, std::uint64_t lock, std::uint64_t type = trace::kLockReadWrite) {
    add(thread, EventKind::ReleaseShared, lock, type);
  }
  // The child's first event, too.
  void fork(std::uint32_t thread, std::uint32_t child) {
    add(thread, EventKind::Fork, 0, child);
    add(child, EventKind::ThreadStart, 0, thread);
  }
  // The child's last event, too.
  void join(std::uint32_t thread, std::uint32_t child) {
    add(child, EventKind::ThreadEnd);
    add(thread, EventKind::Join, 0, child);
  }
  std::uint32_t last() const { return static_cast<std::uint32_t>(trace.events.size() - 1); }

  // engine: find_X(trace, computation, feasibility, limits, coverage)
  template <typename Engine>
  std::vector<witness::Finding> find(Engine&& engine, witness::Model model = witness::Model::Maximal) {
    const trace::VerifyReport report = trace::verify(trace);
    EXPECT_TRUE(report.legal()) << (report.problems.empty() ? "" : report.problems[0].sentence);
    const causality::Computation computation = causality::compute(trace);
    const Limits limits;
    const std::unique_ptr<Feasibility> feasibility = make_feasibility(computation, model, limits);
    coverage = {};
    std::vector<witness::Finding> findings = engine(trace, computation, *feasibility, limits, coverage);
    witness::Checker checker(trace);
    for (witness::Finding& finding : findings) {
      finding.model = model;
      EXPECT_EQ(checker.objection(finding).value_or(""), "");
    }
    return findings;
  }

  Coverage coverage;
};

} // namespace sooth::predict::testing
