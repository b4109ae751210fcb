// One of a group of observers: takes programs from the stream, one of the group each, and publishes
// their verdicts.
//
// The queue of announcements hands a program to one observer, for the time of a lease that the
// observer renews. It is taken from the queue for good when the verdict is stored. An observer that
// is killed does not renew, so another one gets the program, and reads it from its first record:
// the verdict is that of all records, and does not depend on which observer read them. The next
// observer needs nothing that this one knows.
//
// While the stream is more than half full, observers drop records that they have received, so that
// programs can go on. Should the observer be killed then, the next one's verdict says what is lost.
//
// Cost: a thread for each program.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "fleet/nats.h"
#include "observe/program.h"
#include "observe/server.h"

namespace sooth::fleet {

struct GroupOptions {
  NatsOptions nats;
  observe::ProgramOptions program;                   // without a property: each program brings its own
  std::string name;                                  // of this observer
  std::size_t most_programs = 64;                    // at a time
  std::uint64_t most_bytes = std::uint64_t{1} << 30; // of all programs' lattices and messages together
  std::chrono::seconds lease{30};                    // also: how long a relay may be silent
  bool once = false;                                 // end with the first program
  std::uint64_t stream_bytes = std::uint64_t{1} << 30;
};

class Group {
public:
  // The speaker is called by one thread at a time.
  Group(GroupOptions options, observe::ServerSpeaker speaker);
  ~Group();
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;

  std::optional<Error> open();
  // Until `stop`, or with `once` until the first verdict.
  void run();
  // From any thread, or a signal's handler.
  void stop();

private:
  class Engine;
  std::unique_ptr<Engine> engine_;
};

} // namespace sooth::fleet
