// The observer against any bytes: a stream of messages from a program that says whatever it likes.
//
// The first byte says in how large pieces the stream comes, and whether the handshake was done properly before.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>

#include "unit/observe_landing.h"

using namespace sooth::observe;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  const std::size_t piece = 1 + (data[0] & 0x3f);
  Observation observation(kLanding, 256);
  observation.options.lattice.max_width = 64;
  if ((data[0] & 0x80) == 0 && !observation.begin()) std::abort(); // the proper one must always be accepted
  Frames frames;
  const std::span stream(data + 1, size - 1);
  for (std::size_t at = 0; at < stream.size(); at += piece) {
    frames.add(stream.subspan(at, std::min(piece, stream.size() - at)));
    for (;;) {
      const auto body = frames.next();
      if (!body) return 0; // the connection ends here
      if (!body.value()) break;
      const auto message = decode(*body.value());
      if (!message) return 0;
      const auto frame = encode(message.value());
      const auto again = decode(std::span(frame).subspan(wire::kLengthBytes));
      if (!again || !(again.value() == message.value())) std::abort();
      observation.say(message.value()); // an error changes nothing: go on, as another channel would
    }
    observation.program->advance(16);
  }
  observation.end();
  return 0;
}
