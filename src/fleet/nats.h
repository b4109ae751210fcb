// A connection to a NATS server with JetStream: the few things that a fleet needs of it. Only
// nats.cc and its neighbours include the C library.
//
// If the server goes away, the connection waits and comes back by itself. Calls that were under way
// fail with an error, and the caller tries again. Everything that is published is
// sealed, and everything that is read has been checked (seal.h).
//
// For several threads at once, unless said otherwise.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "fleet/record.h"

namespace sooth::fleet {

using Clock = std::chrono::steady_clock;

struct NatsOptions {
  std::string url;
  std::string stream = "SOOTH";
  std::string credentials;      // a file of NATS's, with the user's key
  std::string authorities;      // a file with certificates of those who may vouch for the server
  std::string certificate, key; // our own, if the server asks for one
  std::string token;            // for seals; empty: none
};

struct Stored {
  std::string subject;
  Bytes payload;
  std::uint64_t sequence = 0; // in the stream
  std::uint64_t waiting = 0;  // messages behind this one
};

struct StreamState {
  std::uint64_t bytes = 0;
  std::uint64_t most_bytes = 0; // 0: no bound
};

class Nats {
public:
  // An error for options that cannot work. The server need not be there yet. `note`: a sentence for
  // the user.
  static Result<std::unique_ptr<Nats>> open(const NatsOptions& options, const std::string& name,
                                            std::function<void(const std::string&)> note);
  ~Nats();
  Nats(const Nats&) = delete;
  Nats& operator=(const Nats&) = delete;

  const std::string& stream() const;
  bool is_connected() const;
  // Since when the connection is there without a break; `now` if there is none.
  Clock::time_point connected_since() const;
  std::uint64_t refused() const; // messages without the right seal

  // Makes the two streams, unless they are there. `most_bytes`: of the stream of records.
  std::optional<Error> make_streams(std::uint64_t most_bytes);
  Result<StreamState> state();

  // Stores a message, if the subject's newest one has the sequence `last` (0: there is none), and
  // waits until that is certain. Returns its sequence.
  Result<std::uint64_t> store(const std::string& subject, std::span<const std::uint8_t> payload, std::uint64_t last);
  // Stores a message under a name that makes repeats harmless; `when_stored` is called with the
  // name, and with the reason if it was not stored. An error: not even begun.
  void set_when_stored(std::function<void(const std::string& name, const std::string& why)> when_stored);
  std::optional<Error> begin_storing(const std::string& subject, const std::string& name,
                                     std::span<const std::uint8_t> payload);

  // The newest message of the subject; nothing if there is none.
  Result<std::optional<Stored>> newest(const std::string& stream, const std::string& subject);
  // Deletes the subject's messages, all or those before a sequence. Not for a queue's subject: a
  // server of version 2.9 then takes everything that is leased for acknowledged.
  std::optional<Error> forget(const std::string& subject, std::uint64_t before = 0);
  // Deletes one message; none is there: fine.
  std::optional<Error> forget_one(std::uint64_t sequence);

  // Messages that are not stored.
  void tell(const std::string& subject, std::span<const std::uint8_t> payload);
  // `heard` is called from another thread, while the connection lives.
  std::optional<Error> listen(const std::string& subject, std::function<void(const Stored&)> heard);

  struct Handle;
  Handle& handle() { return *handle_; }

private:
  explicit Nats(std::unique_ptr<Handle> handle);
  std::unique_ptr<Handle> handle_;
};

} // namespace sooth::fleet
