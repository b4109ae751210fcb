#include "fleet/relay.h"

#include <algorithm>
#include <condition_variable>
#include <map>
#include <mutex>
#include <set>
#include <thread>

#include <fmt/format.h>

#include "fleet/subjects.h"
#include "observe/wrong.h"

namespace sooth::fleet {
namespace {

constexpr std::size_t kRecordBytes = std::size_t{128} << 10; // a record is not made longer than this, if it can
constexpr std::size_t kMostFrame = kMostRecord - 1024;       // the rest is for the record's own fields

bool only_observers_send(const observe::Message& message) {
  return std::visit(
      []<typename M>(const M&) {
        using namespace observe;
        return std::is_same_v<M, Welcome> || std::is_same_v<M, Refused> || std::is_same_v<M, Later> ||
               std::is_same_v<M, Table> || std::is_same_v<M, Ack> || std::is_same_v<M, Stop> || std::is_same_v<M, Call>;
      },
      message);
}

bool belongs_to_handshake(const observe::Message& message) {
  return std::holds_alternative<observe::ModulePart>(message) || std::holds_alternative<observe::SymbolsSent>(message);
}

class RelayedPeer : public observe::Peer {
public:
  RelayedPeer(const observe::Hello& hello, const observe::ProgramOptions& options, ProgramId id, Publisher& publisher)
      : answering_(hello, options, {[](const report::Report&) {}, [](const std::string&) {}}), id_(id),
        publisher_(publisher) {}

  const observe::Hello& hello() const override { return answering_.hello(); }

  std::optional<Error> take(std::uint32_t channel, const observe::Message& message, std::span<const std::uint8_t> body,
                            std::vector<observe::Message>& answers) override {
    if (only_observers_send(message)) return observe::wrong("a message that only an observer sends.");
    if (body.size() > kMostFrame)
      return observe::wrong(fmt::format("a message of {} bytes; a relay takes {}.", body.size(), kMostFrame));
    if (asks_ || belongs_to_handshake(message)) {
      if (auto error = answering_.take(message, answers)) return error;
      for (const observe::Message& answer : answers)
        if (const auto* table = std::get_if<observe::Table>(&answer)) asks_ = table->asks();
    }
    // A program does not begin before the fleet is certain to know of it.
    if (belongs_to_handshake(message)) {
      auto& late = late_[channel];
      late.insert(late.end(), answers.begin(), answers.end());
      answers.clear();
    }
    if (!std::holds_alternative<observe::AskMessage>(message)) keep(channel, body); // it is answered here
    return std::nullopt;
  }

  observe::Work work() override {
    for (; sent_ < kept_.size(); ++sent_) {
      if (!publisher_.has_room()) return observe::Work::Waits;
      publisher_.put(kept_[sent_]);
    }
    kept_.clear();
    sent_ = 0;
    return late_.empty() || publisher_.is_announced(id_) ? observe::Work::Done : observe::Work::Waits;
  }

  void late_answers(std::uint32_t channel, std::vector<observe::Message>& answers) override {
    const auto at = late_.find(channel);
    if (at == late_.end()) return;
    answers = std::move(at->second);
    late_.erase(at);
  }

  bool introduced() const override { return answering_.introduced(); }
  std::uint64_t bytes() const override { return answering_.bytes(); }
  void give_up_for_memory() override { answering_.give_up_for_memory(); }

  void conclude() override {
    for (; sent_ < kept_.size(); ++sent_) publisher_.put(kept_[sent_]);
    publisher_.put(EndRecord{id_, number_});
  }

private:
  void keep(std::uint32_t channel, std::span<const std::uint8_t> body) {
    if (sent_ == kept_.size() || kept_.back().channel != channel ||
        kept_.back().frames.size() + body.size() > kRecordBytes)
      kept_.push_back({id_, number_++, channel, {}});
    Bytes& frames = kept_.back().frames;
    std::uint8_t length[observe::wire::kLengthBytes];
    observe::wire::put_length(length, body.size());
    frames.insert(frames.end(), std::begin(length), std::end(length));
    frames.insert(frames.end(), body.begin(), body.end());
  }

  observe::ObservedProgram answering_; // only for answers; it sees events only if they are asked about
  ProgramId id_;
  Publisher& publisher_;
  bool asks_ = false;
  std::map<std::uint32_t, std::vector<observe::Message>> late_; // answers, by channel
  std::uint64_t number_ = 0;                                    // of the next record
  std::vector<FramesRecord> kept_; // those from sent_ on are not given to the publisher yet
  std::size_t sent_ = 0;
};

} // namespace

class Relay::Engine {
public:
  Engine(RelayOptions options, std::function<void(const std::string&)> note)
      : options_(std::move(options)), note_(std::move(note)),
        server_(options_.server, [this](const observe::Hello& hello) { return make(hello); }, note_) {}

  ~Engine() {
    {
      const std::lock_guard lock(mutex_);
      ends_ = true;
    }
    changed_.notify_all();
    if (beating_.joinable()) beating_.join();
    publisher_.reset();
  }

  Result<observe::Address> listen(const observe::Address& address) {
    auto nats = Nats::open(options_.nats, "sooth relay " + options_.name, note_);
    if (!nats) return nats.error();
    nats_ = std::move(nats.value());
    std::unique_ptr<Spill> spill;
    if (!options_.spill_file.empty()) {
      auto opened = Spill::open(options_.spill_file, options_.spill_bytes);
      if (!opened) return opened.error();
      spill = std::move(opened.value());
    }
    auto listening = server_.listen(address);
    if (!listening) return listening;
    publisher_ = std::make_unique<Publisher>(
        *nats_, options_.publisher, std::move(spill),
        PublisherSpeaker{[this] { server_.resume(); }, [this](const ProgramId& id) { forget(id); }, note_});
    beating_ = std::thread([this] { beat(); });
    return listening;
  }

  bool run() {
    server_.run();
    return publisher_->drain(options_.last_words);
  }

private:
  std::unique_ptr<observe::Peer> make(const observe::Hello& hello) {
    const ProgramId id = random_id();
    const observe::ProgramOptions& program = options_.server.program;
    {
      const std::lock_guard lock(mutex_);
      open_.insert(id);
    }
    publisher_->put(
        Announcement{id, options_.name, hello.program, hello.pid, program.property_name, program.property_text});
    return std::make_unique<RelayedPeer>(hello, program, id, *publisher_);
  }

  void forget(const ProgramId& id) {
    const std::lock_guard lock(mutex_);
    open_.erase(id);
  }

  void beat() {
    std::unique_lock lock(mutex_);
    while (!ends_) {
      const std::vector<ProgramId> open(open_.begin(), open_.end());
      lock.unlock();
      for (std::size_t i = 0; i < open.size(); i += kMostAlive) {
        const auto n = std::min(kMostAlive, open.size() - i);
        const auto from = open.begin() + static_cast<std::ptrdiff_t>(i);
        nats_->tell(alive_subject(nats_->stream()),
                    encode_record(AliveRecord{options_.name, {from, from + static_cast<std::ptrdiff_t>(n)}}));
      }
      lock.lock();
      changed_.wait_for(lock, options_.alive, [this] { return ends_; });
    }
  }

  RelayOptions options_;
  std::function<void(const std::string&)> note_;
  std::unique_ptr<Nats> nats_;
  observe::Server server_;
  std::unique_ptr<Publisher> publisher_;
  std::mutex mutex_; // of the two below
  std::set<ProgramId> open_;
  bool ends_ = false;
  std::condition_variable changed_;
  std::thread beating_;
};

Relay::Relay(RelayOptions options, std::function<void(const std::string&)> note)
    : engine_(std::make_unique<Engine>(std::move(options), std::move(note))) {}
Relay::~Relay() = default;
Result<observe::Address> Relay::listen(const observe::Address& address) { return engine_->listen(address); }
bool Relay::run() { return engine_->run(); }

} // namespace sooth::fleet
