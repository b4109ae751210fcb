#include "fleet/publisher.h"

#include <utility>

#include <fmt/format.h>

#include "fleet/followed_program.h"
#include "fleet/subjects.h"

namespace sooth::fleet {
namespace {

constexpr auto kPause = std::chrono::milliseconds(200);      // after the server did not take something
constexpr auto kAskEvery = std::chrono::milliseconds(250);   // how full the stream is, and ...
constexpr auto kAskWhenFull = std::chrono::milliseconds(50); // ... how full it is then
constexpr std::size_t kOverhead = 512;                       // of a record in the store, at most
constexpr auto kSameNote = std::chrono::minutes(1);          // before the user is told the same again

std::string_view without_stop(std::string_view sentence) {
  return sentence.ends_with('.') ? sentence.substr(0, sentence.size() - 1) : sentence;
}

} // namespace

Publisher::Publisher(Nats& nats, const PublisherOptions& options, std::unique_ptr<Spill> spill,
                     PublisherSpeaker speaker)
    : nats_(nats), options_(options), speaker_(std::move(speaker)), spill_(std::move(spill)) {
  nats_.set_when_stored([this](const std::string& name, const std::string& why) { stored(name, why); });
  thread_ = std::thread([this] { run(); });
}

Publisher::~Publisher() {
  nats_.set_when_stored({});
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

// Names are made from the record alone, so that one that was sent before a restart keeps its own.
Result<Publisher::Item> Publisher::item_of(Bytes payload) const {
  const auto record = decode_record(payload);
  if (!record) return record.error();
  Item item;
  if (const auto* announcement = std::get_if<Announcement>(&record.value())) {
    item.id = announcement->id;
    item.subject = announce_subject(nats_.stream(), item.id.text());
    item.name = item.id.text() + "-announce";
    item.is_announcement = true;
  } else if (const auto* frames = std::get_if<FramesRecord>(&record.value())) {
    item.id = frames->id;
    item.subject = data_subject(nats_.stream(), item.id.text());
    item.name = fmt::format("{}-{}", item.id.text(), frames->number);
  } else if (const auto* end = std::get_if<EndRecord>(&record.value())) {
    item.id = end->id;
    item.subject = data_subject(nats_.stream(), item.id.text());
    item.name = item.id.text() + "-end";
    item.is_end = true;
  } else {
    return Error{"a record that is not stored.", "", 0, 0};
  }
  item.payload = std::move(payload);
  return item;
}

bool Publisher::is_full() const {
  if (bytes_ < options_.most_memory) return false;
  return spill_ == nullptr || !spill_->has_room(kMostRecord);
}

bool Publisher::has_room() {
  const std::lock_guard lock(mutex_);
  somebody_waits_ = somebody_waits_ || is_full();
  return !is_full();
}

void Publisher::put(const Record& record) {
  Bytes payload = encode_record(record);
  {
    const std::lock_guard lock(mutex_);
    // Once something waits on disk, everything that is newer waits behind it.
    const bool busy = bytes_ >= options_.most_memory || !nats_.is_connected();
    const bool to_disk =
        spill_ != nullptr && (!spill_->empty() || busy) && spill_->has_room(payload.size()) && spill_->put(payload);
    if (!to_disk) {
      auto item = item_of(std::move(payload));
      if (!item) return; // too large: the caller has checked that
      if (item->is_announcement) unsafe_.insert(item->id);
      bytes_ += item->payload.size();
      waiting_.push_back(std::move(item.value()));
    }
  }
  changed_.notify_all();
}

bool Publisher::is_announced(const ProgramId& id) {
  const std::lock_guard lock(mutex_);
  return !unsafe_.contains(id);
}

bool Publisher::drain(std::chrono::milliseconds most) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(
      lock, most, [this] { return waiting_.empty() && sent_.empty() && (spill_ == nullptr || spill_->empty()); });
}

void Publisher::refill() {
  while (spill_ != nullptr && waiting_.size() < kMostUnderWay && !spill_->empty()) {
    auto payload = spill_->take();
    if (!payload) {
      speaker_.note("the spilled records cannot be read to their end; verdicts will lack them.");
      return;
    }
    auto item = item_of(*std::move(payload));
    if (!item) continue;
    bytes_ += item->payload.size();
    waiting_.push_back(std::move(item.value()));
  }
}

bool Publisher::may_send(const Item& item) const {
  if (!sent_.empty() && next_order_ - sent_.begin()->first >= kMostUnderWay) return false;
  return !unannounced_.contains(item.id) && !(item.is_end && unconfirmed_.contains(item.id));
}

// A server of version 2.9 drops the oldest message when a new one is over the limit by a few bytes
// only: it forgets its own overhead when it decides whether to refuse. So relays stop before that.
bool Publisher::stream_has_room(std::unique_lock<std::mutex>& lock, std::size_t bytes) {
  const auto fits = [&] {
    return stream_.most_bytes == 0 || stream_.bytes + sent_since_ + bytes + kOverhead < stream_.most_bytes / 10 * 9;
  };
  if (Clock::now() < asked_ + (fits() ? kAskEvery : kAskWhenFull)) return fits();
  std::uint64_t under_way = 0; // the server may have it or not
  for (const auto& [order, sent] : sent_) under_way += sent.item->payload.size() + kOverhead;
  lock.unlock();
  const auto state = nats_.state();
  lock.lock();
  asked_ = Clock::now();
  if (!state) {
    trouble_ = true;
    return false;
  }
  stream_ = state.value();
  sent_since_ = under_way;
  if (!fits()) note_now_and_then("the stream is full");
  return fits();
}

// The lock is not held while the library works: it may call `stored` from inside.
void Publisher::send(std::unique_lock<std::mutex>& lock, std::uint64_t order) {
  Sent& sent = sent_.at(order);
  sent.flying = true;
  const std::shared_ptr<const Item> item = sent.item;
  lock.unlock();
  const auto error = nats_.begin_storing(item->subject, item->name, item->payload);
  lock.lock();
  if (!error) return;
  if (const auto at = sent_.find(order); at != sent_.end()) at->second.flying = false;
  trouble_ = true;
  pause_ = Clock::now() + kPause;
  note_now_and_then(error->message);
}

// What was not confirmed first, then the next one. Whether something was sent.
bool Publisher::send_next(std::unique_lock<std::mutex>& lock) {
  if (Clock::now() < pause_) return false;
  for (const auto& [order, sent] : sent_)
    if (!sent.flying) {
      send(lock, order);
      return true;
    }
  if (waiting_.empty()) refill();
  if (waiting_.empty() || !may_send(waiting_.front())) return false;
  if (!stream_has_room(lock, waiting_.front().payload.size())) return false;
  sent_since_ += waiting_.front().payload.size() + kOverhead;
  const std::uint64_t order = next_order_++;
  const auto item = std::make_shared<const Item>(std::move(waiting_.front()));
  waiting_.pop_front();
  ++unconfirmed_[item->id];
  if (item->is_announcement) unannounced_.insert(item->id);
  orders_[item->name] = order;
  sent_.emplace(order, Sent{item, false});
  send(lock, order);
  return true;
}

void Publisher::run() {
  std::unique_lock lock(mutex_);
  while (!ends_) {
    if (trouble_ && Clock::now() >= pause_) {
      // The server may be new, and have no streams.
      lock.unlock();
      const auto error = nats_.make_streams(options_.stream_bytes);
      lock.lock();
      trouble_ = error.has_value();
      if (error) {
        note_now_and_then(error->message);
        pause_ = Clock::now() + kPause;
      }
    }
    if (!trouble_ && send_next(lock)) continue;
    changed_.wait_for(lock, waiting_.empty() ? kPause : kAskWhenFull);
  }
}

void Publisher::note_now_and_then(const std::string& why) {
  const auto now = Clock::now();
  if (why == told_ && now < told_at_ + kSameNote) return;
  told_ = why;
  told_at_ = now;
  if (speaker_.note) speaker_.note(fmt::format("NATS: {}; it is tried again until it works.", without_stop(why)));
}

// Called by the library, from a thread of its own.
void Publisher::stored(const std::string& name, const std::string& why) {
  bool room = false;
  std::optional<ProgramId> ended;
  {
    const std::lock_guard lock(mutex_);
    const auto at = orders_.find(name);
    if (at == orders_.end()) return;
    Sent& sent = sent_.at(at->second);
    if (!why.empty()) {
      sent.flying = false;
      trouble_ = true;
      pause_ = Clock::now() + kPause;
      note_now_and_then(why);
    } else {
      bytes_ -= sent.item->payload.size();
      const auto count = unconfirmed_.find(sent.item->id);
      if (--count->second == 0) unconfirmed_.erase(count);
      const bool announced = sent.item->is_announcement;
      if (announced) unannounced_.erase(sent.item->id);
      if (announced) unsafe_.erase(sent.item->id);
      if (sent.item->is_end) ended = sent.item->id;
      sent_.erase(at->second);
      orders_.erase(at);
      if (spill_ != nullptr && waiting_.empty() && sent_.empty()) spill_->settled();
      if (!is_full()) room = std::exchange(somebody_waits_, false);
      room = room || announced;
    }
  }
  changed_.notify_all();
  if (ended) speaker_.ended(*ended);
  if (room) speaker_.room();
}

} // namespace sooth::fleet
