// Races between two calls that must not come at the same time, such as `close` and `read` of one
// file descriptor.
//
// Question: is there a run in which one thread stands directly before the first call, and another
//   one before the second?
// Source: maximal models, Definition 4, for calls instead of accesses.
// Cost: kTriesPerSites questions for each pair of sites.
//
// Places: both calls (Role::Access).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "causality/computation/computation.h"
#include "predict/question/coverage.h"
#include "predict/question/feasibility.h"
#include "predict/question/tries.h"
#include "trace/trace.h"
#include "witness/finding.h"

namespace sooth::predict {

class CallRaces {
public:
  // left_out: the reason for calls that are not asked about, because there are too many.
  CallRaces(const trace::Trace& trace, const causality::Computation& computation, const Feasibility& feasibility,
            Coverage& coverage, const char* left_out)
      : trace_(trace), computation_(computation), feasibility_(feasibility), coverage_(coverage), left_out_(left_out) {}

  void ask(std::uint32_t first, std::uint32_t second, const char* note);
  // The recorded run itself has it, by the C++ memory model.
  void observed(std::uint32_t first, std::uint32_t second, const char* note);
  std::vector<witness::Finding> take() { return std::move(findings_); }

private:
  Tried& tried(std::uint32_t first, std::uint32_t second) {
    return tried_[{trace_.events[first].site, trace_.events[second].site}];
  }
  witness::Finding& add(std::uint32_t first, std::uint32_t second, const char* note);

  const trace::Trace& trace_;
  const causality::Computation& computation_;
  const Feasibility& feasibility_;
  Coverage& coverage_;
  const char* left_out_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, Tried> tried_; // by sites
  std::vector<witness::Finding> findings_;
};

} // namespace sooth::predict
