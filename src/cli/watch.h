// Looks after a program while it runs: ends it when its time is up, and notices when it stands still.
//
// A program stands still if each of its threads waits for what only another one of them could give, and nothing can come from
// outside. The first page of its trace says how many threads wait; if that is all that the kernel knows of, and none has begun to
// wait since the last look, the trace is read and asked (predict/deadlocks/waiting_at_end.h). So a program that runs costs a look at one page.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include <sys/types.h>

namespace sooth::cli {

struct WatchOptions {
  double timeout = 0; // seconds; 0: none
  std::string trace;  // where the program writes its trace; empty: nobody looks whether it stands still
  bool keep = false;  // a program that stands still is not ended
  std::function<void()> on_standstill; // called once, while the program still stands there
};

class Watch {
public:
  explicit Watch(WatchOptions options) : options_(std::move(options)) {}

  // Returns when the process has ended, which somebody still has to wait for.
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
  bool timed_out_ = false, stood_still_ = false;
};

} // namespace sooth::cli
