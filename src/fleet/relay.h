// The relay: takes the connections of programs as an observer does, answers what must be answered
// at once, and hands their messages on to the stream.
//
// It reads the property, because a program needs its table before it goes on. If the property says
// `when violated: stop`, each event needs an answer, too: then the relay looks at the events
// itself, and answers as an observer on this machine would. The verdict always comes from the
// group.
//
// Gives up: never; while the stream takes nothing, it does not read from programs, or spills.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "fleet/nats.h"
#include "fleet/publisher.h"
#include "observe/server.h"

namespace sooth::fleet {

struct RelayOptions {
  NatsOptions nats;
  observe::ServerOptions server; // its property is the programs'
  PublisherOptions publisher;
  std::string name;                      // of this relay
  std::string spill_file;                // empty: a full stream slows programs down
  std::uint64_t spill_bytes = 0;         // the most on disk
  std::chrono::seconds last_words{10};   // at the end: for what is not stored yet
  std::chrono::milliseconds alive{1000}; // between two signs of life
};

class Relay {
public:
  Relay(RelayOptions options, std::function<void(const std::string&)> note);
  ~Relay();
  Relay(const Relay&) = delete;
  Relay& operator=(const Relay&) = delete;

  Result<observe::Address> listen(const observe::Address& address);
  // Until SIGINT or SIGTERM, or with `once` until no program is left. Whether everything was
  // stored.
  bool run();

private:
  class Engine;
  std::unique_ptr<Engine> engine_;
};

} // namespace sooth::fleet
