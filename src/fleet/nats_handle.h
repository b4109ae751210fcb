// The C library's objects behind a connection; for nats.cc and reader.cc alone.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>

#include <nats/nats.h>

#include "fleet/nats.h"

namespace sooth::fleet {

template <typename T, void (*Free)(T*)>
struct Freer {
  void operator()(T* object) const { Free(object); }
};
template <typename T, void (*Free)(T*)>
using Owned = std::unique_ptr<T, Freer<T, Free>>;

using OwnedMessage = Owned<natsMsg, natsMsg_Destroy>;
using OwnedSubscription = Owned<natsSubscription, natsSubscription_Destroy>;

struct Nats::Handle {
  NatsOptions options;
  std::function<void(const std::string&)> note;
  Owned<natsConnection, natsConnection_Destroy> connection;
  Owned<jsCtx, jsCtx_Destroy> stream;  // requests, and messages that are waited for
  Owned<jsCtx, jsCtx_Destroy> storing; // messages under way
  std::mutex mutex;                    // of the two below
  std::function<void(const std::string&, const std::string&)> when_stored;
  Clock::time_point since = Clock::now();
  std::vector<std::shared_ptr<void>> kept; // what callbacks use
  std::vector<OwnedSubscription> listening;
  std::atomic<std::uint64_t> refused = 0;

  // Nothing if the seal is wrong.
  std::optional<Stored> opened(natsMsg* message);
};

Error nats_error(const std::string& what, natsStatus status);

} // namespace sooth::fleet
