// Watches a program while it runs: ends it when its time is up, and notices when it stands still.
//
// A program stands still if each of its threads waits for something that only another one of them
// could give, and nothing can come from outside. The first page of its trace says how many threads
// wait. If these are all threads that the kernel knows, and none has begun to wait since the last
// check, the trace is read and judged (predict/deadlocks/waiting_at_end.h). So a running program
// costs a look at one page.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include <sys/types.h>

namespace sooth::cli {

struct WatchOptions {
  double timeout = 0; // seconds; 0: none
  std::string trace;  // where the program writes its trace; empty: do not check whether it stands still
  bool keep = false;  // do not end a program that stands still
  std::function<void()> on_standstill; // called once, while the program still stands there
};

class Watch {
public:
  explicit Watch(WatchOptions options) : options_(std::move(options)) {}

  // Returns when the process has ended; the caller still has to wait for it.
  void operator()(pid_t program);

  bool timed_out() const { return timed_out_; }
  bool stood_still() const { return stood_still_; }

private:
  bool ended_within(int milliseconds) const;
  void end();
  bool stands_still();

  WatchOptions options_;
  pid_t program_ = 0;
  int handle_ = -1; // of the process
  std::uint64_t seen_waits_ = 0, asked_waits_ = 0;
  int looks_awake_ = 0;
  bool timed_out_ = false, stood_still_ = false;
};

} // namespace sooth::cli
