// Why a finding is one, what to do about it, and how to watch it happen: a sentence or a line each.
#pragma once

#include <string>

#include "report/report.h"

namespace sooth::report {

// "Nothing orders these two accesses ..."; empty where the places say it all.
std::string reason_for(const FindingText& finding);
// "Take `mutex` at bank.cpp:19, too."; empty unless it is clear.
std::string advice_for(const Report& report, const FindingText& finding);
// "sooth replay bank.json:3 PROGRAM"; empty if there is none, or it has been replayed.
std::string replay_command(const Report& report, const FindingText& finding);

} // namespace sooth::report
