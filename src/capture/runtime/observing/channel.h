// Connections to the observer: a control channel, and a few that threads share for their messages.
//
// A send blocks while the observer is slow. That is the only flow control towards the program, and
// it needs no memory. When a connection breaks, the observer is gone for good: the runtime reports
// that once, and the program goes on.
#pragma once

#include <cstddef>
#include <cstdint>

#include "observe/wire.h"

namespace sooth::runtime::observing {

inline constexpr unsigned kDataChannels = 4;
inline constexpr unsigned kControlChannel = kDataChannels; // after those for threads

// `address`: unix:PATH or tcp:HOST:PORT with a numeric host or `localhost`. Connects the control
// channel and says hello.
bool open_channels(const char* address, const char* token, const char* program);
// In the child of a fork: the connections are the parent's.
void forget_channels();
bool observer_is_there();

// Sends whole frames. False if the observer is gone.
bool send_frames(unsigned channel, const std::uint8_t* bytes, std::size_t size);
// Whether frames were sent there since this was asked last.
bool take_used(unsigned channel);
// Sends whole frames and receives the next frame that comes back. Returns its body and size, valid
// until the next call for this channel. Null if the observer is gone.
const std::uint8_t* send_and_receive(unsigned channel, const std::uint8_t* bytes, std::size_t size,
                                     std::size_t& answer);

// Prints "sooth: WHAT[: MORE]" to standard error.
void complain(const char* what, const char* more, std::size_t length);

} // namespace sooth::runtime::observing
