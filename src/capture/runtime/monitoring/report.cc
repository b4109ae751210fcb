// Reports a violation at once, in the thread where it happened, and then acts as the property file
// asks.
#include <stdio.h>
#include <stdlib.h>

#include "capture/runtime/modules.h"
#include "capture/runtime/monitoring/recovery.h"
#include "capture/runtime/monitoring/state.h"
#include "capture/runtime/os.h"
#include "sooth/monitor.h"

namespace sooth::runtime::monitoring {

char g_monitor_result[4096];

namespace {

using knowledge::Known;
using knowledge::MonitorRow;
using knowledge::ScalarKind;

std::uint64_t g_totals[knowledge::kMaxMonitors];
knowledge::Word g_roles_taken; // by some thread, at some time
bool g_noted;                  // the result file has been written
bool g_is_child;               // of a fork: it names its process

// Each pair of monitor and place is reported once; all violations are counted.
constexpr std::size_t kTold = 1024;
std::uint64_t g_told[kTold];

bool is_new(std::uint32_t monitor, std::uint32_t site) {
  const std::uint64_t pair = std::uint64_t{monitor + 1} << 32 | site;
  std::size_t at = pair * 0x9e3779b97f4a7c15u >> 54;
  for (std::size_t tries = 0; tries < kTold; ++tries, at = (at + 1) % kTold) {
    std::uint64_t seen = __atomic_load_n(&g_told[at], __ATOMIC_RELAXED); // only equality counts
    if (seen == 0 && __atomic_compare_exchange_n(&g_told[at], &seen, pair, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
      return true;
    if (seen == pair) return false;
  }
  return false;
}

class Text {
public:
  void add(const char* more) {
    for (; *more != 0 && used_ + 1 < sizeof text_; ++more) text_[used_++] = *more;
  }
  void add(std::uint64_t number) {
    char digits[24];
    std::size_t n = sizeof digits - 1;
    digits[n] = 0;
    do digits[--n] = static_cast<char>('0' + number % 10);
    while ((number /= 10) != 0);
    add(digits + n);
  }
  // Lines of a property file, each with the same indentation.
  void add_indented(const char* lines) {
    add("  ");
    for (; *lines != 0; ++lines) {
      const char one[2] = {*lines, 0};
      add(one);
      if (*lines == '\n' && lines[1] != 0) add("  ");
    }
    add("\n");
  }
  void write() const { os::call(SYS_write, 2, reinterpret_cast<long>(text_), static_cast<long>(used_)); }

private:
  char text_[6000];
  std::size_t used_ = 0;
};

void add_value(Text& out, const Known& known) {
  const ScalarKind kind = known.part->layout.kind;
  if (kind == ScalarKind::Float) {
    char digits[40];
    snprintf(digits, sizeof digits, "%.10g", knowledge::real_of(known.value));
    return out.add(digits);
  }
  if (kind == ScalarKind::Bool) return out.add(known.value != 0 ? "true" : "false");
  if (kind == ScalarKind::Pointer) {
    char digits[24];
    snprintf(digits, sizeof digits, "0x%llx", static_cast<unsigned long long>(known.value));
    return out.add(digits);
  }
  const bool negative = kind == ScalarKind::Signed && static_cast<std::int64_t>(known.value) < 0;
  if (negative) out.add("-");
  out.add(negative ? std::uint64_t{0} - known.value : known.value);
}

void add_thread(Text& out, std::uint32_t number) {
  out.add("thread ");
  out.add(std::uint64_t{number});
  if (const char* name = thread_name(number); *name != 0) {
    out.add(" (");
    out.add(name);
    out.add(")");
  }
}

void add_known(void* context, const Known& known) {
  Text& out = *static_cast<Text*>(context);
  const knowledge::Compiled& compiled = g_setup.compiled;
  const char* about = compiled.string(known.part->about);
  out.add("    ");
  out.add(compiled.string(known.part->text));
  out.add(" = ");
  add_value(out, known);
  if (*about != 0) {
    if (known.thread == knowledge::kNoVariable) {
      out.add("   nothing is known of ");
      out.add(about);
      out.add(" yet");
    } else {
      out.add("   as of ");
      add_thread(out, known.thread);
      out.add(", event ");
      out.add(known.sequence);
    }
  }
  out.add("\n");
}

const char* action_text(knowledge::ActionKind action) {
  switch (action) {
  case knowledge::ActionKind::Abort: return "  -> abort\n";
  case knowledge::ActionKind::Break: return "  -> break\n";
  default: return "";
  }
}

void note_result(const char* name) {
  if (g_monitor_result[0] == 0 || __atomic_exchange_n(&g_noted, true, __ATOMIC_RELAXED)) return; // only once
  const long file = os::call(SYS_openat, AT_FDCWD, reinterpret_cast<long>(g_monitor_result),
                             O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (os::failed(file)) return;
  os::call(SYS_write, file, reinterpret_cast<long>(name), static_cast<long>(os::length(name)));
  os::call(SYS_write, file, reinterpret_cast<long>("\n"), 1);
  os::call(SYS_close, file);
}

void tell(ThreadState& self, std::uint32_t monitor, const SiteText& place) {
  const knowledge::Compiled& compiled = g_setup.compiled;
  const MonitorRow& row = compiled.monitors[monitor];
  Text out;
  out.add("sooth: monitor `");
  out.add(compiled.string(row.name));
  out.add("` is violated in ");
  add_thread(out, self.number);
  if (g_is_child) {
    out.add(" of process ");
    out.add(static_cast<std::uint64_t>(os::pid()));
  }
  if (*place.file != 0) {
    out.add(" at ");
    out.add(place.file);
    out.add(":");
    out.add(std::uint64_t{place.line});
  }
  out.add("\n");
  out.add_indented(compiled.string(row.text));
  if (*compiled.string(row.expansion) != 0) {
    out.add("  which stands for\n  ");
    out.add_indented(compiled.string(row.expansion));
  }
  knowledge::explain(g_setup, *self.core, monitor, add_known, &out);
  if (self.recovery_frame == 0) {
    out.add(action_text(row.action));
    if (row.action == knowledge::ActionKind::Call) {
      out.add("  -> call ");
      out.add(compiled.string(row.call));
      if (!has_recovery(compiled.string(row.call))) out.add(", which nobody has registered: the program goes on");
      out.add("\n");
    }
  }
  out.write();
}

void recover(ThreadState& self, const MonitorRow& row, const sooth_violation& violation) {
  // The recovery function's own events are followed, so this hook has to be over for the thread.
  std::uint32_t& quiet = __sooth_thread.quiet;
  const std::uint32_t before = quiet;
  self.recovery_frame = reinterpret_cast<std::uint64_t>(__builtin_frame_address(0));
  quiet = 0;
  call_recovery(g_setup.compiled.string(row.call), violation);
  quiet = before;
  self.recovery_frame = 0;
}

} // namespace

void complain_about_places(std::uint64_t given_early, std::uint64_t refused) {
  Text out;
  out.add("sooth: formulas did not range over ");
  out.add(refused);
  out.add(" threads, and forgot ");
  out.add(given_early);
  out.add(" that had ended: there were too many at the same time (SOOTH_OPTIONS=monitored_threads=N)\n");
  out.write();
}

void complain_about_faults(const knowledge::Faults& faults) {
  Text out;
  out.add("sooth: monitors met ");
  out.add(faults.divisions_by_zero);
  out.add(" divisions by zero and ");
  out.add(faults.wide_shifts);
  out.add(" shifts by too much; a condition without a value is false, a number 0\n");
  out.write();
}

void note_roles(const ThreadState& self) {
  __atomic_fetch_or(&g_roles_taken, self.core->classes, __ATOMIC_RELAXED); // read at the end
}

void act_on(ThreadState& self, knowledge::Word fresh, std::uint32_t site) {
  // A recovery function that was left by longjmp: its frame, below this one, is gone.
  if (self.recovery_frame != 0 && reinterpret_cast<std::uint64_t>(__builtin_frame_address(0)) > self.recovery_frame)
    self.recovery_frame = 0;
  const knowledge::Compiled& compiled = g_setup.compiled;
  for (; fresh != 0; fresh &= fresh - 1) {
    const auto monitor = static_cast<std::uint32_t>(__builtin_ctzll(fresh));
    const MonitorRow& row = compiled.monitors[monitor];
    const std::uint64_t nth = __atomic_add_fetch(&g_totals[monitor], 1, __ATOMIC_RELAXED); // a count
    const SiteText place = text_of_site(site);
    if (is_new(monitor, site)) tell(self, monitor, place);
    note_result(compiled.string(row.name));
    if (self.recovery_frame != 0) continue;
    switch (row.action) {
    case knowledge::ActionKind::Continue: break;
    case knowledge::ActionKind::Abort: abort();
    case knowledge::ActionKind::Break: __asm__ volatile("int3"); break;
    case knowledge::ActionKind::Call:
      recover(self, row,
              {compiled.string(row.name), compiled.string(row.text), place.file, place.line, self.number, nth});
      break;
    }
  }
}

void forget_totals() {
  g_is_child = true;
  g_noted = false;
  for (std::uint64_t& total : g_totals) total = 0;
  for (std::uint64_t& told : g_told) told = 0;
}

void tell_totals() {
  for (std::uint32_t i = 0; i < g_setup.compiled.monitor_count(); ++i) {
    const std::uint64_t total = __atomic_load_n(&g_totals[i], __ATOMIC_RELAXED);
    if (total < 2) continue; // once: it was reported
    Text out;
    out.add("sooth: monitor `");
    out.add(g_setup.compiled.string(g_setup.compiled.monitors[i].name));
    out.add("` was violated ");
    out.add(total);
    out.add(" times in all\n");
    out.write();
  }
  const knowledge::Compiled& compiled = g_setup.compiled;
  for (std::uint32_t r = 0; r < compiled.role_count(); ++r) {
    if ((g_roles_taken >> r & 1) != 0 || g_is_child) continue;
    Text out;
    out.add("sooth: there was no thread `");
    if (compiled.roles[r].kind == knowledge::RoleKind::Number) out.add(std::uint64_t{compiled.roles[r].number});
    else out.add(compiled.string(compiled.roles[r].name));
    out.add("` that the monitors speak of\n");
    out.write();
  }
  const std::uint64_t lost = lost_carriers() + g_setup.snapshots->refused();
  if (lost == 0) return;
  Text out;
  out.add("sooth: there was not enough memory for what threads know, ");
  out.add(lost);
  out.add(" times: a monitor may have been judged by too little\n");
  out.write();
}

} // namespace sooth::runtime::monitoring
