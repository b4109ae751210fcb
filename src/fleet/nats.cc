#include "fleet/nats.h"

#include <fmt/format.h>

#include "fleet/nats_handle.h"
#include "fleet/seal.h"
#include "fleet/subjects.h"

namespace sooth::fleet {
namespace {

constexpr std::int64_t kReconnectWait = 200;      // milliseconds
constexpr std::int64_t kAckWait = 3000;           // milliseconds for the server to confirm
constexpr int kReconnectBytes = 32 << 20;         // what may be under way while the server is away
constexpr std::int64_t kMostVerdicts = 1'000'000; // the oldest go first
constexpr std::uint16_t kNoSuchStream = 10059, kNoSuchMessage = 10037, kNoSuchSequence = 10043;

const std::uint8_t* bytes_of(natsMsg* message) {
  return reinterpret_cast<const std::uint8_t*>(natsMsg_GetData(message));
}

OwnedMessage make_message(const NatsOptions& options, const std::string& subject,
                          std::span<const std::uint8_t> payload) {
  natsMsg* raw = nullptr;
  if (natsMsg_Create(&raw, subject.c_str(), nullptr, reinterpret_cast<const char*>(payload.data()),
                     static_cast<int>(payload.size())) != NATS_OK)
    return nullptr;
  OwnedMessage message(raw);
  const std::string sealed = seal(options.token, subject, payload);
  if (!options.token.empty() && (sealed.empty() || natsMsgHeader_Set(raw, kSealHeader, sealed.c_str()) != NATS_OK))
    return nullptr;
  return message;
}

void on_connected(natsConnection*, void* closure) {
  auto& handle = *static_cast<Nats::Handle*>(closure);
  const std::lock_guard lock(handle.mutex);
  handle.since = Clock::now();
}

void on_stored(jsCtx*, natsMsg* message, jsPubAck*, jsPubAckErr* error, void* closure) {
  auto& handle = *static_cast<Nats::Handle*>(closure);
  const OwnedMessage owned(message);
  const char* name = nullptr;
  if (natsMsgHeader_Get(message, "Nats-Msg-Id", &name) != NATS_OK) return;
  std::string why;
  if (error != nullptr)
    why = error->ErrText != nullptr && *error->ErrText != 0 ? error->ErrText : natsStatus_GetText(error->Err);
  std::function<void(const std::string&, const std::string&)> tell;
  {
    const std::lock_guard lock(handle.mutex);
    tell = handle.when_stored;
  }
  if (tell) tell(name, why);
}

// Errors of the connection come with every call that they hurt; nothing of it goes to the terminal.
void on_error(natsConnection*, natsSubscription*, natsStatus, void*) {}

std::optional<Error> fill(natsOptions* to, const NatsOptions& from, const std::string& name, Nats::Handle& handle) {
  const auto bad = [](const char* what, natsStatus status) { return nats_error(what, status); };
  natsStatus s = natsOptions_SetURL(to, from.url.c_str());
  if (s != NATS_OK) return bad("the server's URL", s);
  natsOptions_SetName(to, name.c_str());
  natsOptions_SetMaxReconnect(to, -1);
  natsOptions_SetReconnectWait(to, kReconnectWait);
  natsOptions_SetReconnectBufSize(to, kReconnectBytes);
  natsOptions_SetRetryOnFailedConnect(to, true, on_connected, &handle);
  natsOptions_SetReconnectedCB(to, on_connected, &handle);
  natsOptions_SetErrorHandler(to, on_error, nullptr);
  if (from.url.starts_with("tls://") || !from.authorities.empty() || !from.certificate.empty())
    if ((s = natsOptions_SetSecure(to, true)) != NATS_OK) return bad("TLS", s);
  if (!from.authorities.empty())
    if ((s = natsOptions_LoadCATrustedCertificates(to, from.authorities.c_str())) != NATS_OK)
      return bad("--nats-ca", s);
  if (!from.certificate.empty())
    if ((s = natsOptions_LoadCertificatesChain(to, from.certificate.c_str(), from.key.c_str())) != NATS_OK)
      return bad("--nats-cert, --nats-key", s);
  if (!from.credentials.empty())
    if ((s = natsOptions_SetUserCredentialsFromFiles(to, from.credentials.c_str(), nullptr)) != NATS_OK)
      return bad("--nats-creds", s);
  return std::nullopt;
}

std::optional<Error> make_stream(jsCtx* js, jsStreamConfig& config) {
  jsErrCode code = {};
  jsStreamInfo* info = nullptr;
  natsStatus s = js_GetStreamInfo(&info, js, config.Name, nullptr, &code);
  jsStreamInfo_Destroy(info);
  if (s == NATS_OK) return std::nullopt; // as somebody made it
  if (s == NATS_NOT_FOUND || code == kNoSuchStream) s = js_AddStream(nullptr, js, &config, nullptr, &code);
  if (s == NATS_OK) return std::nullopt;
  return nats_error(fmt::format("the stream {}", config.Name), s);
}

void on_heard(natsConnection*, natsSubscription*, natsMsg* message, void* closure) {
  const OwnedMessage owned(message);
  const auto& [handle, heard] = *static_cast<std::pair<Nats::Handle*, std::function<void(const Stored&)>>*>(closure);
  if (const auto stored = handle->opened(message)) heard(*stored);
}

} // namespace

Error nats_error(const std::string& what, natsStatus status) {
  const char* more = nats_GetLastError(nullptr);
  std::string sentence = fmt::format("{}: {}", what, natsStatus_GetText(status));
  if (more != nullptr && *more != 0) sentence += fmt::format(" ({})", more);
  return {sentence + ".", "", 0, 0};
}

std::optional<Stored> Nats::Handle::opened(natsMsg* message) {
  Stored out;
  out.subject = natsMsg_GetSubject(message);
  const std::span payload(bytes_of(message), static_cast<std::size_t>(natsMsg_GetDataLength(message)));
  const char* given = nullptr;
  if (natsMsgHeader_Get(message, kSealHeader, &given) != NATS_OK) given = nullptr;
  if (!is_sealed(options.token, out.subject, payload, given != nullptr ? given : "")) {
    if (refused++ == 0) note("a message without the right seal (--token) was refused; others are only counted.");
    return std::nullopt;
  }
  out.payload.assign(payload.begin(), payload.end());
  return out;
}

Nats::Nats(std::unique_ptr<Handle> handle) : handle_(std::move(handle)) {}
Nats::~Nats() {
  // Callbacks end before what they use.
  handle_->listening.clear();
  handle_->storing.reset();
  handle_->stream.reset();
  if (handle_->connection != nullptr) natsConnection_Close(handle_->connection.get());
  handle_->connection.reset();
}

Result<std::unique_ptr<Nats>> Nats::open(const NatsOptions& options, const std::string& name,
                                         std::function<void(const std::string&)> note) {
  if (!is_stream_name(options.stream))
    return Error{fmt::format("`{}` is no name of a stream: letters, digits, - and _.", options.stream), "", 0, 0};
  if (options.certificate.empty() != options.key.empty())
    return Error{"--nats-cert and --nats-key belong together.", "", 0, 0};
  auto handle = std::make_unique<Handle>();
  handle->options = options;
  handle->note = std::move(note);
  natsOptions* raw = nullptr;
  if (const natsStatus s = natsOptions_Create(&raw); s != NATS_OK) return nats_error("NATS", s);
  const Owned<natsOptions, natsOptions_Destroy> settings(raw);
  if (auto error = fill(raw, options, name, *handle)) return *error;
  natsConnection* connection = nullptr;
  natsStatus s = natsConnection_Connect(&connection, raw);
  if (s != NATS_OK && s != NATS_NOT_YET_CONNECTED) return nats_error(options.url, s);
  handle->connection.reset(connection);
  jsOptions stream_options;
  jsOptions_Init(&stream_options);
  stream_options.Wait = kAckWait;
  jsCtx* js = nullptr;
  if ((s = natsConnection_JetStream(&js, connection, &stream_options)) != NATS_OK) return nats_error("JetStream", s);
  handle->stream.reset(js);
  stream_options.PublishAsync.AckHandler = on_stored;
  stream_options.PublishAsync.AckHandlerClosure = handle.get();
  if ((s = natsConnection_JetStream(&js, connection, &stream_options)) != NATS_OK) return nats_error("JetStream", s);
  handle->storing.reset(js);
  return std::unique_ptr<Nats>(new Nats(std::move(handle)));
}

const std::string& Nats::stream() const { return handle_->options.stream; }
bool Nats::is_connected() const {
  return natsConnection_Status(handle_->connection.get()) == NATS_CONN_STATUS_CONNECTED;
}
Clock::time_point Nats::connected_since() const {
  if (!is_connected()) return Clock::now();
  const std::lock_guard lock(handle_->mutex);
  return handle_->since;
}
std::uint64_t Nats::refused() const { return handle_->refused; }

std::optional<Error> Nats::make_streams(std::uint64_t most_bytes) {
  const std::string announce = announce_subject(stream(), "*"), data = data_subject(stream(), "*");
  const char* subjects[] = {announce.c_str(), data.c_str()};
  jsStreamConfig records;
  jsStreamConfig_Init(&records);
  records.Name = stream().c_str();
  records.Subjects = subjects;
  records.SubjectsLen = 2;
  records.Storage = js_FileStorage;
  records.Discard = js_DiscardNew; // full: relays wait, and nothing that is stored goes away
  records.MaxBytes = static_cast<std::int64_t>(most_bytes);
  if (auto error = make_stream(handle_->stream.get(), records)) return error;
  const std::string name = verdict_stream(stream()), verdict = verdict_subject(stream(), "*");
  const char* verdict_subjects[] = {verdict.c_str()};
  jsStreamConfig verdicts;
  jsStreamConfig_Init(&verdicts);
  verdicts.Name = name.c_str();
  verdicts.Subjects = verdict_subjects;
  verdicts.SubjectsLen = 1;
  verdicts.Storage = js_FileStorage;
  verdicts.Discard = js_DiscardOld;
  verdicts.MaxMsgsPerSubject = 1;
  verdicts.MaxMsgs = kMostVerdicts;
  return make_stream(handle_->stream.get(), verdicts);
}

Result<StreamState> Nats::state() {
  jsStreamInfo* info = nullptr;
  const natsStatus s = js_GetStreamInfo(&info, handle_->stream.get(), stream().c_str(), nullptr, nullptr);
  const Owned<jsStreamInfo, jsStreamInfo_Destroy> owned(info);
  if (s != NATS_OK || info->Config == nullptr) return nats_error("the stream " + stream(), s);
  const std::int64_t most = info->Config->MaxBytes;
  return StreamState{info->State.Bytes, most > 0 ? static_cast<std::uint64_t>(most) : 0};
}

Result<std::uint64_t> Nats::store(const std::string& subject, std::span<const std::uint8_t> payload,
                                  std::uint64_t last) {
  const OwnedMessage message = make_message(handle_->options, subject, payload);
  if (message == nullptr) return Error{"there is no memory for a message.", "", 0, 0};
  jsPubOptions options;
  jsPubOptions_Init(&options);
  options.ExpectLastSubjectSeq = last;
  options.ExpectNoMessage = last == 0;
  jsPubAck* ack = nullptr;
  const natsStatus s = js_PublishMsg(&ack, handle_->stream.get(), message.get(), &options, nullptr);
  const Owned<jsPubAck, jsPubAck_Destroy> owned(ack);
  if (s != NATS_OK) return nats_error(subject, s);
  return ack->Sequence;
}

void Nats::set_when_stored(std::function<void(const std::string&, const std::string&)> when_stored) {
  const std::lock_guard lock(handle_->mutex);
  handle_->when_stored = std::move(when_stored);
}

std::optional<Error> Nats::begin_storing(const std::string& subject, const std::string& name,
                                         std::span<const std::uint8_t> payload) {
  OwnedMessage message = make_message(handle_->options, subject, payload);
  if (message == nullptr) return Error{"there is no memory for a message.", "", 0, 0};
  jsPubOptions options;
  jsPubOptions_Init(&options);
  options.MsgId = name.c_str();
  options.MaxWait = kAckWait;
  natsMsg* raw = message.release();
  const natsStatus s = js_PublishMsgAsync(handle_->storing.get(), &raw, &options);
  natsMsg_Destroy(raw); // null if the library has taken it
  if (s != NATS_OK) return nats_error(subject, s);
  return std::nullopt;
}

Result<std::optional<Stored>> Nats::newest(const std::string& stream, const std::string& subject) {
  natsMsg* raw = nullptr;
  jsErrCode code = {};
  const natsStatus s = js_GetLastMsg(&raw, handle_->stream.get(), stream.c_str(), subject.c_str(), nullptr, &code);
  const OwnedMessage message(raw);
  if (s == NATS_NOT_FOUND || code == kNoSuchMessage) return std::optional<Stored>();
  if (s != NATS_OK) return nats_error(subject, s);
  auto stored = handle_->opened(raw);
  if (stored) stored->sequence = natsMsg_GetSequence(raw);
  return stored;
}

std::optional<Error> Nats::forget(const std::string& subject, std::uint64_t before) {
  jsOptions options;
  jsOptions_Init(&options);
  options.Wait = kAckWait;
  options.Stream.Purge.Subject = subject.c_str();
  options.Stream.Purge.Sequence = before;
  const natsStatus s = js_PurgeStream(handle_->stream.get(), stream().c_str(), &options, nullptr);
  if (s != NATS_OK) return nats_error(subject, s);
  return std::nullopt;
}

std::optional<Error> Nats::forget_one(std::uint64_t sequence) {
  jsErrCode code = {};
  const natsStatus s = js_DeleteMsg(handle_->stream.get(), stream().c_str(), sequence, nullptr, &code);
  if (s != NATS_OK && s != NATS_NOT_FOUND && code != kNoSuchMessage && code != kNoSuchSequence)
    return nats_error("deleting a message", s);
  return std::nullopt;
}

void Nats::tell(const std::string& subject, std::span<const std::uint8_t> payload) {
  const OwnedMessage message = make_message(handle_->options, subject, payload);
  // Told again soon; nobody counts on this one.
  if (message != nullptr && is_connected()) natsConnection_PublishMsg(handle_->connection.get(), message.get());
}

std::optional<Error> Nats::listen(const std::string& subject, std::function<void(const Stored&)> heard) {
  using Closure = std::pair<Nats::Handle*, std::function<void(const Stored&)>>;
  auto closure = std::make_shared<Closure>(handle_.get(), std::move(heard));
  handle_->kept.push_back(closure);
  natsSubscription* raw = nullptr;
  const natsStatus s =
      natsConnection_Subscribe(&raw, handle_->connection.get(), subject.c_str(), on_heard, closure.get());
  if (s != NATS_OK) return nats_error(subject, s);
  handle_->listening.emplace_back(raw);
  return std::nullopt;
}

} // namespace sooth::fleet
