// What an analysis is asked to do. Plain data, with the defaults of `sooth check`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "predict/question/feasibility.h"

namespace sooth::analysis {

inline constexpr double kDefaultSeconds = 60;

struct PropertyOptions {
  std::string file;            // empty: no properties
  bool count = false;          // say how many cuts and runs there are
  bool first = false;          // stop at the first violation
  bool all = false;            // one finding for each property and failing cut
  std::uint64_t max_width = 0; // cuts kept of a level; 0: all
  std::string model;           // empty: hb
};

struct Options {
  std::string find;                // words of --find, separated by commas; empty: all
  std::string model;               // empty: the most permissive one that the trace is fit for
  std::vector<std::string> atomic; // functions that are meant to be atomic
  predict::Limits limits;          //
  std::string memory;              // "2G"; empty: half of the machine's
  std::string suppressions;        // a file; empty: none
  bool candidates = false;         // list what is not proved, too
  PropertyOptions properties;      // with a file and without `find`, nothing else is looked for
  bool of_the_model_only = false;  // leave out engines that say the same under every model
};

// A sentence about what is wrong with them, or nothing.
std::string check(const Options& options);

// What is looked for: the words of --find.
std::vector<std::string> wanted_words(const Options& options);

// Bytes of the whole process; the options have been checked.
std::uint64_t memory_limit(const Options& options);

// "full, maximal, ...": what `model` may be.
std::string model_names();

} // namespace sooth::analysis
