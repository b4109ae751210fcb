// Visits the texts of a report that come from the analysed program or from the user's files.
#pragma once

#include "report/report.h"

namespace sooth::report {

// Calls spot(Spot&) for every place, and word(std::string&) for every other text.
template <typename OnSpot, typename OnWord>
class TextVisitor {
public:
  TextVisitor(OnSpot spot, OnWord word) : spot_(spot), word_(word) {}

  void visit(Report& report) {
    word_(report.program);
    word_(report.trace);
    for (StepText& step : report.steps) visit(step);
    for (FindingText& finding : report.findings) visit(finding);
    for (FindingText& candidate : report.candidates) visit(candidate);
    for (std::string& objection : report.objections) word_(objection);
    for (Gap& gap : report.coverage.gaps) word_(gap.detail);
  }

private:
  void visit(StepText& step) {
    word_(step.variable);
    word_(step.value);
    spot_(step.spot);
  }
  void visit(std::vector<Spot>& stack) {
    for (Spot& spot : stack) spot_(spot);
  }
  void visit(PlaceText& place) {
    visit(place.step);
    visit(place.stack);
    word_(place.object.name);
    word_(place.object.type);
    spot_(place.object.spot);
    visit(place.object.stack);
    for (HeldLock& lock : place.locks) {
      word_(lock.name);
      spot_(lock.taken);
    }
  }
  void visit(RunText& run) {
    word_(run.rule);
    word_(run.place);
    word_(run.initial);
    for (std::vector<RunStepText>* steps : {&run.steps, &run.unordered})
      for (RunStepText& step : *steps) {
        word_(step.what);
        word_(step.state);
        spot_(step.spot);
      }
  }
  void visit(FindingText& finding) {
    word_(finding.property);
    word_(finding.note);
    visit(finding.run);
    for (PlaceText& place : finding.places) visit(place);
    for (ThreadText& thread : finding.threads) {
      word_(thread.name);
      word_(thread.start);
      visit(thread.stack);
    }
  }

  OnSpot spot_;
  OnWord word_;
};

} // namespace sooth::report
