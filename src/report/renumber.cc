#include "report/renumber.h"

namespace sooth::report {

namespace {

class Renumbering {
public:
  explicit Renumbering(const trace::Trace& piece) : piece_(piece) {}

  void all(Report& report) const {
    for (StepText& step : report.steps) one(step.event);
    for (FindingText& finding : report.findings) of(finding);
    for (FindingText& candidate : report.candidates) of(candidate);
  }

private:
  void one(std::uint32_t& event) const { event = static_cast<std::uint32_t>(piece_.number_of(event)); }
  void each(std::vector<std::uint32_t>& events) const {
    for (std::uint32_t& event : events) one(event);
  }
  void each(std::vector<RunStepText>& steps) const {
    for (RunStepText& step : steps) one(step.event);
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
    for (StoryStep& step : finding.recorded) one(step.event);
    for (StoryStep& step : finding.predicted) one(step.event);
    each(finding.run.steps);
    each(finding.run.unordered);
    // Every event recorded before the piece comes first.
    if (finding.observed_prefix >= piece_.standing) finding.observed_prefix += piece_.first_number - piece_.standing;
  }

  const trace::Trace& piece_;
};

} // namespace

void renumber(const trace::Trace& piece, Report& report) {
  if (piece.is_piece) Renumbering(piece).all(report);
}

} // namespace sooth::report
