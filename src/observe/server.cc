#include "observe/server.h"

#include <csignal>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include <asio.hpp>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace sooth::observe {
namespace {

using Socket = asio::generic::stream_protocol::socket;

constexpr auto kHelloTime = std::chrono::seconds(30);     // a connection that says nothing for so long is closed
constexpr std::size_t kMostUnsent = std::size_t{8} << 20; // bytes of answers that are not fetched
constexpr auto kRest = std::chrono::milliseconds(200);    // after a connection that could not be accepted
constexpr std::size_t kRoom = std::size_t{1} << 16;       // bytes that are read at once; fewer before hello
constexpr auto kLook = std::chrono::milliseconds(50);     // between two looks at the memory of all programs
constexpr auto kTurn = std::chrono::milliseconds(20);     // of one program, before others have theirs

Error system_error(const std::string& what, const std::error_code& error) {
  return {fmt::format("{}: {}.", what, error.message()), "", 0, 0};
}

// A program whose messages are checked here.
class CheckedPeer : public Peer {
public:
  CheckedPeer(const Hello& hello, const ProgramOptions& options, const ServerSpeaker& speaker)
      : speaker_(speaker),
        program_(hello, options,
                 Speaker{[this](const report::Report& report) { speaker_.finding(program_, report); },
                         [this](const std::string& note) { speaker_.note(program_.hello().program + ": " + note); }}) {}

  const Hello& hello() const override { return program_.hello(); }
  std::optional<Error> take(std::uint32_t, const Message& message, std::span<const std::uint8_t>,
                            std::vector<Message>& answers) override {
    return program_.take(message, answers);
  }
  Work work() override { return program_.advance(1) ? Work::More : Work::Done; }
  bool introduced() const override { return program_.introduced(); }
  std::uint64_t bytes() const override { return program_.bytes(); }
  void give_up_for_memory() override { program_.give_up_for_memory(); }
  void conclude() override {
    program_.conclude();
    speaker_.end(program_);
  }

private:
  const ServerSpeaker& speaker_; // the server's
  ObservedProgram program_;
};

} // namespace

class Server::Engine {
public:
  Engine(ServerOptions options, PeerMaker make, std::function<void(const std::string&)> note)
      : options_(std::move(options)), make_(std::move(make)), note_(std::move(note)), signals_(io_, SIGINT, SIGTERM) {}

  ~Engine() {
    if (!socket_path_.empty()) ::unlink(socket_path_.c_str());
  }

  Result<Address> listen(const Address& address);
  void run() {
    signals_.async_wait([this](const std::error_code& error, int) {
      if (!error) stop();
    });
    accept();
    io_.run();
  }
  void stop();
  void stop_when_idle() {
    asio::post(io_, [this] {
      leaving_ = true;
      end_if_done();
    });
  }
  void resume() {
    const auto programs = programs_;
    for (const auto& [session, entry] : programs)
      if (std::exchange(entry->waits, false)) work(entry);
  }
  asio::io_context& io() { return io_; }

private:
  class Connection;
  struct Entry { // a program and its channels
    std::unique_ptr<Peer> peer;
    std::set<std::shared_ptr<Connection>> channels;
    std::vector<std::shared_ptr<Connection>> paused; // until the peer has caught up
    std::uint32_t next_channel = 0;
    bool busy = false;
    bool waits = false; // busy, until somebody calls `resume`
  };
  using EntryPointer = std::shared_ptr<Entry>;

  void accept();
  void accepted(const std::error_code& error, Socket socket);
  std::optional<Error> greet(const std::shared_ptr<Connection>& connection, const Hello& hello);
  void work(const EntryPointer& entry);
  void closed(const std::shared_ptr<Connection>& connection);
  void conclude(const EntryPointer& entry);
  void keep_within_memory();
  void end_if_done();

  ServerOptions options_;
  PeerMaker make_;
  std::function<void(const std::string&)> note_;
  asio::io_context io_;
  asio::signal_set signals_;
  asio::steady_timer rest_{io_};
  std::optional<asio::local::stream_protocol::acceptor> local_;
  std::optional<asio::ip::tcp::acceptor> tcp_;
  std::string socket_path_; // made by us
  std::set<std::shared_ptr<Connection>> connections_;
  std::deque<std::shared_ptr<Connection>> strangers_; // of them, those without an entry, oldest first
  std::map<Session, EntryPointer> programs_;
  std::chrono::steady_clock::time_point next_look_; // at the memory
  bool served_ = false;                             // some program
  bool leaving_ = false;                            // when nobody is left
  bool full_ = false; // the last connection was turned away, which is not repeated for each
};

class Server::Engine::Connection : public std::enable_shared_from_this<Connection> {
public:
  Connection(Engine& engine, Socket socket)
      : engine_(engine), socket_(std::move(socket)), hello_timer_(engine.io_, kHelloTime) {}

  void start() {
    hello_timer_.async_wait([self = shared_from_this()](const std::error_code& error) {
      if (!error && self->entry == nullptr) self->fail("it did not say hello.");
    });
    read();
  }
  void read() {
    socket_.async_read_some(asio::buffer(room_),
                            [self = shared_from_this()](const std::error_code& error, std::size_t n) {
                              if (error) return self->ended(error);
                              self->frames_.add(std::span(self->room_.data(), n));
                              self->take_frames();
                            });
  }
  void send(const Message& message) {
    std::vector<std::uint8_t> frame = encode(message);
    unsent_ += frame.size();
    if (frame.empty() || unsent_ > kMostUnsent) return fail("it does not take its answers.");
    out_.push_back(std::move(frame));
    if (out_.size() == 1) write();
  }
  // Gives the reason, to the program as far as it listens, and closes.
  void fail(const std::string& why) {
    if (!open_) return;
    engine_.note_(fmt::format("{}: {} The connection is closed.", name(), why));
    const std::vector<std::uint8_t> frame = encode(Refused{why});
    std::error_code ignored;
    socket_.non_blocking(true, ignored);
    socket_.send(asio::buffer(frame), MSG_NOSIGNAL, ignored);
    close();
  }
  void close() {
    if (!open_) return;
    open_ = false;
    hello_timer_.cancel();
    std::error_code ignored;
    socket_.shutdown(Socket::shutdown_both, ignored);
    socket_.close(ignored);
    engine_.closed(shared_from_this());
  }
  std::string name() const {
    if (entry == nullptr) return "a connection";
    return fmt::format("{} ({})", entry->peer->hello().program, entry->peer->hello().pid);
  }

  EntryPointer entry; // set by hello
  std::uint32_t number = 0;

private:
  void ended(const std::error_code& error) {
    if (!open_) return;
    if (frames_.left() != 0)
      engine_.note_(fmt::format("{}: the connection was cut in the middle of a message.", name()));
    else if (entry == nullptr && error != asio::error::operation_aborted)
      engine_.note_(fmt::format("{}: it ended before it said hello.", name()));
    close();
  }
  void take_frames() {
    while (open_) {
      auto frame = frames_.next(entry == nullptr ? wire::kMaxHello : wire::kMaxFrame);
      if (!frame) return fail(frame.error().message);
      if (!frame.value()) break;
      auto message = decode(**frame);
      if (!message) return fail(message.error().message);
      if (const auto* hello = std::get_if<Hello>(&message.value())) {
        if (const auto error = engine_.greet(shared_from_this(), *hello)) return fail(error->message);
        hello_timer_.cancel();
        room_.resize(kRoom);
        send(Welcome{});
        continue;
      }
      if (entry == nullptr) return fail("a message before hello.");
      std::vector<Message> answers;
      if (const auto error = entry->peer->take(number, *message, **frame, answers)) return fail(error->message);
      for (const Message& answer : answers) send(answer);
    }
    if (!open_) return;
    if (entry == nullptr) return read();
    // Nothing more is read until the peer has caught up: a slow observer slows the program down.
    entry->paused.push_back(shared_from_this());
    if (!entry->busy) engine_.work(entry);
  }
  void write() {
    asio::async_write(socket_, asio::buffer(out_.front()),
                      [self = shared_from_this()](const std::error_code& error, std::size_t) {
                        if (error) return self->ended(error);
                        self->unsent_ -= self->out_.front().size();
                        self->out_.pop_front();
                        if (!self->out_.empty()) self->write();
                      });
  }

  Engine& engine_;
  Socket socket_;
  asio::steady_timer hello_timer_;
  Frames frames_;
  std::vector<std::uint8_t> room_ = std::vector<std::uint8_t>(wire::kMaxText);
  std::deque<std::vector<std::uint8_t>> out_;
  std::size_t unsent_ = 0;
  bool open_ = true;
};

Result<Address> Server::Engine::listen(const Address& address) {
  std::error_code error;
  Address got = address;
  if (address.local) {
    // A socket without a listener is left over from an observer that was killed.
    asio::local::stream_protocol::socket probe(io_);
    probe.connect({address.path}, error);
    if (!error) return Error{fmt::format("somebody listens at {} already.", address.text()), "", 0, 0};
    struct stat info = {};
    if (::lstat(address.path.c_str(), &info) == 0 && S_ISSOCK(info.st_mode)) ::unlink(address.path.c_str());
    local_.emplace(io_);
    local_->open({}, error);
    const mode_t before = ::umask(0177); // the socket is ours alone from its first moment on
    if (!error) local_->bind({address.path}, error);
    ::umask(before);
    if (error) return system_error("cannot listen at " + address.text(), error);
    socket_path_ = address.path;
    local_->listen(asio::socket_base::max_listen_connections, error);
  } else {
    if (!address.loopback && options_.token.empty())
      return Error{
          fmt::format("{} can be reached from other machines: set a token (--token, or SOOTH_TOKEN), which programs "
                      "then have to know.",
                      address.text()),
          "", 0, 0};
    const asio::ip::tcp::endpoint endpoint(asio::ip::make_address(address.host, error), address.port);
    tcp_.emplace(io_);
    if (!error) tcp_->open(endpoint.protocol(), error);
    if (!error) tcp_->set_option(asio::socket_base::reuse_address(true), error);
    if (!error) tcp_->bind(endpoint, error);
    if (!error) tcp_->listen(asio::socket_base::max_listen_connections, error);
    if (!error) got.port = tcp_->local_endpoint(error).port();
  }
  if (error) return system_error("cannot listen at " + address.text(), error);
  return got;
}

void Server::Engine::accept() {
  const auto take = [this](const std::error_code& error, auto socket) { accepted(error, Socket(std::move(socket))); };
  if (local_ && local_->is_open()) local_->async_accept(take);
  if (tcp_ && tcp_->is_open()) tcp_->async_accept(take);
}

void Server::Engine::accepted(const std::error_code& error, Socket socket) {
  if (error == asio::error::operation_aborted) return;
  // A program says hello at once. So the oldest of those that have not makes room for a new one.
  if ((error || strangers_.size() >= options_.most_strangers) && !strangers_.empty())
    strangers_.front()->fail("it did not say hello, and others want to.");
  if (error) {
    // Most likely all descriptors are in use. Trying again at once would take a whole core.
    if (!std::exchange(full_, true))
      note_(fmt::format("a connection cannot be accepted ({}); others wait.", error.message()));
    rest_.expires_after(kRest);
    rest_.async_wait([this](const std::error_code& cancelled) {
      if (!cancelled) accept();
    });
    return;
  }
  if (connections_.size() < options_.most_connections) {
    full_ = false;
    auto connection = std::make_shared<Connection>(*this, std::move(socket));
    connections_.insert(connection);
    strangers_.push_back(connection);
    connection->start();
  } else if (!std::exchange(full_, true)) {
    note_("too many connections; new ones are closed.");
  }
  accept();
}

std::optional<Error> Server::Engine::greet(const std::shared_ptr<Connection>& connection, const Hello& hello) {
  const auto wrong = [](std::string why) { return Error{std::move(why), "", 0, 0}; };
  if (connection->entry != nullptr) return wrong("a second hello.");
  if (hello.version != wire::kVersion)
    return wrong(fmt::format("it speaks version {} of the protocol, and this observer version {}.", hello.version,
                             wire::kVersion));
  if (!options_.token.empty() && !same_token(options_.token, hello.token)) return wrong("its token is wrong.");
  const auto at = programs_.find(hello.session);
  if (hello.role == wire::Role::Data) {
    if (at == programs_.end()) return wrong("a channel of a program that is not there.");
    connection->entry = at->second;
  } else {
    if (at != programs_.end()) return wrong("a second program of the same session.");
    auto entry = std::make_shared<Entry>();
    entry->peer = make_(hello);
    programs_.emplace(hello.session, entry);
    connection->entry = entry;
  }
  std::erase(strangers_, connection);
  connection->number = connection->entry->next_channel++;
  connection->entry->channels.insert(connection);
  return std::nullopt;
}

// A slice of its work; then all other programs have a turn.
void Server::Engine::work(const EntryPointer& entry) {
  const auto end = std::chrono::steady_clock::now() + kTurn;
  Work left = Work::Done;
  do left = entry->peer->work();
  while (left == Work::More && std::chrono::steady_clock::now() < end);
  entry->busy = left != Work::Done;
  entry->waits = left == Work::Waits;
  keep_within_memory();
  if (entry->waits) return;
  if (entry->busy) {
    asio::post(io_, [this, entry] { work(entry); });
    return;
  }
  std::vector<std::shared_ptr<Connection>> paused;
  paused.swap(entry->paused);
  for (const auto& connection : paused) {
    if (!entry->channels.contains(connection)) continue;
    std::vector<Message> answers;
    entry->peer->late_answers(connection->number, answers);
    for (const Message& answer : answers) connection->send(answer);
    if (entry->channels.contains(connection)) connection->read();
  }
  if (entry->channels.empty()) conclude(entry);
}

void Server::Engine::closed(const std::shared_ptr<Connection>& connection) {
  connections_.erase(connection);
  if (connection->entry == nullptr) std::erase(strangers_, connection);
  if (const EntryPointer entry = connection->entry) {
    entry->channels.erase(connection);
    if (entry->channels.empty() && !entry->busy) conclude(entry);
  }
  end_if_done();
}

// All programs share the memory: if they have outgrown it, the largest one gives its part back.
void Server::Engine::keep_within_memory() {
  const auto now = std::chrono::steady_clock::now();
  if (now < next_look_) return;
  next_look_ = now + kLook;
  std::uint64_t all = 0, most = 0;
  Peer* largest = nullptr;
  for (const auto& [session, entry] : programs_) {
    const std::uint64_t bytes = entry->peer->bytes();
    all += bytes;
    if (bytes > most) {
      most = bytes;
      largest = entry->peer.get();
    }
  }
  if (all > options_.most_bytes && largest != nullptr) largest->give_up_for_memory();
}

void Server::Engine::conclude(const EntryPointer& entry) {
  for (auto at = programs_.begin(); at != programs_.end(); ++at) {
    if (at->second != entry) continue;
    const EntryPointer keep = entry; // NOLINT: the entry in the table may be the one that was passed
    programs_.erase(at);
    served_ = served_ || keep->peer->introduced();
    keep->peer->conclude();
    break;
  }
  end_if_done();
}

void Server::Engine::end_if_done() {
  const bool done = programs_.empty() && connections_.empty();
  if (!(leaving_ && done) && !(options_.once && served_ && programs_.empty())) return;
  std::error_code ignored;
  if (local_) local_->close(ignored);
  if (tcp_) tcp_->close(ignored);
  rest_.cancel();
  signals_.cancel(ignored);
  const auto connections = connections_;
  for (const auto& connection : connections) connection->close();
}

void Server::Engine::stop() {
  leaving_ = true;
  const auto connections = connections_;
  for (const auto& connection : connections) connection->close();
  const auto programs = programs_; // a peer that waits has nothing to wait for any more
  for (const auto& [session, entry] : programs)
    if (std::exchange(entry->waits, false)) conclude(entry);
  end_if_done();
}

Server::Server(ServerOptions options, ServerSpeaker speaker) {
  const auto keep = std::make_shared<const ServerSpeaker>(std::move(speaker));
  const ProgramOptions program = options.program;
  engine_ = std::make_unique<Engine>(
      std::move(options),
      [keep, program](const Hello& hello) { return std::make_unique<CheckedPeer>(hello, program, *keep); }, keep->note);
}
Server::Server(ServerOptions options, PeerMaker make, std::function<void(const std::string&)> note)
    : engine_(std::make_unique<Engine>(std::move(options), std::move(make), std::move(note))) {}
Server::~Server() = default;
Result<Address> Server::listen(const Address& address) { return engine_->listen(address); }
void Server::run() { engine_->run(); }
void Server::stop() {
  asio::post(engine_->io(), [this] { engine_->stop(); });
}
void Server::stop_when_idle() { engine_->stop_when_idle(); }
void Server::resume() {
  asio::post(engine_->io(), [this] { engine_->resume(); });
}

} // namespace sooth::observe
