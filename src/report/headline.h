// A finding in one line and in one sentence.
#pragma once

#include <string>

#include "report/report.h"

namespace sooth::report {

// "predicted data race on `counter`"
std::string headline(const FindingText& finding);
// "thread 1 writes 4 bytes of `counter` at bank.cpp:12 in add(); thread 2 ..."
std::string places_sentence(const FindingText& finding);

} // namespace sooth::report
