#include "cli/load.h"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include <unistd.h>

#include "cli/output.h"
#include "trace/reader.h"

namespace sooth::cli {

namespace {

// One line on the terminal while something takes longer than a second; nothing where nobody watches.
class Progress {
public:
  explicit Progress(std::string what) {
    if (isatty(STDERR_FILENO) == 1) watcher_ = std::thread([this, what = std::move(what)] { watch(what); });
  }
  ~Progress() {
    if (!watcher_.joinable()) return;
    {
      const std::lock_guard lock(mutex_);
      done_ = true;
    }
    changed_.notify_one();
    watcher_.join();
  }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

private:
  void watch(const std::string& what) {
    std::unique_lock lock(mutex_);
    bool shown = false;
    for (int seconds = 1; !changed_.wait_for(lock, std::chrono::seconds(1), [this] { return done_; }); ++seconds) {
      print_error_text(fmt::format("\r{} ... {} s", what, seconds));
      shown = true;
    }
    if (shown) print_error_text("\r\033[K");
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  bool done_ = false; // guarded by mutex_
  std::thread watcher_;
};

} // namespace

std::optional<trace::Trace> load_trace(const std::string& path) {
  const auto read = [&] {
    const Progress progress("reading " + path);
    return trace::read_trace(path);
  };
  Result<trace::Trace> result = read();
  if (!result) {
    complain(result.error().text());
    return std::nullopt;
  }
  for (const std::string& note : result->notes) complain(note);
  return std::move(*result);
}

} // namespace sooth::cli
