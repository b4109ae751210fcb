// Somebody wants to know what is known so far: SIGINT to an analysis. Whoever works stops as if the
// time were used up (base/budget.h), and what was found by then is reported as a part.
#pragma once

namespace sooth {

bool was_interrupted();
// Safe in the handler of a signal. Returns how often it was called before.
int note_interrupt();

} // namespace sooth
