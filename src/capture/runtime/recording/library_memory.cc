// Memory of the C++ library on which the library's own code may race.
//
// Threads may use std::cout and the other standard streams at the same time
// ([iostream.objects.overview]: characters may mix, but there is no data race). The facets of
// locales keep caches that any thread fills in. libstdc++ does both with plain accesses. Some of
// them are in its headers, so they are compiled with hooks and stand in the trace like the
// program's own. Sooth records them as usual, and declares that races on these bytes do not concern
// the program.
//
// The price: after std::ios::sync_with_stdio(false), two threads do race on std::cout, and Sooth
// does not report it. A library that is linked with -static-libstdc++ shows only its streams. Its
// facets cannot be distinguished from the program's data.
#include "capture/runtime/recording/library_memory.h"

#include <initializer_list>
#include <link.h>

#include "capture/runtime/mode.h"

// Null in a program without them. In a program that names them, these are the program's copies:
// that is why the library's data segment is not enough. The reference also makes the linker show
// the streams of -static-libstdc++.
extern "C" {
#define SOOTH_STREAM(name) extern char name[] __attribute__((weak, visibility("default")))
SOOTH_STREAM(_ZSt3cin);
SOOTH_STREAM(_ZSt4cout);
SOOTH_STREAM(_ZSt4cerr);
SOOTH_STREAM(_ZSt4clog);
SOOTH_STREAM(_ZSt4wcin);
SOOTH_STREAM(_ZSt5wcout);
SOOTH_STREAM(_ZSt5wcerr);
SOOTH_STREAM(_ZSt5wclog);
#undef SOOTH_STREAM
}

namespace sooth::runtime {
namespace {

// Part of the library's ABI.
constexpr std::size_t kOutputBytes = 272;
constexpr std::size_t kInputBytes = 280;
constexpr const char* kWhy = "C++ library";

bool g_told_streams;
bool g_told_library;

struct Segment {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
};

bool is_the_library(const char* path) {
  const char* name = path;
  for (const char* c = path; *c != 0; ++c)
    if (*c == '/') name = c + 1;
  for (const char* wanted = "libstdc++.so"; *wanted != 0; ++wanted, ++name)
    if (*name != *wanted) return false;
  return true;
}

int find_data(dl_phdr_info* info, std::size_t, void* found) {
  if (info->dlpi_name == nullptr || !is_the_library(info->dlpi_name)) return 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& segment = info->dlpi_phdr[i];
    if (segment.p_type == PT_LOAD && (segment.p_flags & PF_W) != 0)
      *static_cast<Segment*>(found) = {info->dlpi_addr + segment.p_vaddr, segment.p_memsz};
  }
  return 1;
}

Segment library_data() {
  Quiet quiet;
  Segment data;
  dl_iterate_phdr(find_data, &data);
  return data;
}

} // namespace

void may_race(Thread* t, const void* p, std::size_t bytes, const char* why) {
  if (!is_recording()) return; // only traces are searched for races
  const std::uint64_t size = bytes > 0xffffffff ? 0xffffffff : bytes;
  mark(t, EventKind::Watch, p, size | std::uint64_t{intern(why)} << 32, trace::kFill);
}

void mark_library_memory(Thread* t) {
  if (g_told_library && g_told_streams) return;
  const Segment data = library_data();
  const auto stream = [&](const char* p, std::size_t bytes) {
    const bool is_covered = reinterpret_cast<std::uint64_t>(p) - data.address < data.bytes;
    if (p != nullptr && !is_covered) may_race(t, p, bytes, kWhy);
  };
  if (!g_told_streams) {
    g_told_streams = true; // they exist from the beginning or never
    for (const char* p : {_ZSt3cin, _ZSt4wcin}) stream(p, kInputBytes);
    for (const char* p : {_ZSt4cout, _ZSt4cerr, _ZSt4clog, _ZSt5wcout, _ZSt5wcerr, _ZSt5wclog}) stream(p, kOutputBytes);
  }
  if (g_told_library || data.bytes == 0) return;
  g_told_library = true;
  may_race(t, reinterpret_cast<const void*>(data.address), data.bytes, kWhy);
}

void forget_library_memory() { g_told_streams = g_told_library = false; }

} // namespace sooth::runtime
