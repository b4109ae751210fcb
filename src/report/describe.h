// From findings to a report: every event that a finding names gets its place, stack, locks and
// names.
//
// Findings that differ only in their lines become one (groups.h), unless the user asks for each.
// Suppressions apply before that: if one pair of lines of a group is unwanted, the group keeps the
// others.
//
// Cost: a few passes over the trace for all findings together, and the steps shown of each.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "report/report.h"
#include "trace/trace.h"
#include "witness/finding.h"

namespace sooth::report {

// From an address in the trace to the one that the program used (objects at reused addresses have
// been separated).
using OriginalAddress = std::function<std::uint64_t(std::uint64_t)>;

// Whether to suppress a finding. Called for each pair of lines, with its places and their stacks
// and objects.
using Unwanted = std::function<bool(const FindingText&)>;

// The schedule of a finding as a file for `sooth replay` (replay/script.h); empty if there is none.
// The second argument is the finding's fingerprint.
using Scripting = std::function<std::string(const witness::Finding&, const std::string&)>;

struct DescribeOptions {
  bool each = false;          // make a finding of every pair of lines
  bool whole_witness = false; // list every step of the witnesses
  Unwanted unwanted = {};     // empty: suppress nothing
  Scripting script = {};      // empty: no scripts
};

// Fills `report` with the findings' descriptions, the program and the threads.
void describe(const trace::Trace& trace, std::span<const witness::Finding> findings, const OriginalAddress& original,
              Report& report, const DescribeOptions& options = {});

} // namespace sooth::report
