// The options of an analysis. Plain data, with the defaults of `sooth check`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "predict/question/feasibility.h"

namespace sooth::analysis {

inline constexpr double kDefaultSeconds = 60;

struct PropertyOptions {
  std::string file;            // empty: no properties
  bool count = false;          // count the cuts and runs
  bool first = false;          // stop at the first violation
  bool all = false;            // one finding for each property and failing cut
  std::uint64_t max_width = 0; // cuts kept of a level; 0: all
  std::string model;           // empty: full where reads are free, else hb
};

struct Options {
  std::string find;                // words of --find, separated by commas; empty: all
  std::string model;               // empty: the most permissive one that the trace is fit for
  std::vector<std::string> atomic; // functions that are meant to be atomic
  bool definition5 = false;        // atomicity by the letter of Definition 5 (predict/atomicity/atomicity.h)
  predict::Limits limits;          //
  std::string memory;              // "2G"; empty: half of the machine's
  std::string suppressions;        // a file; empty: none
  bool each = false;               // one finding for each pair of lines, not for each variable and pair of functions
  bool whole_witness = false;      // every step of the witnesses, not only those that matter
  bool candidates = false;         // also list unproven candidates
  bool scripts = false;            // with each predicted finding, the schedule for `sooth replay`
  PropertyOptions properties;      // with a file and without `find`, only properties are checked
  bool of_the_model_only = false;  // leave out engines that give the same answer under every model
};

// A sentence about an error in the options, or nothing.
std::string check(const Options& options);

// The kinds to search for: the words of --find.
std::vector<std::string> wanted_words(const Options& options);

// Bytes of the whole process; the options have been checked.
std::uint64_t memory_limit(const Options& options);

// "full, maximal, ...": the possible values of `model`.
std::string model_names();

} // namespace sooth::analysis
