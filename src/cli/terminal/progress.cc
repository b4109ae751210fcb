#include "cli/terminal/progress.h"

#include <algorithm>
#include <chrono>

#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/output.h"

namespace sooth::cli {

namespace {

constexpr unsigned kBarWidth = 20;

// Shows the finished parts, and the finished share of the present one.
std::string bar(unsigned done, unsigned all, std::size_t inner_done, std::size_t inner_all) {
  if (all == 0) return {};
  const double inner = inner_all == 0 ? 0 : static_cast<double>(inner_done) / static_cast<double>(inner_all);
  const auto filled = std::min(kBarWidth, static_cast<unsigned>(kBarWidth * (done + inner) / all));
  std::string out = " [" + std::string(filled, '=') + std::string(kBarWidth - filled, ' ') + "]";
  if (inner_all != 0) out += fmt::format(" {} of {}", inner_done, inner_all);
  return out;
}

std::size_t terminal_width() {
  winsize size = {};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

// Shortens the line to the terminal's width: a wrapped line could not be erased again.
std::string fitted(std::string what, const std::string& bar, const std::string& time) {
  const std::size_t room = terminal_width() - 1;
  if (what.size() + bar.size() + time.size() <= room) return what + bar + time;
  if (what.size() + time.size() > room) what.resize(room > time.size() ? room - time.size() : 0);
  return (what + time).substr(0, room);
}

} // namespace

ProgressLine::ProgressLine(std::string what) : what_(std::move(what)) {
  if (isatty(STDERR_FILENO) == 1) watcher_ = std::thread([this] { watch(); });
}

ProgressLine::~ProgressLine() {
  if (!watcher_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    finished_ = true;
  }
  changed_.notify_one();
  watcher_.join();
}

void ProgressLine::stage(std::string what, unsigned done, unsigned all) {
  const std::lock_guard lock(mutex_);
  what_ = std::move(what);
  parts_ = done;
  all_ = all;
  inner_done_ = inner_all_ = 0;
}

void ProgressLine::within(std::size_t done, std::size_t all) {
  const std::lock_guard lock(mutex_);
  inner_done_ = done;
  inner_all_ = all;
}

void ProgressLine::forget_line() {
  if (isatty(STDERR_FILENO) == 1) print_error_text("\r\033[K");
}

void ProgressLine::watch() {
  std::unique_lock lock(mutex_);
  bool shown = false;
  for (int seconds = 1; !changed_.wait_for(lock, std::chrono::seconds(1), [this] { return finished_; }); ++seconds) {
    const std::string time = fmt::format(" ... {} s", seconds);
    print_error_text("\r\033[K" + fitted(what_, bar(parts_, all_, inner_done_, inner_all_), time));
    shown = true;
  }
  if (shown) print_error_text("\r\033[K");
}

} // namespace sooth::cli
