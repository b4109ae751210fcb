#include "cli/progress.h"

#include <chrono>

#include <unistd.h>

#include "cli/output.h"

namespace sooth::cli {

namespace {

constexpr unsigned kBarWidth = 20;

std::string bar(unsigned done, unsigned all) {
  if (all == 0) return {};
  const unsigned filled = kBarWidth * done / all;
  return " [" + std::string(filled, '=') + std::string(kBarWidth - filled, ' ') + "]";
}

} // namespace

Progress::Progress(std::string what) : what_(std::move(what)) {
  if (isatty(STDERR_FILENO) == 1) watcher_ = std::thread([this] { watch(); });
}

Progress::~Progress() {
  if (!watcher_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    finished_ = true;
  }
  changed_.notify_one();
  watcher_.join();
}

void Progress::stage(std::string what, unsigned done, unsigned all) {
  const std::lock_guard lock(mutex_);
  what_ = std::move(what);
  parts_ = done;
  all_ = all;
}

void Progress::watch() {
  std::unique_lock lock(mutex_);
  bool shown = false;
  for (int seconds = 1; !changed_.wait_for(lock, std::chrono::seconds(1), [this] { return finished_; }); ++seconds) {
    print_error_text(fmt::format("\r\033[K{}{} ... {} s", what_, bar(parts_, all_), seconds));
    shown = true;
  }
  if (shown) print_error_text("\r\033[K");
}

} // namespace sooth::cli
