#include "fleet/reader.h"

#include "fleet/nats_handle.h"

namespace sooth::fleet {
namespace {

constexpr int kBatch = 128;
constexpr std::int64_t kNanoseconds = 1'000'000'000;
constexpr std::int64_t kIdle = 60 * kNanoseconds; // then the server forgets a reader
constexpr int kMostFailures = 3;                  // a consumer that failed so often in a row may not exist any more
constexpr int kQuietTurns = 20;                   // so does one that was silent so often

struct Batch {
  natsMsgList list = {};
  Batch() = default;
  ~Batch() { natsMsgList_Destroy(&list); }
  Batch(const Batch&) = delete;
  Batch& operator=(const Batch&) = delete;
};

// The message with its place in the stream.
std::optional<Stored> opened(Nats::Handle& handle, natsMsg* message, std::uint64_t& sequence) {
  jsMsgMetaData* meta = nullptr;
  if (natsMsg_GetMetaData(&meta, message) != NATS_OK) return std::nullopt;
  const Owned<jsMsgMetaData, jsMsgMetaData_Destroy> owned(meta);
  sequence = meta->Sequence.Stream;
  auto stored = handle.opened(message);
  if (stored) {
    stored->sequence = meta->Sequence.Stream;
    stored->waiting = meta->NumPending;
  }
  return stored;
}

} // namespace

struct Reader::Subscription {
  OwnedSubscription subscription;
  Clock::time_point since; // of the connection
  int quiet = 0;           // turns without a message
};

Reader::Reader(Nats& nats, std::string stream, std::string subject, bool newest)
    : nats_(nats), stream_(std::move(stream)), subject_(std::move(subject)), newest_(newest) {}
Reader::~Reader() = default;

// The reader's place is kept here, not by the server: what it says is read again harms nobody, and
// nothing is left out.
std::optional<Error> Reader::subscribe() {
  const auto since = nats_.connected_since();
  jsSubOptions options;
  jsSubOptions_Init(&options);
  options.Stream = stream_.c_str();
  options.Config.AckPolicy = js_AckNone;
  options.Config.InactiveThreshold = kIdle;
  options.Config.MemoryStorage = true;
  if (newest_ && next_ == 1) {
    options.Config.DeliverPolicy = js_DeliverLastPerSubject;
  } else {
    options.Config.DeliverPolicy = js_DeliverByStartSequence;
    options.Config.OptStartSeq = next_;
  }
  natsSubscription* raw = nullptr;
  const natsStatus s =
      js_PullSubscribe(&raw, nats_.handle().stream.get(), subject_.c_str(), nullptr, nullptr, &options, nullptr);
  if (s != NATS_OK) return nats_error(subject_, s);
  subscription_ = std::make_unique<Subscription>();
  subscription_->subscription.reset(raw);
  subscription_->since = since;
  failed_ = 0;
  return std::nullopt;
}

void Reader::start_again() { subscription_.reset(); }

Result<std::vector<Stored>> Reader::next(std::chrono::milliseconds wait) {
  // A server that was started again has forgotten its readers, and says nothing. It may also have
  // lost what it had not confirmed, and give the same numbers to other messages: all is read again.
  if (subscription_ != nullptr && nats_.connected_since() != subscription_->since) {
    start_again();
    next_ = 1;
  }
  if (subscription_ == nullptr)
    if (auto error = subscribe()) return *error;
  Batch batch;
  const natsStatus s =
      natsSubscription_Fetch(&batch.list, subscription_->subscription.get(), kBatch, wait.count(), nullptr);
  if (s != NATS_OK && s != NATS_TIMEOUT) {
    if (++failed_ >= kMostFailures) subscription_.reset();
    return nats_error(subject_, s);
  }
  std::vector<Stored> out;
  for (int i = 0; i < batch.list.Count; ++i) {
    std::uint64_t sequence = 0;
    auto stored = opened(nats_.handle(), batch.list.Msgs[i], sequence);
    if (sequence >= next_) next_ = sequence + 1;
    if (stored) out.push_back(*std::move(stored));
  }
  failed_ = 0;
  subscription_->quiet = batch.list.Count != 0 ? 0 : subscription_->quiet + 1;
  if (subscription_->quiet >= kQuietTurns) start_again();
  return out;
}

struct Lease::Message {
  OwnedMessage message;
  Stored stored;
};

Lease::Lease(std::unique_ptr<Message> message) : message_(std::move(message)) {}
Lease::~Lease() = default;
Lease::Lease(Lease&& other) noexcept = default;
Lease& Lease::operator=(Lease&& other) noexcept = default;
const Stored& Lease::stored() const { return message_->stored; }
void Lease::renew() { natsMsg_InProgress(message_->message.get(), nullptr); }
bool Lease::done() { return natsMsg_AckSync(message_->message.get(), nullptr, nullptr) == NATS_OK; }
void Lease::give_back() { natsMsg_Nak(message_->message.get(), nullptr); }

struct Queue::Subscription {
  OwnedSubscription subscription;
};

Queue::Queue(Nats& nats, std::string subject, std::string name, std::chrono::seconds time)
    : nats_(nats), subject_(std::move(subject)), name_(std::move(name)), time_(time) {}
Queue::~Queue() = default;

std::optional<Error> Queue::subscribe() {
  jsSubOptions options;
  jsSubOptions_Init(&options);
  options.Stream = nats_.stream().c_str();
  options.Config.AckPolicy = js_AckExplicit;
  options.Config.AckWait = time_.count() * kNanoseconds;
  options.Config.MaxDeliver = -1;
  options.Config.MaxAckPending = -1; // a program is not done with before it has ended
  natsSubscription* raw = nullptr;
  const natsStatus s =
      js_PullSubscribe(&raw, nats_.handle().stream.get(), subject_.c_str(), name_.c_str(), nullptr, &options, nullptr);
  if (s != NATS_OK) return nats_error(subject_, s);
  subscription_ = std::make_unique<Subscription>();
  subscription_->subscription.reset(raw);
  failed_ = 0;
  return std::nullopt;
}

Result<std::optional<Lease>> Queue::take(std::chrono::milliseconds wait) {
  if (subscription_ == nullptr)
    if (auto error = subscribe()) return *error;
  Batch batch;
  const natsStatus s = natsSubscription_Fetch(&batch.list, subscription_->subscription.get(), 1, wait.count(), nullptr);
  if (s != NATS_OK && s != NATS_TIMEOUT) {
    if (++failed_ >= kMostFailures) subscription_.reset();
    return nats_error(subject_, s);
  }
  failed_ = 0;
  if (batch.list.Count == 0) return std::optional<Lease>();
  auto message = std::make_unique<Lease::Message>();
  message->message.reset(std::exchange(batch.list.Msgs[0], nullptr));
  std::uint64_t sequence = 0;
  auto stored = opened(nats_.handle(), message->message.get(), sequence);
  if (!stored) { // forged: nobody needs to see it again
    natsMsg_Term(message->message.get(), nullptr);
    return std::optional<Lease>();
  }
  message->stored = *std::move(stored);
  return std::optional<Lease>(Lease(std::move(message)));
}

} // namespace sooth::fleet
