// Which events have to wait for the observer's answer: those that can complete a violation of a
// property that says `when violated: stop` or `call`. All others cost what they cost without it.
//
//     property p: x >= 0 when violated: stop     events that write x
//     property q: !(previously x == 1) when violated: stop
//                       all events: the next one violates it, whatever it is
//
// Question: can a step that the property does not see, which leaves its variables as they are,
//   violate it?
// Cost: every state of the monitor with every letter; above some thousands of them, the answer is
//   yes.
#pragma once

#include "logic/property.h"
#include "observe/protocol.h"

namespace sooth::observe {

bool can_fail_unseen(const logic::Property& property);

// Sets `asks` of the table's rows.
void mark_asking(const logic::PropertyFile& file, Table& table);

} // namespace sooth::observe
