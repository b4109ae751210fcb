// A report as JUnit XML, which continuous-integration services show as tests.
//
//     a finding                       -> a test case that fails
//     a kind without findings         -> a test case that passes; skipped if it was not looked for
#pragma once

#include "report/json.h"

namespace sooth::report {

void junit(const Report& report, const JsonSink& sink);
// As text between tags or in an attribute. Characters that XML forbids become U+FFFD.
std::string xml_text(std::string_view text);

} // namespace sooth::report
