#include "trace/restore/decode_ahead.h"

#include <system_error>
#include <utility>

namespace sooth::trace {

DecodeAhead::DecodeAhead(std::vector<EventStream>& streams, std::uint64_t events) : streams_(streams) {
  if (events < kFewEvents || std::thread::hardware_concurrency() < 2) return;
  try {
    worker_ = std::thread([this] { work(); });
  } catch (const std::system_error&) { // no more threads: it is done here
  }
}

DecodeAhead::~DecodeAhead() {
  if (!worker_.joinable()) return;
  {
    const std::scoped_lock hold(mutex_);
    unwanted_ = true;
  }
  changed_.notify_all();
  worker_.join();
}

bool DecodeAhead::decode(std::vector<StampedEvent>& events) {
  for (; present_ < streams_.size(); ++present_)
    if (streams_[present_].take(events)) return true;
  return false;
}

void DecodeAhead::work() {
  std::vector<StampedEvent> events;
  for (bool more = true; more;) {
    more = decode(events);
    std::unique_lock hold(mutex_);
    changed_.wait(hold, [&] { return unwanted_ || ready_.size() < kAhead; });
    if (unwanted_) return;
    if (more) ready_.push_back(std::exchange(events, {}));
    over_ = !more;
    if (!spare_.empty()) { // with its memory
      events = std::move(spare_.front());
      spare_.pop_front();
    }
    hold.unlock();
    changed_.notify_all();
  }
}

bool DecodeAhead::next(std::vector<StampedEvent>& events) {
  if (!worker_.joinable()) return decode(events);
  std::unique_lock hold(mutex_);
  changed_.wait(hold, [&] { return over_ || !ready_.empty(); });
  if (ready_.empty()) return false;
  spare_.push_back(std::exchange(events, std::move(ready_.front())));
  ready_.pop_front();
  hold.unlock();
  changed_.notify_all();
  return true;
}

} // namespace sooth::trace
