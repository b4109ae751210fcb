#include "predict/question/unrecorded.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace sooth::predict {

namespace {

// Runtimes of parallel languages, and libraries whose locks are built on their own atomics. Found
// by the beginning of the file's name.
constexpr std::array<std::string_view, 12> kSynchronising = {
    "libomp.so",       "libomp5.so",     "libgomp.so",    "libiomp5.so",   "libtbb.so",
    "libtbbmalloc.so", "libglib-2.0.so", "libQt5Core.so", "libQt6Core.so", "libabsl_synchronization.so",
    "libfolly.so",     "libdispatch.so"};

} // namespace

std::string unrecorded_synchronisation(const trace::Trace& trace) {
  std::string names;
  for (const auto& [name, calls] : trace.process.unsupported) {
    // The one row that is about values only: some variable is not watched.
    if (calls == 0 || name.starts_with("SOOTH_WATCH")) continue;
    if (!names.empty()) names += ", ";
    names += name;
  }
  for (const std::string& path : trace.process.plain_libraries) {
    const std::string_view file = std::string_view(path).substr(path.rfind('/') + 1);
    if (std::ranges::none_of(kSynchronising, [&](std::string_view known) { return file.starts_with(known); })) continue;
    if (!names.empty()) names += ", ";
    names += file;
  }
  return names;
}

bool is_called_by_program(const trace::Trace& trace, const trace::Event& e) {
  if (trace.sites.size() <= 1) return true;
  const std::string_view called = trace.sites[e.site].variable;
  return std::ranges::any_of(std::initializer_list<std::string_view>{"pthread_", "sem_", "mtx_", "cnd_"},
                             [&](std::string_view prefix) { return called.starts_with(prefix); });
}

} // namespace sooth::predict
