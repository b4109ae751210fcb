// A report as one JSON object; docs/report.md describes it.
#pragma once

#include <string>

#include "report/report.h"

namespace sooth::report {

std::string json(const Report& report);

} // namespace sooth::report
