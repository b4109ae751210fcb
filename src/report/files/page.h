// A report as a page for browsers: one file that needs no other, and no network.
//
// The page itself is made in web/ (TypeScript) and is part of this program; its only input is the
// report's JSON (docs/report.md), which stands inside it as text. Text of the analysed program
// never becomes markup: in JSON, `<` can only stand in strings, and is written there as \u003c.
#pragma once

#include <string_view>

#include "report/json.h"

namespace sooth::report {

// Whether the page is a part of this build (SOOTH_PAGE in CMake, which needs npm).
bool has_page();
// For the user, if it is not.
inline constexpr std::string_view kNoPage =
    "this sooth was built without the page (install npm, and configure with -DSOOTH_PAGE=ON).";

// Only if has_page().
void page(const Report& report, const JsonSink& sink);
// `json`: a text that the function below writes into a sink, as json() does.
void page(const std::function<void(const JsonSink&)>& json, const JsonSink& sink);

} // namespace sooth::report
