// What a server does with the messages of one program: it checks them (server.cc), or hands them on
// (fleet/relay.h).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/result.h"
#include "observe/protocol.h"

namespace sooth::observe {

// What is left to do before more is read from the program.
enum class Work : std::uint8_t {
  Done,
  More,  // another turn
  Waits, // for something else; Server::resume says that it may be there
};

class Peer {
public:
  Peer() = default;
  virtual ~Peer() = default;
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;

  virtual const Hello& hello() const = 0;
  // A message that came on the channel; `body` are its bytes. Answers go to the same channel. After
  // an error the channel is closed: the message changed nothing.
  virtual std::optional<Error> take(std::uint32_t channel, const Message& message, std::span<const std::uint8_t> body,
                                    std::vector<Message>& answers) = 0;
  virtual Work work() = 0;
  // After `work` is done: answers for the channel that had to wait for it.
  virtual void late_answers(std::uint32_t /*channel*/, std::vector<Message>& /*answers*/) {}
  // Whether the program has sent its symbols.
  virtual bool introduced() const = 0;
  // What its messages take here, and a way to free that: nothing more is predicted.
  virtual std::uint64_t bytes() const = 0;
  virtual void give_up_for_memory() = 0;
  // All channels are closed.
  virtual void conclude() = 0;
};

using PeerMaker = std::function<std::unique_ptr<Peer>(const Hello&)>;

} // namespace sooth::observe
