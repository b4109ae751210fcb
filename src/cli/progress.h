// One line on the terminal while something takes longer than a second; nothing where nobody watches.
#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace sooth::cli {

class Progress {
public:
  explicit Progress(std::string what);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // What is being done from now on, and how much of it is over: `done` of `all` parts.
  void stage(std::string what, unsigned done, unsigned all);
  // How much of the present part is over.
  void within(std::size_t done, std::size_t all);

  // Takes away the line of a process that was ended while it showed one.
  static void forget_line();

private:
  void watch();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::string what_;                           // guarded by mutex_, as the following ones
  unsigned parts_ = 0;                         // over
  unsigned all_ = 0;                           // 0: nobody knows
  std::size_t inner_done_ = 0, inner_all_ = 0; // of the present part; 0: nobody knows
  bool finished_ = false;
  std::thread watcher_;
};

} // namespace sooth::cli
