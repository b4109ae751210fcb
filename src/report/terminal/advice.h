// Why a finding is one, and what to do about it: a sentence each.
#pragma once

#include <string>

#include "report/report.h"

namespace sooth::report {

// "Nothing orders these two accesses ..."; empty where the places say it all.
std::string reason_for(const FindingText& finding);
// "Take `mutex` at bank.cpp:19, too."; empty unless it is clear.
std::string advice_for(const Report& report, const FindingText& finding);

} // namespace sooth::report
