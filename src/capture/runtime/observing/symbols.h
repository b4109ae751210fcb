// The handshake: the program's symbols go to the observer, and the table of what is relevant comes
// back.
#pragma once

namespace sooth::runtime::observing {

struct ThreadState; // observing/threads.h

// Whether modules were registered since the last time.
bool has_new_modules();
// Sends them, if any. Only alone.
void send_new_modules(ThreadState& self);

} // namespace sooth::runtime::observing
