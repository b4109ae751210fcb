// SIGINT to an analysis: the user wants the results so far. All work stops as if the time were used
// up (base/budget.h), and the report shows the findings so far and says that it is partial.
#pragma once

namespace sooth {

bool was_interrupted();
// Safe in the handler of a signal. Returns how often it was called before.
int note_interrupt();

} // namespace sooth
