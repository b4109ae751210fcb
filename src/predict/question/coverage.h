// What the engines looked at, and where they had to stop: for the end of the report. Plain counters
// that add up.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "witness/finding.h"

namespace sooth::predict {

// Unproven candidates; listed with --candidates.
struct Candidate {
  witness::FindingKind kind = witness::FindingKind::Race;
  std::vector<witness::Place> places;
  std::string reason; // why it is not a finding
};

struct Coverage {
  std::uint64_t candidates = 0; // pairs, cycles, blocks, objects that were looked at more closely
  std::uint64_t questions = 0;  // asked of a Feasibility
  std::uint64_t undecided = 0;  // candidates without an answer; each has a reason below

  // Candidates that were not decided because one of the same variable and functions is a finding:
  // they would only add lines.
  std::uint64_t alike = 0;

  std::uint64_t benign = 0; // pairs of places whose races the program declares to be meant

  // Why answers are not complete, as a sentence's end ("the budget was used up"), and how often.
  std::map<std::string, std::uint64_t> reasons;

  bool list = false; // keep the candidates
  std::vector<Candidate> listed;

  // A candidate without an answer, and where it is.
  void undecided_about(witness::FindingKind kind, std::vector<witness::Place> places, const std::string& reason) {
    undecided_because(reason);
    suspect(kind, std::move(places), reason);
  }
  // One that happens-before and locks would let happen, but that no run of the model has.
  void suspect(witness::FindingKind kind, std::vector<witness::Place> places, std::string reason) {
    if (list) listed.push_back({kind, std::move(places), std::move(reason)});
  }

  void undecided_because(const std::string& reason, std::uint64_t times = 1) {
    if (times == 0) return;
    undecided += times;
    reasons[reason] += times;
  }

  Coverage& operator+=(const Coverage& other) {
    candidates += other.candidates;
    questions += other.questions;
    undecided += other.undecided;
    benign += other.benign;
    alike += other.alike;
    for (const auto& [reason, times] : other.reasons) reasons[reason] += times;
    listed.insert(listed.end(), other.listed.begin(), other.listed.end());
    return *this;
  }
};

} // namespace sooth::predict
