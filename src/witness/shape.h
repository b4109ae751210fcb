// Does the run end in what the finding says? One rule for each kind of finding.
#pragma once

#include "witness/replay.h"

namespace sooth::witness::checking {

// The replay has accepted the finding's witness and stands at its end.
Objection shape(const Finding& finding, const Facts& facts, const Replay& replay);

} // namespace sooth::witness::checking
