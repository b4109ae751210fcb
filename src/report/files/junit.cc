#include "report/files/junit.h"

#include <algorithm>
#include <set>
#include <string>

#include <fmt/format.h>

#include "report/headline.h"
#include "report/names.h"
#include "report/text.h"

namespace sooth::report {

namespace {

constexpr std::string_view kForbidden = "\xef\xbf\xbd"; // U+FFFD

// The length of the UTF-8 letter at the beginning; 0 if XML forbids it or it is none.
std::size_t letter_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return first >= 0x20 || first == '\t' || first == '\n' || first == '\r' ? 1 : 0;
  const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < length) return 0;
  std::uint32_t code = first & (0x7fu >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
    code = code << 6 | (byte(i) & 0x3fu);
  }
  constexpr std::uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool allowed = code >= kLeast[length] && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff) &&
                       code != 0xfffe && code != 0xffff;
  return allowed ? length : 0;
}

std::string test_case(std::string_view kind, const std::string& name, const std::string& inside) {
  return fmt::format("    <testcase classname=\"sooth.{}\" name=\"{}\">{}</testcase>\n", kind, xml_text(name), inside);
}

// `alone`: a report with everything but findings.
std::string failure(Report& alone, const FindingText& finding) {
  alone.findings.assign(1, finding);
  const std::string body = findings_text(alone, {});
  return fmt::format("\n      <failure type=\"{}\" message=\"{}\">{}</failure>\n    ", row_of(finding.kind).name,
                     xml_text(headline(finding)), xml_text(body));
}

// The kinds that were looked for and have no finding.
std::string passed_cases(const Report& report, std::size_t& cases, std::size_t& skipped) {
  std::string out;
  for (const std::string& word : report.looked_for) {
    const bool found = std::ranges::any_of(
        report.findings, [&](const FindingText& finding) { return row_of(finding.kind).find == word; });
    if (found) continue;
    ++cases;
    const auto& unanswered = report.coverage.unanswered;
    const bool is_skipped = std::ranges::find(unanswered, word) != unanswered.end();
    if (is_skipped) ++skipped;
    out += test_case(word, "no " + word, is_skipped ? "<skipped message=\"not looked for\"/>" : "");
  }
  return out;
}

} // namespace

std::string xml_text(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = letter_length(text);
    const char letter = text.front();
    if (length == 0) out += kForbidden;
    else if (letter == '<') out += "&lt;";
    else if (letter == '>') out += "&gt;";
    else if (letter == '&') out += "&amp;";
    else if (letter == '"') out += "&quot;";
    else out += text.substr(0, length);
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return out;
}

void junit(const Report& report, const JsonSink& sink) {
  std::size_t cases = report.findings.size(), skipped = 0;
  const std::string passed = passed_cases(report, cases, skipped);
  const std::string name = xml_text(report.program.empty() ? report.trace : report.program);
  bool wanted = sink(fmt::format("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                                 "<testsuites tests=\"{0}\" failures=\"{1}\" skipped=\"{2}\">\n"
                                 "  <testsuite name=\"sooth {3}\" tests=\"{0}\" failures=\"{1}\" skipped=\"{2}\" "
                                 "errors=\"0\">\n",
                                 cases, report.findings.size(), skipped, name));
  Report alone; // for the terminal's text about each
  alone.directory = report.directory;
  alone.events = report.events;
  alone.steps = report.steps;
  for (const FindingText& finding : report.findings) {
    if (!wanted) return;
    wanted = sink(test_case(row_of(finding.kind).find, fmt::format("{} ({})", headline(finding), finding.fingerprint),
                            failure(alone, finding)));
  }
  if (wanted && sink(passed))
    sink(fmt::format("    <system-out>{}</system-out>\n  </testsuite>\n</testsuites>\n", xml_text(summary(report))));
}

} // namespace sooth::report
