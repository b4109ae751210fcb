// `--property`: checks a property file on a trace, as one more engine of the analysis.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/budget.h"
#include "base/result.h"
#include "cli/parser.h"
#include "explore/exploration.h"
#include "report/report.h"
#include "witness/finding.h"

namespace sooth::cli {

struct Prepared;

struct PropertyChoice {
  std::string file;            // empty: no properties
  bool count = false;          // say how many cuts and runs there are
  bool first = false;          // stop at the first violation
  bool all = false;            // one finding for each property and failing cut
  std::uint64_t max_width = 0; // cuts kept of a level; 0: all
  std::string memory;          // "2G"; empty: half of the machine's
  std::string model;           // empty: hb
};

// --count, --first, --all, --max-width. `--property` is for the command to add.
void add_property_options(Parser& parser, PropertyChoice& choice);
// --memory.
void add_memory_option(Parser& parser, PropertyChoice& choice);
// Bytes of the whole process; the choice has been checked.
std::uint64_t memory_limit(const PropertyChoice& choice);
// A sentence about what is wrong with them, or nothing.
std::string check_property_options(const PropertyChoice& choice);

// The explorer's options; the choice has been checked.
explore::Options exploration_options(const PropertyChoice& choice, double seconds, unsigned jobs, const Budget& budget);

struct PropertyFindings {
  std::vector<witness::Finding> found;
  std::vector<report::Gap> gaps; // what bounds the answer, remarks, and counts that were asked for
};
Result<PropertyFindings> find_properties(const Prepared& prepared, const PropertyChoice& choice,
                                         const explore::Options& exploration);

} // namespace sooth::cli
