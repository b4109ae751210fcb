#include "report/headline.h"

#include <vector>

#include <fmt/format.h>

#include "report/names.h"
#include "report/phrases.h"

namespace sooth::report {

using witness::FindingKind;

namespace {

std::string what_is_asked(const PlaceText& place) {
  return place.step.kind == "join" ? place.step.value : place.step.variable;
}

} // namespace

std::string headline(const FindingText& finding) {
  // Monitors, patterns and machines have one kind; the property file has the word.
  const bool by_entry = finding.kind == FindingKind::Monitor && !finding.run.entry.empty();
  const std::string out =
      fmt::format("{} {}", name_of(finding.status),
                  by_entry ? "violation of " + finding.run.entry : std::string(row_of(finding.kind).headline));
  if (!finding.property.empty()) return out + fmt::format(" `{}`", finding.property);
  if (finding.places.empty()) return out;
  if (finding.kind != FindingKind::Deadlock) {
    const std::string& variable = finding.places.front().step.variable;
    const bool on = finding.kind == FindingKind::Race || finding.kind == FindingKind::Assertion;
    const std::string_view word = on ? "on" : "of";
    // The address of a fault is in the note, and so is the function that was called.
    const bool bare = (finding.kind == FindingKind::Crash && variable.starts_with("0x")) ||
                      finding.kind == FindingKind::SignalUnsafe || finding.kind == FindingKind::SignalErrno;
    return variable.empty() || bare ? out : out + fmt::format(" {} `{}`", word, variable);
  }
  // A thread that joins another one only shows how far the hang goes, unless all do.
  std::vector<std::string> asked, joined;
  for (const PlaceText& place : finding.places)
    if (place.role == witness::Role::Request)
      (place.step.kind == "join" ? joined : asked).push_back("`" + what_is_asked(place) + "`");
  if (asked.empty()) asked = std::move(joined);
  return out + fmt::format(" over {}", fmt::join(asked, ", "));
}

std::string places_sentence(const FindingText& finding) {
  std::vector<std::string> out;
  for (const PlaceText& place : finding.places) {
    if (place.role == witness::Role::Hold) continue; // the request names the lock
    const std::string spot = spot_phrase(place.step.spot);
    out.push_back(fmt::format("{} {}{}{}", thread_phrase(finding, place.step.thread), place_phrase(place),
                              spot.empty() ? "" : " at ", spot));
  }
  return fmt::format("{}", fmt::join(out, "; "));
}

} // namespace sooth::report
