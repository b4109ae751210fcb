// Decodes the streams of a file, one thread's after the other's, on a core of its own.
//
//     worker    decode chunk 4 | chunk 5 | chunk 6 ...        reads, unpacks, makes events
//     caller    look at chunk 1 | chunk 2 | chunk 3 ...       the sieve's first pass
//
// Question: what are the events of each thread, in its order? Nothing else is said: that is enough
//   for a first pass over the file, which needs no order between threads.
// Cost: at most kAhead chunks are decoded and not taken. Short files, and machines that give no
//   further thread, are decoded in the caller's thread.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

#include "trace/file/event_stream.h"

namespace sooth::trace {

class DecodeAhead {
public:
  // `events`: how many there are, roughly. Nobody else uses the streams, or what they count into,
  // until this object is gone or next() has returned false.
  DecodeAhead(std::vector<EventStream>& streams, std::uint64_t events);
  ~DecodeAhead();
  DecodeAhead(const DecodeAhead&) = delete;
  DecodeAhead& operator=(const DecodeAhead&) = delete;

  // Some events of one thread. False: there are no more.
  bool next(std::vector<StampedEvent>& events);

private:
  static constexpr std::size_t kAhead = 4;
  static constexpr std::uint64_t kFewEvents = 1 << 16;

  bool decode(std::vector<StampedEvent>& events);
  void work();

  std::vector<EventStream>& streams_;
  std::size_t present_ = 0; // stream; of the worker, if there is one

  std::mutex mutex_; // for all below
  std::condition_variable changed_;
  std::deque<std::vector<StampedEvent>> ready_, spare_;
  bool over_ = false;     // all is decoded
  bool unwanted_ = false; // nobody will take more
  std::thread worker_;
};

} // namespace sooth::trace
