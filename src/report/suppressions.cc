#include "report/suppressions.h"

#include <algorithm>

#include <fmt/format.h>

#include "report/names.h"

namespace sooth::report {

namespace {

// ThreadSanitizer's types for which Sooth has no findings. A file that both tools share may have
// them.
constexpr std::string_view kForeign[] = {"called_from_lib"};
constexpr std::string_view kRaceTop = "race_top", kMutex = "mutex", kThread = "thread", kSignal = "signal";

bool is_foreign(std::string_view type) {
  return std::find(std::begin(kForeign), std::end(kForeign), type) != std::end(kForeign);
}

bool is_known(std::string_view type) {
  for (const std::string_view other : {kRaceTop, kMutex, kThread, kSignal, kFingerprintType})
    if (type == other) return true;
  for (const KindRow& row : kind_rows())
    if (row.name == type) return true;
  return is_foreign(type);
}

std::string known_types() {
  std::string out = fmt::format("{}, {}, {}, {}, {}", kFingerprintType, kRaceTop, kMutex, kThread, kSignal);
  for (const KindRow& row : kind_rows()) out += fmt::format(", {}", row.name);
  for (const std::string_view type : kForeign) out += fmt::format(", {}", type);
  return out;
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\v\f";
  const std::size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

// Whether `name` contains the pieces of the pattern, which `*` separates, in their order.
bool pieces_match(std::string_view pattern, std::string_view name, bool from_begin, bool to_end) {
  std::size_t at = 0;
  bool first = true;
  while (true) {
    const std::size_t star = pattern.find('*');
    const std::string_view piece = pattern.substr(0, star);
    const bool last = star == std::string_view::npos;
    if (first && from_begin) {
      if (!name.starts_with(piece)) return false;
      at = piece.size();
    } else if (!(last && to_end)) {
      const std::size_t found = name.find(piece, at);
      if (found == std::string_view::npos) return false;
      at = found + piece.size();
    }
    if (last) {
      if (!to_end) return true;
      if (first && from_begin) return name.size() == at;
      return name.size() >= at + piece.size() && name.ends_with(piece);
    }
    first = false;
    pattern.remove_prefix(star + 1);
  }
}

bool matches_spot(std::string_view pattern, const Spot& spot) {
  return (!spot.function.empty() && pattern_matches(pattern, spot.function)) ||
         (!spot.file.empty() && pattern_matches(pattern, spot.file));
}

bool matches_place(const Suppression& suppression, const PlaceText& place) {
  const std::string_view pattern = suppression.pattern;
  if (matches_spot(pattern, place.step.spot)) return true;
  if (suppression.type == "race_top") return !place.stack.empty() && matches_spot(pattern, place.stack.front());
  if (std::any_of(place.stack.begin(), place.stack.end(),
                  [&](const Spot& spot) { return matches_spot(pattern, spot); }))
    return true;
  return (!place.step.variable.empty() && pattern_matches(pattern, place.step.variable)) ||
         (!place.object.name.empty() && pattern_matches(pattern, place.object.name));
}

} // namespace

bool pattern_matches(std::string_view pattern, std::string_view name) {
  const bool from_begin = pattern.starts_with('^');
  if (from_begin) pattern.remove_prefix(1);
  const bool to_end = pattern.ends_with('$');
  if (to_end) pattern.remove_suffix(1);
  return pieces_match(pattern, name, from_begin, to_end);
}

Result<std::vector<Suppression>> parse_suppressions(std::string_view text, const std::string& file) {
  std::vector<Suppression> out;
  std::uint64_t number = 0;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view line = trimmed(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    ++number;
    if (line.empty() || line.front() == '#') continue;
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos)
      return Error{"a suppression is `type:pattern`, for example `race:function`.", file, number, 1};
    const std::string_view type = trimmed(line.substr(0, colon)), pattern = trimmed(line.substr(colon + 1));
    if (!is_known(type))
      return Error{fmt::format("there is no type `{}`. The types: {}.", type, known_types()), file, number, 1};
    if (pattern.empty()) return Error{"the pattern is missing.", file, number, colon + 2};
    out.push_back({std::string(type), std::string(pattern), number});
  }
  return out;
}

namespace {

// What ThreadSanitizer's types are about.
bool is_about(std::string_view type, witness::FindingKind kind) {
  using witness::FindingKind;
  if (type == kRaceTop) return kind == FindingKind::Race;
  if (type == "race") return kind == FindingKind::Race || kind == FindingKind::UseAfterFree;
  if (type == kMutex) return kind == FindingKind::Misuse;
  if (type == kThread) return kind == FindingKind::ThreadLeak;
  if (type == kSignal) return kind == FindingKind::SignalUnsafe || kind == FindingKind::SignalErrno;
  return type == row_of(kind).name;
}

bool matches_creation(const Suppression& suppression, const FindingText& finding) {
  return suppression.type == "race" && std::ranges::any_of(finding.threads, [&](const ThreadText& thread) {
           return std::ranges::any_of(thread.stack,
                                      [&](const Spot& spot) { return matches_spot(suppression.pattern, spot); });
         });
}

} // namespace

bool matches(const Suppression& suppression, const FindingText& finding) {
  if (!is_about(suppression.type, finding.kind)) return false;
  if (matches_creation(suppression, finding)) return true;
  if (!finding.property.empty() && pattern_matches(suppression.pattern, finding.property)) return true;
  return std::any_of(finding.places.begin(), finding.places.end(),
                     [&](const PlaceText& place) { return matches_place(suppression, place); });
}

bool line_ignores(std::string_view line, std::string_view kind) {
  constexpr std::string_view kMark = "sooth:ignore(";
  const std::size_t mark = line.find(kMark);
  if (mark == std::string_view::npos) return false;
  std::string_view list = line.substr(mark + kMark.size());
  list = list.substr(0, list.find(')'));
  while (true) {
    const std::size_t comma = list.find(',');
    if (trimmed(list.substr(0, comma)) == kind) return true;
    if (comma == std::string_view::npos) return false;
    list.remove_prefix(comma + 1);
  }
}

bool Suppressor::ignored_in_source(const FindingText& finding) {
  const std::string_view kind = row_of(finding.kind).name;
  return std::any_of(finding.places.begin(), finding.places.end(), [&](const PlaceText& place) {
    const Spot& spot = place.step.spot;
    const auto here = sources_.line(spot.file, spot.line);
    const auto before = spot.line > 1 ? sources_.line(spot.file, spot.line - 1) : std::nullopt;
    return (here && line_ignores(*here, kind)) || (before && line_ignores(*before, kind));
  });
}

bool Suppressor::keeps_back(const FindingText& finding) {
  bool out = ignored_in_source(finding);
  for (std::size_t i = 0; i < suppressions_.size(); ++i) { // all of them: each that matches is of use
    if (suppressions_[i].type == kFingerprintType || !matches(suppressions_[i], finding)) continue;
    used_[i] = true;
    out = true;
  }
  return out;
}

bool Suppressor::has_fingerprint(const std::string& fingerprint) {
  bool out = false;
  for (std::size_t i = 0; i < suppressions_.size(); ++i) {
    if (suppressions_[i].type != kFingerprintType || suppressions_[i].pattern != fingerprint) continue;
    used_[i] = true;
    out = true;
  }
  return out;
}

void Suppressor::keep_back_fingerprints(Report& report) {
  report.suppressed += std::erase_if(report.findings, [&](FindingText& finding) {
    if (has_fingerprint(finding.fingerprint)) return true;
    // The pair that is described in full stays, unless it is the only one.
    for (std::size_t i = finding.pairs.size(); i-- > 0;) {
      if (!has_fingerprint(finding.pairs[i].fingerprint)) continue;
      if (finding.pairs.size() == 1) return true;
      if (i == 0) continue;
      finding.count -= std::min(finding.count, finding.pairs[i].count);
      finding.pairs.erase(finding.pairs.begin() + static_cast<std::ptrdiff_t>(i));
      ++finding.suppressed_pairs;
    }
    return false;
  });
  std::uint32_t id = 0;
  for (FindingText& finding : report.findings) finding.id = ++id;
}

std::vector<std::string> Suppressor::unused(const std::vector<std::string>& find) const {
  const auto was_looked_for = [&](std::string_view type) {
    if (type == kFingerprintType) return true;
    return std::ranges::any_of(kind_rows(), [&](const KindRow& row) {
      return is_about(type, row.kind) && std::ranges::find(find, row.find) != find.end();
    });
  };
  std::vector<std::string> out;
  for (std::size_t i = 0; i < suppressions_.size(); ++i) {
    const Suppression& one = suppressions_[i];
    if (used_[i] || is_foreign(one.type) || !was_looked_for(one.type)) continue;
    out.push_back(fmt::format("{}:{} (line {})", one.type, one.pattern, one.line));
  }
  return out;
}

} // namespace sooth::report
