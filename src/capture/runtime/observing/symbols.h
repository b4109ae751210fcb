// The handshake: the program's symbols go to the observer, and the table of what is relevant comes
// back.
#pragma once

namespace sooth::runtime::observing {

// Sends the modules that were registered since the last time, if any. Needs the observing lock.
void send_new_modules();

} // namespace sooth::runtime::observing
