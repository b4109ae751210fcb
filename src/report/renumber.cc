#include "report/renumber.h"

#include <functional>
#include <utility>

namespace sooth::report {

namespace {

using NewNumber = std::function<std::uint32_t(std::uint32_t)>;

class Renumbering {
public:
  explicit Renumbering(NewNumber number) : number_(std::move(number)) {}

  void all(Report& report) const {
    for (StepText& step : report.steps) {
      one(step.event);
      if (step.from) one(*step.from);
    }
    for (FindingText& finding : report.findings) of(finding);
    for (FindingText& candidate : report.candidates) of(candidate);
  }

private:
  void one(std::uint32_t& event) const { event = number_(event); }
  void each(std::vector<std::uint32_t>& events) const {
    for (std::uint32_t& event : events) one(event);
  }
  void each(std::vector<RunStepText>& steps) const {
    for (RunStepText& step : steps) one(step.event);
  }
  std::map<std::uint32_t, std::uint32_t> both(const std::map<std::uint32_t, std::uint32_t>& events) const {
    std::map<std::uint32_t, std::uint32_t> out;
    for (const auto& pair : events) {
      std::uint32_t read = pair.first, write = pair.second;
      one(read);
      one(write);
      out[read] = write;
    }
    return out;
  }
  void of(FindingText& finding) const {
    for (PlaceText& place : finding.places) {
      one(place.step.event);
      one(place.since);
    }
    for (PairText& pair : finding.pairs)
      for (witness::Place& place : pair.places) one(place.event);
    each(finding.schedule);
    each(finding.next);
    each(finding.observed);
    finding.reads_from = both(finding.reads_from);
    for (StoryStep& step : finding.recorded) one(step.event);
    for (StoryStep& step : finding.predicted) one(step.event);
    each(finding.run.steps);
    each(finding.run.unordered);
  }

  const NewNumber number_;
};

} // namespace

void renumber(const trace::Trace& piece, Report& report) {
  if (!piece.is_piece) return;
  Renumbering([&](std::uint32_t event) { return static_cast<std::uint32_t>(piece.number_of(event)); }).all(report);
  // Every event recorded before the piece comes first.
  for (std::vector<FindingText>* list : {&report.findings, &report.candidates})
    for (FindingText& finding : *list)
      if (finding.observed_prefix >= piece.standing) finding.observed_prefix += piece.first_number - piece.standing;
}

void shift_events(std::uint32_t by, Report& report) {
  if (by != 0) Renumbering([by](std::uint32_t event) { return event + by; }).all(report);
}

} // namespace sooth::report
