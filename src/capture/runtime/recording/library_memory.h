// Memory of the C++ library on which the library's own code may race.
#pragma once

#include "capture/runtime/record.h"

namespace sooth::runtime {

// Races on these bytes are intended: searches for races leave them out. `why` goes into the trace.
void may_race(Thread* t, const void* p, std::size_t bytes, const char* why);

// Declares this for the C++ library's memory. Called when a trace begins, and when modules were
// loaded later. Does nothing while the library is not loaded, or if this trace has the declaration
// already.
void mark_library_memory(Thread* t);
// In the child of a fork: the next trace does not have the declaration yet.
void forget_library_memory();

} // namespace sooth::runtime
