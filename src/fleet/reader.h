// Reading a stream: by subject, from a sequence on; and taking turns at a queue.
//
// Both come back by themselves after the server was away. Not for several threads at once.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "fleet/nats.h"

namespace sooth::fleet {

class Reader {
public:
  // `newest`: only the newest message of each subject, then what comes.
  Reader(Nats& nats, std::string stream, std::string subject, bool newest);
  ~Reader();
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  // The next messages, in the stream's order; empty if none came in that time. After the server was
  // away, they come again from the first one. An error: try again later, nothing is left out.
  Result<std::vector<Stored>> next(std::chrono::milliseconds wait);
  // Asks the server anew at the next call: it may have forgotten this reader.
  void start_again();

private:
  struct Subscription;
  std::optional<Error> subscribe();

  Nats& nats_;
  std::string stream_, subject_;
  bool newest_;
  std::uint64_t next_ = 1; // sequence
  int failed_ = 0;         // times in a row
  std::unique_ptr<Subscription> subscription_;
};

// A message that one reader has taken from a queue. If the reader neither finishes nor renews it in
// time, another reader gets it.
class Lease {
public:
  struct Message;
  explicit Lease(std::unique_ptr<Message> message);
  ~Lease();
  Lease(Lease&& other) noexcept;
  Lease& operator=(Lease&& other) noexcept;

  const Stored& stored() const;
  void renew();
  bool done();      // whether the server has confirmed it
  void give_back(); // another reader may take it now

private:
  std::unique_ptr<Message> message_;
};

class Queue {
public:
  // All readers of the subject share the queue of that name. `time`: of a lease, if the queue is
  // new.
  Queue(Nats& nats, std::string subject, std::string name, std::chrono::seconds time);
  ~Queue();
  Queue(const Queue&) = delete;
  Queue& operator=(const Queue&) = delete;

  Result<std::optional<Lease>> take(std::chrono::milliseconds wait);

private:
  struct Subscription;
  std::optional<Error> subscribe();

  Nats& nats_;
  std::string subject_, name_;
  std::chrono::seconds time_;
  int failed_ = 0;
  std::unique_ptr<Subscription> subscription_;
};

} // namespace sooth::fleet
