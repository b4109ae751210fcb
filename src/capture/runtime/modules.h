// What instrumented modules and annotations tell once: sites, globals, names. Kept for the children of a fork.
#pragma once

namespace sooth::runtime {

// Writes all modules and names known so far to the (new) trace file.
void rewrite_modules();
void reset_module_locks();
// The objects loaded now that have no instrumented module, as `library=` lines of a Process chunk.
void write_libraries();

} // namespace sooth::runtime
