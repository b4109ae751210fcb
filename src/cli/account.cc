#include "cli/account.h"

#include <algorithm>
#include <string>

#include "report/end_text.h"
#include "report/event_text.h"
#include "report/terminal/printable.h"

namespace sooth::cli {

using report::printable;
using trace::Trace;

namespace {

std::string threads_text(const std::map<std::uint32_t, std::uint64_t>& by_thread) {
  constexpr std::size_t kShown = 6;
  std::string out;
  std::size_t shown = 0;
  for (const auto& [thread, count] : by_thread) {
    if (shown++ == kShown) return out + fmt::format(", {} more threads", by_thread.size() - kShown);
    out += fmt::format("{}thread {}: {}", out.empty() ? "" : ", ", thread, count);
  }
  return out;
}

void print_rest(std::size_t all, std::size_t top, std::string_view noun, Output& out) {
  if (all > top) out.print("  ... and {}\n", counted(all - top, noun));
}

} // namespace

void print_program(const Trace& trace, Output& out) {
  const trace::ProcessInfo& process = trace.process;
  if (!process.program.empty()) {
    out.print("program     {}", printable(process.program));
    // Skips the first argument, the program's own name.
    for (std::size_t i = 1; i < process.arguments.size(); ++i) out.print(" {}", printable(process.arguments[i]));
    if (process.pid != 0) out.print(" (process {})", process.pid);
    out.text("\n");
  }
  if ((trace.flags & trace::kNoValues) != 0) out.text("end         imported, without values\n");
  else out.print("end         {}\n", report::end_text(process));
  if ((trace.flags & trace::kOneClock) != 0) out.text("order       real, of all that the property names\n");
}

void print_threads(const Trace& trace, const Tally& counts, std::size_t top, Output& out) {
  out.print("threads     {}\n", trace.threads.size());
  for (std::size_t i = 0; i < std::min(top, trace.threads.size()); ++i)
    out.print("  {:<24} {:>12} events{}\n", printable(report::thread_text(trace, static_cast<std::uint32_t>(i))),
              counts.by_thread[i], trace.threads[i].ended ? "" : ", end not seen");
  print_rest(trace.threads.size(), top, "thread", out);
}

void print_shared(const Trace&, const Tally& counts, std::size_t top, Output& out) {
  out.print("shared      {} (used by several threads, written by at least one) of {}\n",
            counted(counts.shared.size(), "variable"), counts.variables);
  for (std::size_t i = 0; i < std::min(top, counts.shared.size()); ++i) {
    const VariableRow& row = counts.shared[i];
    std::string places;
    if (row.places > 1) places = fmt::format(" at {} of {} addresses", row.shared_places, row.places);
    out.print("  {:<24} {:>8} reads {:>8} writes   {}{}\n", printable(row.name), row.reads, row.writes,
              threads_text(row.by_thread), places);
  }
  print_rest(counts.shared.size(), top, "variable", out);
}

void print_locks(const Trace&, const Tally& counts, std::size_t top, Output& out) {
  out.print("locks       {}\n", counts.locks.size());
  for (std::size_t i = 0; i < std::min(top, counts.locks.size()); ++i) {
    const LockRow& row = counts.locks[i];
    std::string more;
    if (row.shared_acquires != 0) more += fmt::format(", {} shared", row.shared_acquires);
    if (row.failed != 0) more += fmt::format(", {} failed", row.failed);
    out.print("  {:<24} {:>8} acquires{}   {}\n", printable(row.name), row.acquires, more, threads_text(row.by_thread));
  }
  print_rest(counts.locks.size(), top, "lock", out);
}

void print_gaps(const Trace& trace, Output& out) {
  bool any = false;
  for (const trace::DefectRow& row : trace::defect_rows()) {
    const std::uint64_t count = trace.defect(row.defect);
    if (count == 0) continue;
    if (!any) out.text("defects\n");
    any = true;
    out.print("  {:<8} {:>10} {} ({})\n", row.severity, count, row.sentence, row.name);
  }
  if (!any) out.text("defects     none\n");
  for (const auto& [primitive, calls] : trace.process.unsupported)
    out.print("unsupported {} ({})\n", printable(primitive), counted(calls, "call"));
  for (const std::string& library : trace.process.plain_libraries)
    out.print("not instrumented: {}\n", printable(library));
}

} // namespace sooth::cli
