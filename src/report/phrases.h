// Events, places and threads as phrases of a sentence.
#pragma once

#include <string>

#include "report/report.h"

namespace sooth::report {

// "thread 2 (worker)"; "the main thread"
std::string thread_phrase(const FindingText& finding, std::uint32_t thread);
// "bank.cpp:12 in count()"; empty if nothing is known
std::string spot_phrase(const Spot& spot);
// "writes counter = 3", "takes lock", "creates thread 2"
std::string step_phrase(const StepText& step);
// The event that a thread stands before: "asks for lock", "still waits on filled". It has no value.
std::string next_phrase(StepText step);
// "writes 4 bytes of `counter`", "asks for `lock`": the place, for its finding
std::string place_phrase(const PlaceText& place);
// "`account` is a global of 64 bytes (bank.cpp:7)", "... is in a heap block of ..."; empty if
// nothing is known
std::string object_phrase(const ObjectText& object, const std::string& variable);

} // namespace sooth::report
