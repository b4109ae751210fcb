#include "report/files/excerpts.h"

#include <algorithm>
#include <map>
#include <set>

#include "report/source_lines.h"

namespace sooth::report {

namespace {

constexpr std::uint32_t kAround = 9;            // lines before and after a place
constexpr std::size_t kLongestLine = 400;       // bytes
constexpr std::uint32_t kLastLine = 10'000'000; // a number beyond is no line of a source

using Lines = std::map<std::string, std::set<std::uint32_t>>; // by file: the lines that are named

void name(const Spot& spot, Lines& lines) {
  if (!spot.file.empty() && spot.line != 0 && spot.line < kLastLine && !spot.system) lines[spot.file].insert(spot.line);
}
void name(const std::vector<Spot>& stack, Lines& lines) {
  for (const Spot& spot : stack) name(spot, lines);
}

Lines named_by(const Report& report) {
  Lines out;
  std::set<const Context*> seen;
  for (const StepText& step : report.steps) {
    name(step.spot, out);
    if (step.context && seen.insert(step.context.get()).second) name(step.context->stack, out);
  }
  for (const FindingText& finding : report.findings) {
    for (const PlaceText& place : finding.places) {
      name(place.stack, out);
      name(place.object.spot, out);
      name(place.object.stack, out);
      for (const HeldLock& lock : place.locks) name(lock.taken, out);
    }
    for (const ThreadText& thread : finding.threads) name(thread.stack, out);
  }
  return out;
}

// Cuts a long line, but not inside of a letter of UTF-8.
std::string cut(std::string line) {
  if (line.size() <= kLongestLine) return line;
  std::size_t end = kLongestLine;
  while (end > 0 && (static_cast<unsigned char>(line[end]) & 0xc0) == 0x80) --end;
  line.resize(end);
  return line + " ...";
}

} // namespace

std::vector<Excerpt> excerpts(const Report& report) {
  SourceLines sources(report.directory);
  std::vector<Excerpt> out;
  std::size_t room = kMostExcerptBytes;
  for (const auto& [file, lines] : named_by(report)) {
    std::uint32_t next = 0; // the line behind the last excerpt of this file; 0: there is none
    for (const std::uint32_t line : lines) {
      std::uint32_t number = std::max(line > kAround ? line - kAround : 1, next);
      for (; number <= line + kAround; ++number) {
        auto text = sources.line(file, number);
        if (!text) break;
        if (number != next) out.push_back({file, number, {}});
        next = number + 1;
        out.back().lines.push_back(cut(std::move(*text)));
        if (room < out.back().lines.back().size()) return out;
        room -= out.back().lines.back().size();
      }
    }
  }
  return out;
}

} // namespace sooth::report
