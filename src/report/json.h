// A report as one JSON object; docs/report.md describes it.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "report/report.h"

namespace sooth::report {

// Receives the text in pieces, a finding at a time. Returns false if it needs no more.
using JsonSink = std::function<bool(std::string_view)>;
void json(const Report& report, const JsonSink& sink);
std::string json(const Report& report); // all of it

} // namespace sooth::report
