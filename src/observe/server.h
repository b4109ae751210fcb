// The observer's sockets: programs connect, say hello, and send their messages over one or more
// channels.
//
// An error on one connection ends that connection, with a sentence, and nothing else.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "observe/address.h"
#include "observe/peer.h"
#include "observe/program.h"

namespace sooth::observe {

struct ServerOptions {
  ProgramOptions program;
  std::string token; // empty: none is asked for
  bool once = false; // end with the first program that has sent its symbols
  std::size_t most_connections = 4096;
  std::size_t most_strangers = 256;                  // connections that have not said hello yet
  std::uint64_t most_bytes = std::uint64_t{1} << 30; // of all programs' lattices and messages together
};

struct ServerSpeaker {
  std::function<void(const ObservedProgram&, const report::Report&)> finding;
  std::function<void(const std::string&)> note;
  std::function<void(const ObservedProgram&)> end; // its verdict is there
};

class Server {
public:
  // Checks its programs.
  Server(ServerOptions options, ServerSpeaker speaker);
  // Gives each program's messages to the peer that is made for it; `note` is for the user.
  Server(ServerOptions options, PeerMaker make, std::function<void(const std::string&)> note);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // The address that was got: with port 0, the system chooses one.
  Result<Address> listen(const Address& address);
  // Serves until `stop`, or with `once` until no program is left after the first.
  void run();
  // From any thread or signal handler's thread: no new programs; the present ones are concluded as
  // cut off.
  void stop();
  // From any thread: ends when no connection is left.
  void stop_when_idle();
  // From any thread: what peers have waited for (Work::Waits) may be there.
  void resume();

private:
  class Engine;
  std::unique_ptr<Engine> engine_;
};

} // namespace sooth::observe
