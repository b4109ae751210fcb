#include "cli/replaying/stepping.h"

#include <algorithm>
#include <string>

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <fmt/format.h>

#include "cli/output.h"
#include "cli/replaying/replaying.h"
#include "cli/terminal/terminal.h"
#include "report/terminal/printable.h"
#include "report/terminal/table.h"

namespace sooth::cli {

namespace {

constexpr std::uint32_t kStepsShown = 40; // the last ones of a longer schedule
constexpr std::size_t kWidestColumn = 22, kNarrowestColumn = 8;

std::string what(const ReplayStop& event, bool failed) {
  const bool access = event.size != 0 && event.size <= sizeof event.value;
  return fmt::format("{}{}{}", event.kind, access ? fmt::format(" {:#x}", event.value) : "", failed ? " (failed)" : "");
}

} // namespace

Stepping::Stepping(const replay::Script& script, replay::ScheduleHeader& schedule)
    : script_(script), schedule_(schedule), sources_("."),
      keys_(isatty(STDERR_FILENO) != 0 ? std::fopen("/dev/tty", "re") : nullptr),
      columns_(text_options(report::Detail::Usual).width),
      column_(std::clamp(columns_ / 2 / script.threads.size(), kNarrowestColumn, kWidestColumn)) {
  const auto steps = static_cast<std::uint32_t>(script.steps.size());
  schedule_.shows = 1;
  schedule_.show_from = steps - std::min(steps, kStepsShown);
  if (schedule_.show_from != 0)
    print_error_text(fmt::format("... the first {} steps of {}\n", schedule_.show_from, steps));
  std::string heads;
  for (std::size_t thread = 0; thread < script.threads.size(); ++thread)
    heads += report::padded(report::cut_to(fmt::format("thread {}", thread), column_ - 1), column_);
  print_error_text(heads + '\n');
  if (keys_ != nullptr) print_error_text("(Enter: the next event; s: the next step; c: on to the end)\n");
}

Stepping::~Stepping() {
  if (keys_ != nullptr) std::fclose(keys_);
}

bool Stepping::look() {
  const std::uint32_t asked = __atomic_load_n(&schedule_.asked, __ATOMIC_ACQUIRE);
  if (asked == __atomic_load_n(&schedule_.answered, __ATOMIC_RELAXED)) return false; // only this process writes it
  show();
  if (keys_ != nullptr) ask();
  __atomic_store_n(&schedule_.answered, asked, __ATOMIC_RELEASE);
  syscall(SYS_futex, &schedule_.answered, FUTEX_WAKE, 1, nullptr, nullptr, 0);
  return true;
}

void Stepping::show() const {
  const ShownEvent shown = read_shown_event(schedule_);
  if (shown.event.kind.empty()) return;
  const std::size_t thread = std::min<std::size_t>(shown.event.thread, script_.threads.size() - 1);
  std::string line = std::string(thread * column_, ' ') + report::cut_to(what(shown.event, shown.failed), column_ - 1);
  if (!shown.event.stack.empty()) {
    const ReplayFrame& place = shown.event.stack.front();
    const std::string source = sources_.line(place.file, place.line).value_or("");
    const std::size_t text = std::min(source.find_first_not_of(' '), source.size());
    line = report::padded(line, script_.threads.size() * column_) +
           fmt::format("  {}:{}  {}", replay::base_name(place.file.c_str()), place.line, source.substr(text));
  }
  print_error_text(report::cut_to(report::printable(line), columns_) + '\n');
}

void Stepping::ask() {
  const int key = std::fgetc(keys_);
  for (int c = key; c != '\n' && c != EOF;) c = std::fgetc(keys_);
  if (key == 's')
    __atomic_store_n(&schedule_.show_from, __atomic_load_n(&schedule_.cursor, __ATOMIC_ACQUIRE) + 1, __ATOMIC_RELEASE);
  else if (key == 'c' || key == EOF) __atomic_store_n(&schedule_.show_from, ~0u, __ATOMIC_RELEASE);
}

} // namespace sooth::cli
