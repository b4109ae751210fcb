#include "report/files/page.h"

#include <string>

#include "report/files/page_data.h"

namespace sooth::report {

namespace {

// Where the report goes, in web/index.html.
constexpr std::string_view kReportHere = "@SOOTH_REPORT@";

std::string without_markup(std::string_view json) {
  std::string out;
  out.reserve(json.size());
  for (const char letter : json) {
    if (letter == '<') out += "\\u003c";
    else out += letter;
  }
  return out;
}

} // namespace

bool has_page() { return page_data().find(kReportHere) != std::string_view::npos; }

void page(const std::function<void(const JsonSink&)>& json, const JsonSink& sink) {
  const std::string_view frame = page_data();
  const std::size_t here = frame.find(kReportHere);
  if (here == std::string_view::npos || !sink(frame.substr(0, here))) return;
  bool wanted = true;
  json([&](std::string_view text) { return wanted = wanted && sink(without_markup(text)); });
  if (wanted) sink(frame.substr(here + kReportHere.size()));
}

void page(const Report& report, const JsonSink& sink) {
  page([&](const JsonSink& inner) { json(report, inner); }, sink);
}

} // namespace sooth::report
