// The handshake: the program's symbols go to the observer, and what is relevant comes back.
#pragma once

namespace sooth::runtime {

// Modules that were registered since the last time, if any. Called with the online lock held.
void send_new_modules();

} // namespace sooth::runtime
