// The relay's way into the stream: records go in, in order, and are stored once each, whatever the
// server does meanwhile.
//
// A record that the server did not confirm is sent again under the same name, which makes repeats
// harmless. At most kMostUnderWay records are sent before the oldest unconfirmed one is confirmed;
// readers count on that. A program's records are sent when its announcement is confirmed, so that a
// stream cannot fill up with records that no observer knows of; and its end is sent when everything
// before it is confirmed.
//
// For several threads at once. Memory: `most_memory`, and what one program puts after `has_room`.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>

#include "fleet/nats.h"
#include "fleet/record.h"
#include "fleet/spill.h"

namespace sooth::fleet {

struct PublisherOptions {
  std::size_t most_memory = std::size_t{8} << 20;
  std::uint64_t stream_bytes = std::uint64_t{1} << 30; // of the stream, if it has to be made
};

struct PublisherSpeaker {
  std::function<void()> room;                        // there is some again
  std::function<void(const ProgramId&)> ended;       // the program's end is stored
  std::function<void(const std::string&)> note = {}; // a sentence for the user
};

class Publisher {
public:
  // `spill` may be null: then there is room in memory only.
  Publisher(Nats& nats, const PublisherOptions& options, std::unique_ptr<Spill> spill, PublisherSpeaker speaker);
  ~Publisher(); // what is not stored by then is lost
  Publisher(const Publisher&) = delete;
  Publisher& operator=(const Publisher&) = delete;

  // If not, `room` is called when there is.
  bool has_room();
  void put(const Record& record);
  // Whether the program's announcement is stored, or waits on disk. If not, `room` is called then.
  bool is_announced(const ProgramId& id);
  // Waits until everything is stored, at most so long. Whether it is.
  bool drain(std::chrono::milliseconds most);

private:
  struct Item {
    std::string subject, name;
    Bytes payload;
    ProgramId id;
    bool is_announcement = false, is_end = false;
  };
  struct Sent {
    std::shared_ptr<const Item> item; // the library may still work on it when the server has answered
    bool flying = false;              // the server has not answered yet
  };
  Result<Item> item_of(Bytes payload) const;
  void run();
  void refill();
  bool send_next(std::unique_lock<std::mutex>& lock);
  void send(std::unique_lock<std::mutex>& lock, std::uint64_t order);
  void stored(const std::string& name, const std::string& why);
  bool may_send(const Item& item) const;
  bool stream_has_room(std::unique_lock<std::mutex>& lock, std::size_t bytes);
  bool is_full() const;
  void note_now_and_then(const std::string& why);

  Nats& nats_;
  const PublisherOptions options_;
  const PublisherSpeaker speaker_;

  std::mutex mutex_; // of everything below
  std::condition_variable changed_;
  std::unique_ptr<Spill> spill_;
  std::deque<Item> waiting_;
  std::map<std::uint64_t, Sent> sent_;             // by order; not confirmed
  std::map<std::string, std::uint64_t> orders_;    // of sent_, by name
  std::map<ProgramId, std::uint64_t> unconfirmed_; // of sent_
  std::set<ProgramId> unannounced_;                // announcements of sent_ ...
  std::set<ProgramId> unsafe_;                     // ... and all that would be lost with this process
  std::uint64_t next_order_ = 0;
  std::size_t bytes_ = 0;        // of waiting_ and sent_
  bool trouble_ = true;          // something was not taken: are the streams there?
  Clock::time_point pause_;      // nothing is sent before
  StreamState stream_;           // when it was last asked for ...
  Clock::time_point asked_;      // ... then
  std::uint64_t sent_since_ = 0; // bytes, at least
  std::string told_;             // to the user, and when
  Clock::time_point told_at_;
  bool somebody_waits_ = false;
  bool ends_ = false;

  std::thread thread_;
};

} // namespace sooth::fleet
