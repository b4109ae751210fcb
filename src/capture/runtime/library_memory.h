// Memory of the C++ library on which its own code may race.
#pragma once

#include "capture/runtime/record.h"

namespace sooth::runtime {

// Races on these bytes are meant to be: whoever looks for races leaves them out. `why` stands in the trace.
void may_race(Thread* t, const void* p, std::size_t bytes, const char* why);

// Says so of the C++ library's memory. Called when a trace begins, and when modules came later; does nothing while the library is
// not there, nor in a trace that has been told.
void mark_library_memory(Thread* t);
// The next trace has not been told: in the child of a fork.
void forget_library_memory();

} // namespace sooth::runtime
