// Progress: one line on the terminal while a step takes longer than a second; nothing if standard
// error is not a terminal.
#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

#include "analysis/progress.h"

namespace sooth::cli {

class ProgressLine : public analysis::Progress {
public:
  explicit ProgressLine(std::string what);
  ~ProgressLine() override;
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void stage(std::string what, unsigned done, unsigned all) override;
  void within(std::size_t done, std::size_t all) override;

  // Erases the line of a process that was ended while it showed one.
  static void forget_line();

private:
  void watch();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::string what_;                           // guarded by mutex_, like the following ones
  unsigned parts_ = 0;                         // finished
  unsigned all_ = 0;                           // 0: unknown
  std::size_t inner_done_ = 0, inner_all_ = 0; // of the present part; 0: unknown
  bool finished_ = false;
  std::thread watcher_;
};

} // namespace sooth::cli
