#include "cli/terminal/terminal.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string_view>

#include <sys/ioctl.h>
#include <unistd.h>

namespace sooth::cli {

namespace {

constexpr std::size_t kNarrowest = 40;
constexpr std::size_t kWidest = 200; // longer lines are hard to read

bool wants_colour() {
  const auto value = [](const char* name) -> std::string_view {
    const char* text = std::getenv(name);
    return text != nullptr ? text : "";
  };
  return isatty(STDERR_FILENO) == 1 && value("NO_COLOR").empty() && value("TERM") != "dumb";
}

} // namespace

report::TextOptions text_options(report::Detail detail) {
  report::TextOptions out;
  out.detail = detail;
  out.color = wants_colour();
  std::error_code ignored;
  out.here = std::filesystem::current_path(ignored).string();
  winsize size = {};
  if (isatty(STDERR_FILENO) == 1 && ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col != 0)
    out.width = std::clamp<std::size_t>(size.ws_col, kNarrowest, kWidest);
  return out;
}

} // namespace sooth::cli
