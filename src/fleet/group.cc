#include "fleet/group.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "fleet/followed_program.h"
#include "fleet/reader.h"
#include "fleet/subjects.h"
#include "fleet/verdict.h"
#include "report/json.h"

namespace sooth::fleet {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kTurn{250};       // of waiting for records
constexpr milliseconds kRetry{200};      // after an error of the server
constexpr milliseconds kTellEvery{1000}; // a verdict so far
constexpr std::uint64_t kLevels = 64;    // of the lattice, before the lease is looked at

std::span<const std::uint8_t> bytes_of(const std::string& text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

} // namespace

// When relays last said that they have a program.
class SignsOfLife {
public:
  void heard(const Stored& message) {
    const auto record = decode_record(message.payload);
    if (!record) return;
    const auto* alive = std::get_if<AliveRecord>(&record.value());
    if (alive == nullptr) return;
    const std::lock_guard lock(mutex_);
    const auto now = Clock::now();
    for (const ProgramId& id : alive->programs)
      if (const auto at = last_.find(id); at != last_.end()) at->second = now;
  }
  void follow(const ProgramId& id) {
    const std::lock_guard lock(mutex_);
    last_[id] = Clock::now();
  }
  void leave(const ProgramId& id) {
    const std::lock_guard lock(mutex_);
    last_.erase(id);
  }
  Clock::time_point last(const ProgramId& id) {
    const std::lock_guard lock(mutex_);
    return last_[id];
  }

private:
  std::mutex mutex_;
  std::map<ProgramId, Clock::time_point> last_; // of the programs that are followed here
};

class Group::Engine {
public:
  Engine(GroupOptions options, observe::ServerSpeaker speaker)
      : options_(std::move(options)), speaker_(std::move(speaker)) {}

  std::optional<Error> open();
  void run();
  void stop() { ends_ = true; }

private:
  class Following;
  void look_at_pressure();
  void start(Lease lease);
  std::optional<Announcement> announcement_of(const Lease& lease);

  GroupOptions options_;
  observe::ServerSpeaker speaker_;
  std::mutex speaking_;
  std::unique_ptr<Nats> nats_;
  SignsOfLife signs_;
  std::atomic<bool> ends_ = false;
  std::atomic<bool> pressure_ = false; // the stream is more than half full
  std::atomic<std::size_t> running_ = 0;
  std::atomic<std::uint64_t> bytes_ = 0; // that all programs take
  Clock::time_point next_look_;
};

// One program, from its announcement to its verdict; has a thread of its own.
class Group::Engine::Following {
public:
  Following(Engine& engine, Lease lease, const Announcement& announcement)
      : engine_(engine), lease_(std::move(lease)), announcement_(announcement), id_(announcement.id.text()),
        program_(
            announcement, engine.options_.program,
            {[this](const report::Report& report) { found(report); }, [this](const std::string& note) { say(note); }}),
        reader_(*engine.nats_, engine.nats_->stream(), data_subject(engine.nats_->stream(), id_), false) {
    verdict_.id = announcement.id;
    verdict_.program = announcement.program;
    verdict_.pid = announcement.pid;
    verdict_.relay = announcement.relay;
    verdict_.observer = engine.options_.name;
    verdict_.property = announcement.property_name;
    engine.signs_.follow(announcement.id);
  }
  ~Following() {
    engine_.bytes_ -= bytes_;
    engine_.signs_.leave(announcement_.id);
  }
  Following(const Following&) = delete;
  Following& operator=(const Following&) = delete;

  void run() {
    if (!has_verdict()) {
      while (!is_over() && !taken_)
        if (engine_.ends_) return lease_.give_back();
      if (!taken_) conclude();
      if (!taken_ && !publish_final()) return lease_.give_back();
    }
    if (!taken_) clear();
  }

private:
  void say(const std::string& note) {
    const std::lock_guard lock(engine_.speaking_);
    engine_.speaker_.note(announcement_.program + ": " + note);
  }
  void found(const report::Report& report) {
    tell_now_ = true;
    const std::lock_guard lock(engine_.speaking_);
    engine_.speaker_.finding(program_.program(), report);
  }

  // Another observer may have been killed just after it had stored its verdict.
  bool has_verdict() {
    while (!engine_.ends_) {
      const auto stored = engine_.nats_->newest(verdict_stream(engine_.nats_->stream()), subject());
      if (!stored) {
        pause();
        continue;
      }
      if (!stored.value()) return false;
      sequence_ = stored.value()->sequence;
      const auto verdict = decode_verdict(
          {reinterpret_cast<const char*>(stored.value()->payload.data()), stored.value()->payload.size()});
      if (!verdict || verdict.value().id != announcement_.id) return false;
      if (verdict.value().final) return true;
      earlier_ = verdict.value().findings;
      return false;
    }
    return false;
  }

  // One turn: whether the program has ended, or was left by its relay.
  bool is_over() {
    renew();
    auto records = reader_.next(kTurn);
    if (!records) {
      pause();
      return false;
    }
    for (const Stored& stored : records.value()) take(stored);
    while (program_.advance(kLevels)) renew();
    if (!records.value().empty()) verdict_.waiting = records.value().back().waiting;
    weigh();
    drop_what_was_received();
    tell_now_and_then();
    if (!records.value().empty()) asked_again_ = false;
    if (program_.ended()) return records.value().empty() || verdict_.waiting == 0;
    if (!records.value().empty() || !left_by_relay()) return false;
    // Perhaps it is this reader that nobody talks to.
    if (asked_again_) return true;
    asked_again_ = true;
    reader_.start_again();
    return false;
  }

  void take(const Stored& stored) {
    const auto record = decode_record(stored.payload);
    const auto error = record ? program_.take(record.value()) : std::optional(record.error());
    received_ = stored.sequence;
    if (!error) return;
    if (++wrong_records_ == 1) say(error->message + " Such records are left out, and counted.");
  }

  // All programs together keep to the bound: one with more than its share gives up.
  void weigh() {
    const std::uint64_t bytes = program_.program().bytes();
    engine_.bytes_ += bytes - std::exchange(bytes_, bytes); // modulo 2^64 where it is less than before
    if (engine_.bytes_ > engine_.options_.most_bytes && bytes > engine_.options_.most_bytes / engine_.running_)
      program_.give_up_for_memory();
  }

  void renew() {
    if (Clock::now() < renewed_ + engine_.options_.lease / 3) return;
    renewed_ = Clock::now();
    lease_.renew();
  }

  // Only time counts in which it could have been heard.
  bool left_by_relay() {
    const auto last = std::max(engine_.signs_.last(announcement_.id), engine_.nats_->connected_since());
    return Clock::now() > last + engine_.options_.lease;
  }

  void drop_what_was_received() {
    if (!engine_.pressure_ || received_ == dropped_ || Clock::now() < next_drop_) return;
    next_drop_ = Clock::now() + kTurn;
    if (!engine_.nats_->forget(data_subject(engine_.nats_->stream(), id_), received_ + 1)) dropped_ = received_;
  }

  std::string subject() const { return verdict_subject(engine_.nats_->stream(), id_); }

  void fill_verdict() {
    fill(verdict_, program_.program().report());
    verdict_.records = program_.records();
    // Findings of an observer that was killed stay true, even if their records are gone.
    for (const Verdict::Found& found : earlier_)
      if (std::ranges::find(verdict_.findings, found) == verdict_.findings.end()) verdict_.findings.push_back(found);
  }

  void tell_now_and_then() {
    if (!tell_now_ && Clock::now() < told_ + kTellEvery) return;
    tell_now_ = false;
    told_ = Clock::now();
    fill_verdict();
    const std::string text = encode_verdict(verdict_);
    if (text != last_told_ && publish(text)) last_told_ = text;
  }

  // If somebody else has published a verdict since, the lease was lost: the program is that one's.
  bool publish(const std::string& text) {
    const auto stored = engine_.nats_->store(subject(), bytes_of(text), sequence_);
    if (stored) {
      sequence_ = stored.value();
      return true;
    }
    const auto newest = engine_.nats_->newest(verdict_stream(engine_.nats_->stream()), subject());
    if (!newest) return false; // the server is away
    const std::uint64_t sequence = newest.value() ? newest.value()->sequence : 0;
    const bool ours = newest.value() && std::ranges::equal(newest.value()->payload, bytes_of(text));
    taken_ = !ours && sequence != sequence_;
    if (ours) sequence_ = sequence;
    return ours;
  }

  void conclude() {
    program_.conclude();
    if (wrong_records_ != 0) program_.lack("wrongRecords", wrong_records_, "records that were refused");
    fill_verdict();
    const report::Report& report = program_.program().report();
    verdict_.final = true;
    verdict_.waiting = 0;
    verdict_.complete = report.coverage.complete;
    verdict_.report = report::json(report);
  }

  bool publish_final() {
    const std::string text = encode_verdict(verdict_);
    while (!publish(text)) {
      if (taken_) return true;
      if (engine_.ends_) return false;
      renew();
      pause();
    }
    const std::lock_guard lock(engine_.speaking_);
    engine_.speaker_.end(program_.program());
    return true;
  }

  // The verdict is there: nobody needs the records any more. Whatever fails here is done by the
  // observer that gets the program next.
  void clear() {
    const std::string& stream = engine_.nats_->stream();
    for (int i = 0; i < 10 && !engine_.ends_; ++i) {
      if (!engine_.nats_->forget(data_subject(stream, id_)) && lease_.done() &&
          !engine_.nats_->forget_one(lease_.stored().sequence))
        return;
      pause();
    }
  }

  static void pause() { std::this_thread::sleep_for(kRetry); }

  Engine& engine_;
  Lease lease_;
  Announcement announcement_;
  std::string id_;
  FollowedProgram program_;
  Reader reader_;
  Verdict verdict_;
  std::vector<Verdict::Found> earlier_;
  std::string last_told_;
  std::uint64_t wrong_records_ = 0;
  std::uint64_t bytes_ = 0;    // that the program takes
  std::uint64_t sequence_ = 0; // of the newest verdict, as far as this observer knows
  bool taken_ = false;         // by another observer
  bool asked_again_ = false;   // whether there are records, before its relay is taken for dead
  bool tell_now_ = true;
  std::uint64_t received_ = 0; // the last sequence up to which records have come ...
  std::uint64_t dropped_ = 0;  // ... and up to which they were deleted
  Clock::time_point renewed_, told_, next_drop_;
};

std::optional<Error> Group::Engine::open() {
  auto nats = Nats::open(options_.nats, "sooth observe " + options_.name, [this](const std::string& note) {
    const std::lock_guard lock(speaking_);
    speaker_.note(note);
  });
  if (!nats) return nats.error();
  nats_ = std::move(nats.value());
  return nats_->listen(alive_subject(nats_->stream()), [this](const Stored& message) { signs_.heard(message); });
}

std::optional<Announcement> Group::Engine::announcement_of(const Lease& lease) {
  auto record = decode_record(lease.stored().payload);
  std::string why = "an announcement that is none.";
  if (!record) {
    why = record.error().message;
  } else if (auto* announcement = std::get_if<Announcement>(&record.value())) {
    if (announce_subject(nats_->stream(), announcement->id.text()) == lease.stored().subject)
      return std::move(*announcement);
    why = "an announcement of another program.";
  }
  const std::lock_guard lock(speaking_);
  speaker_.note(why + " It is left out.");
  return std::nullopt;
}

void Group::Engine::start(Lease lease) {
  auto announcement = announcement_of(lease);
  if (!announcement) {
    lease.done();
    return;
  }
  ++running_;
  std::thread([this, announcement = *std::move(announcement), held = std::make_shared<Lease>(std::move(lease))] {
    Following(*this, std::move(*held), announcement).run();
    if (options_.once) ends_ = true;
    --running_;
  }).detach();
}

void Group::Engine::look_at_pressure() {
  if (Clock::now() < next_look_) return;
  next_look_ = Clock::now() + kTellEvery;
  const auto state = nats_->state();
  if (state) pressure_ = state.value().most_bytes != 0 && state.value().bytes > state.value().most_bytes / 2;
}

void Group::Engine::run() {
  Queue queue(*nats_, announce_subject(nats_->stream(), "*"), kObservers, options_.lease);
  while (!ends_) {
    look_at_pressure();
    if (running_ >= options_.most_programs || (options_.once && running_ != 0)) {
      std::this_thread::sleep_for(kRetry);
      continue;
    }
    auto lease = queue.take(kTurn);
    if (!lease) {
      nats_->make_streams(options_.stream_bytes); // the server may be new
      std::this_thread::sleep_for(kRetry);
    } else if (lease.value()) {
      start(*std::move(lease.value()));
    }
  }
  while (running_ != 0) std::this_thread::sleep_for(milliseconds(10)); // they have seen `ends_`
}

Group::Group(GroupOptions options, observe::ServerSpeaker speaker)
    : engine_(std::make_unique<Engine>(std::move(options), std::move(speaker))) {}
Group::~Group() = default;
std::optional<Error> Group::open() { return engine_->open(); }
void Group::run() { engine_->run(); }
void Group::stop() { engine_->stop(); }

} // namespace sooth::fleet
