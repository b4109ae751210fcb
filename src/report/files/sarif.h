// A report as SARIF 2.1.0, the format of code-scanning services and editors.
//
//     a finding    -> a result; its first place is the location, the others are related locations
//     both runs    -> two code flows, each with a thread flow for every thread; executionOrder says
//                     how the threads take turns
//     coverage     -> notifications of the invocation
// Places without a line (imported traces) have only their function. Flows leave out steps in system
// headers.
#pragma once

#include "report/json.h"

namespace sooth::report {

void sarif(const Report& report, const JsonSink& sink);

} // namespace sooth::report
