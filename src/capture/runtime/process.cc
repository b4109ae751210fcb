// The process as a whole: where its trace goes, fork, the end.
#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "capture/runtime/inputs/inputs.h"
#include "capture/runtime/modules.h"
#include "capture/runtime/monitoring/monitoring.h"
#include "capture/runtime/observing/observing.h"
#include "capture/runtime/os.h"
#include "capture/runtime/recording/cells.h"
#include "capture/runtime/recording/file.h"
#include "capture/runtime/recording/library_memory.h"
#include "capture/runtime/recording/ownership.h"
#include "capture/runtime/replaying/replaying.h"

extern char** environ;

namespace sooth::runtime {
namespace {

bool g_ready; // from then on events are recorded; not while the trace is set up
bool g_switched_off;
char g_program[256];    // name without directories
char g_directory[4096]; // of the trace
char g_wanted[4096];    // the trace's own name, if one was asked for
bool g_verbose;
bool g_inputs_wanted;
std::uint32_t g_run; // the `sooth` process that started this run

struct Line { // a bounded piece of text
  char text[4400];
  std::size_t used = 0;
  void add(const char* more, std::size_t n) {
    for (std::size_t i = 0; i < n && used + 1 < sizeof text; ++i) text[used++] = more[i];
    text[used] = 0;
  }
  void add(const char* more) { add(more, os::length(more)); }
  void add(std::uint64_t number) {
    char digits[24];
    std::size_t n = sizeof digits;
    do digits[--n] = static_cast<char>('0' + number % 10);
    while ((number /= 10) != 0);
    add(digits + n, sizeof digits - n);
  }
};

void complain(const char* what, const char* path) {
  Line line;
  line.add("sooth: ");
  line.add(what);
  line.add(" ");
  line.add(path);
  line.add("\n");
  os::call(SYS_write, 2, reinterpret_cast<long>(line.text), static_cast<long>(line.used));
}

bool starts_with(const char* text, const char* prefix) {
  while (*prefix != 0)
    if (*text++ != *prefix++) return false;
  return true;
}

void copy_text(char* to, std::size_t room, const char* from, std::size_t n) {
  if (n >= room) n = room - 1;
  os::copy(to, from, n);
  to[n] = 0;
}

// SOOTH_OPTIONS: key=value, separated by colons. Unknown options are reported and skipped.
void read_option(const char* option, std::size_t n) {
  const auto value_of = [&](const char* key) -> const char* {
    return starts_with(option, key) ? option + os::length(key) : nullptr;
  };
  if (n == 0) return;
  if (const char* v = value_of("detail=")) {
    if (starts_with(v, "all")) {
      g_detail = ~std::uint64_t{0};
      g_branches = true;
      return;
    }
    g_detail = 0;
    for (; v < option + n && *v >= '0' && *v <= '9'; ++v)
      g_detail = g_detail * 10 + static_cast<std::uint64_t>(*v - '0');
  } else if (const char* branches = value_of("branches=")) {
    g_branches = *branches == '1';
  } else if (const char* exact = value_of("exact=")) {
    if (!order_exactly(exact, n - static_cast<std::size_t>(exact - option)))
      complain("SOOTH_OPTIONS: `exact` takes `all` or a list of ADDRESS+BYTES, not", exact);
  } else if (const char* facts = value_of("facts=")) {
    g_facts_wanted = *facts != '0';
  } else if (const char* own = value_of("own=")) {
    g_own_after = 0;
    for (; own < option + n && *own >= '0' && *own <= '9' && g_own_after < kMostAccesses; ++own)
      g_own_after = g_own_after * 10 + static_cast<std::uint64_t>(*own - '0');
    if (g_own_after > kMostAccesses) g_own_after = kMostAccesses;
  } else if (const char* path = value_of("trace=")) {
    copy_text(g_wanted, sizeof g_wanted, path, n - static_cast<std::size_t>(path - option));
  } else if (const char* verbose = value_of("verbose=")) {
    g_verbose = *verbose == '1';
  } else if (const char* refused = value_of("bad_monitors=")) {
    monitoring::g_run_without_monitors = starts_with(refused, "run");
  } else if (const char* most = value_of("monitored_threads=")) {
    monitoring::g_most_threads = 0;
    for (; most < option + n && *most >= '0' && *most <= '9' && monitoring::g_most_threads < 65536; ++most)
      monitoring::g_most_threads = monitoring::g_most_threads * 10 + static_cast<std::uint32_t>(*most - '0');
  } else if (const char* result = value_of("monitor_result=")) {
    copy_text(monitoring::g_monitor_result, sizeof monitoring::g_monitor_result, result,
              n - static_cast<std::size_t>(result - option));
  } else if (const char* inputs = value_of("inputs=")) {
    g_inputs_wanted = *inputs == '1';
  } else if (const char* record = value_of("record=")) {
    if (*record == '0') g_switched_off = true;
  } else {
    Line name;
    name.add(option, n);
    complain("unknown option in SOOTH_OPTIONS:", name.text);
  }
}

std::uint32_t number_in(const char* digits) {
  std::uint32_t out = 0;
  for (; *digits >= '0' && *digits <= '9'; ++digits) out = out * 10 + static_cast<std::uint32_t>(*digits - '0');
  return out;
}

// `sooth record` puts this library before an allocator that is preloaded, so that its functions are
// the first ones (cli/recording.cc). The program and its children see the variable as it was.
void restore_preload(char* row) {
  constexpr char kOurs[] = "libsooth_rt.so:";
  char* value = row + sizeof "LD_PRELOAD=" - 1;
  if (!starts_with(value, kOurs)) return;
  const char* rest = value + sizeof kOurs - 1;
  do *value++ = *rest;
  while (*rest++ != 0);
}

void read_environment() {
  for (char** row = environ; row != nullptr && *row != nullptr; ++row) {
    if (starts_with(*row, "LD_PRELOAD=")) restore_preload(*row);
    if (starts_with(*row, "SOOTH_RUN=")) g_run = number_in(*row + 10);
    if (starts_with(*row, "SOOTH_TRACE=")) copy_text(g_wanted, sizeof g_wanted, *row + 12, os::length(*row + 12));
    if (!starts_with(*row, "SOOTH_OPTIONS=")) continue;
    for (const char* option = *row + 14; *option != 0;) {
      std::size_t n = 0;
      while (option[n] != 0 && option[n] != ':') ++n;
      read_option(option, n);
      option += n + (option[n] == ':');
    }
  }
}

std::size_t read_whole(const char* path, char* out, std::size_t room) {
  const long file = os::call(SYS_openat, AT_FDCWD, reinterpret_cast<long>(path), O_RDONLY | O_CLOEXEC);
  if (os::failed(file)) return 0;
  std::size_t used = 0;
  for (long n; used < room &&
               (n = os::call(SYS_read, file, reinterpret_cast<long>(out + used), static_cast<long>(room - used))) > 0;)
    used += static_cast<std::size_t>(n);
  os::call(SYS_close, file);
  return used;
}

void find_names() {
  char path[4096];
  const long n =
      os::call(SYS_readlink, reinterpret_cast<long>("/proc/self/exe"), reinterpret_cast<long>(path), sizeof path - 1);
  path[os::failed(n) ? 0 : n] = 0;
  const char* base = path;
  for (const char* c = path; *c != 0; ++c)
    if (*c == '/') base = c + 1;
  copy_text(g_program, sizeof g_program, base, os::length(base));
  Line cwd;
  // Without a folder (somebody removed it) the name stays relative, and nothing is recorded.
  const long used = os::call(SYS_getcwd, reinterpret_cast<long>(cwd.text), sizeof cwd.text);
  cwd.used = os::failed(used) || cwd.text[0] != '/' ? 0 : static_cast<std::size_t>(used) - 1;
  cwd.text[cwd.used] = 0;
  if (g_wanted[0] != 0 && g_wanted[0] != '/' && cwd.used != 0) { // the program may change its directory before it forks
    cwd.add("/");
    cwd.add(g_wanted);
    copy_text(g_wanted, sizeof g_wanted, cwd.text, cwd.used);
  }
  const char* from = g_wanted[0] != 0 ? g_wanted : cwd.text;
  std::size_t length = os::length(from);
  if (g_wanted[0] != 0)
    while (length > 1 && from[length - 1] != '/') --length;
  copy_text(g_directory, sizeof g_directory, from, length);
}

// Something other than a file: a device, a pipe, a folder.
bool is_no_file(const char* path) {
  struct stat info = {};
  return !os::failed(os::call(SYS_lstat, reinterpret_cast<long>(path), reinterpret_cast<long>(&info))) &&
         !S_ISREG(info.st_mode);
}

// The wanted name, if it is still free; else PROGRAM.PID.sooth beside it; else the same with a
// number.
bool open_some_file(bool first) {
  if (os::is_privileged()) {
    complain("not recorded, because it runs with its file's rights:", g_program);
    return false;
  }
  if (g_directory[0] != '/') {
    complain("not recorded; there is no folder any more for the trace of", g_program);
    return false;
  }
  if (is_no_file(g_wanted)) {
    complain("not recorded; this is not a file:", g_wanted);
    return false;
  }
  const auto opened = [](const char* name) {
    if (!open_file(name)) return false;
    g_header->run = g_run;
    if (g_verbose) complain("recording to", name);
    return true;
  };
  if (first && g_wanted[0] != 0 && opened(g_wanted)) return true;
  Line path;
  for (unsigned attempt = 1; attempt < 100; ++attempt) {
    path.used = 0;
    path.add(g_directory);
    path.add("/");
    path.add(g_program);
    path.add(".");
    path.add(static_cast<std::uint64_t>(os::pid()));
    if (attempt > 1) {
      path.add(".");
      path.add(attempt);
    }
    path.add(".sooth");
    if (opened(path.text)) return true;
    if (!os::failed(os::call(SYS_access, reinterpret_cast<long>(path.text), 0))) continue; // the file exists
    break;
  }
  complain("not recorded; cannot write", path.text);
  return false;
}

void write_process() {
  static char arguments[32 * 1024];
  static Line line;
  char* text = static_cast<char*>(os::pages(96 * 1024));
  if (text == nullptr) return;
  std::size_t used = 0;
  const auto add = [&](const char* key, const char* value) {
    for (const char* part : {key, value, "\n"}) {
      const std::size_t n = os::length(part);
      if (used + n > 96 * 1024) return;
      for (std::size_t i = 0; i < n; ++i) text[used++] = part != value || part[i] != '\n' ? part[i] : ' ';
    }
  };
  const long n = os::call(SYS_readlink, reinterpret_cast<long>("/proc/self/exe"), reinterpret_cast<long>(line.text),
                          sizeof line.text - 1);
  line.text[os::failed(n) ? 0 : n] = 0;
  add("program=", line.text);
  const long cwd = os::call(SYS_getcwd, reinterpret_cast<long>(line.text), sizeof line.text);
  if (!os::failed(cwd)) add("directory=", line.text);
  const std::size_t bytes = read_whole("/proc/self/cmdline", arguments, sizeof arguments - 1);
  arguments[bytes] = 0;
  for (std::size_t at = 0; at < bytes; at += os::length(arguments + at) + 1) add("argument=", arguments + at);
  write_chunk(trace::ChunkType::Process, text, used, used, 0, 0, 0);
  os::give_back(text, 96 * 1024);
}

// In the child of a fork, before everything else that libc does there: the program's own handlers
// may use atomics and locks. Other threads may have been inside the runtime, and are gone.
void reset_locks() {
  static int process;
  if (process == os::pid()) return; // _Fork runs no handlers, so after_fork_child() comes here, too
  process = os::pid();
  reset_stripes();
  reset_signal_lock();
  reset_thread_lock();
  reset_module_locks();
  reset_scratch_lock();
  reset_kept_lock();
  reset_exact_lock();
}

void at_exit(int status, void*) { finish(trace::EndKind::Exit, status); }

// Runs before the program's own constructors. So functions that it registers for the end run after
// all that the program and its libraries register, and after their destructors.
__attribute__((constructor(101))) void start() {
  const int error = errno;
  install_interceptors();
  if (!os::is_privileged()) read_environment();
  if (g_for_facts) { // libraries register before us; now the options are known
    g_for_facts = g_branches = g_facts_wanted;
    g_detail = g_facts_wanted ? ~std::uint64_t{0} : kDetail;
    set_file_flag(trace::kForFacts, g_facts_wanted);
  }
  if (g_exact) g_detail = ~std::uint64_t{0}; // an access that is left out has no order
  if (!g_switched_off) {
    find_names();
    if (observing::is_wanted() && monitoring::is_wanted())
      complain("the program is observed (SOOTH_OBSERVER), and therefore not monitored:",
               "its monitors (SOOTH_MONITOR, --monitor) are left out");
    const bool elsewhere = replay_is_wanted() || observing::is_wanted() || monitoring::is_wanted();
    const bool live = replay_is_wanted()       ? replay_start()
                      : observing::is_wanted() ? observing::start(g_program)
                                               : monitoring::is_wanted() && monitoring::start();
    if (live ? open_memory_file() : !elsewhere && open_some_file(true)) {
      write_process();
      rewrite_modules(); // modules of libraries that were set up before us
      // A thread takes a lock's first number while it holds the lock: no page fault may lengthen
      // that.
      if (!live) os::touch_pages(g_object_clocks, sizeof g_object_clocks);
      if (!live && g_inputs_wanted) g_inputs = Inputs::Recorded;
      on_exit(at_exit, nullptr);
      pthread_atfork(nullptr, nullptr, reset_locks);
      g_ready = true;
      if (Thread* t = attach(kNoThread, 0)) {
        start_owning();
        if (has_inputs()) inherit_files(t);
        thread_bind(static_cast<unsigned long>(pthread_self()), t->number);
        sync(t, EventKind::ThreadStart, reinterpret_cast<void*>(pthread_self()), 0);
        mark_library_memory(t);
      }
    }
  }
  errno = error;
}

bool child_goes_on() {
  switch (mode()) {
  case Mode::Recording: return open_some_file(false);
  case Mode::Observing:
  case Mode::Replaying: return false;
  case Mode::Monitoring: return monitoring::goes_on() && open_memory_file();
  }
  return false;
}

} // namespace

const Sink* g_sink;

bool recording_is_ready() { return __atomic_load_n(&g_ready, __ATOMIC_ACQUIRE); }

void before_fork(Thread* t) {
  end_segment(t);
  flush(t);
  std::uint64_t all = ~std::uint64_t{0};
  os::call(SYS_rt_sigprocmask, 0, reinterpret_cast<long>(&all), reinterpret_cast<long>(&t->signal_mask), 8);
}

void after_fork_parent(Thread* t, int child) {
  os::call(SYS_rt_sigprocmask, 2, reinterpret_cast<long>(&t->signal_mask), 0, 8);
  if (child > 0) sync(t, EventKind::ProcessFork, nullptr, static_cast<std::uint64_t>(child));
}

void after_fork_child(Thread* t) {
  const std::uint32_t parent = g_header->pid;
  ++__sooth_thread.quiet; // until the child has a buffer that is not the parent's
  reset_locks();
  abandon_file();
  g_no_room = false;
  observing::forget();
  forget_thread_names();
  if (child_goes_on()) {
    write_process();
    rewrite_modules();
    forget_other_threads(t);
    if (__sooth_thread.thread != nullptr && is_recording()) {
      // The start is the first event. Only then does the child's trace repeat the open activations.
      SoothThreadAbi& abi = __sooth_thread.abi;
      __sooth_thread.written_top = abi.stack_low = abi.stack_top;
      share_kept_ranges(t);
      sync(t, EventKind::ThreadStart, reinterpret_cast<void*>(pthread_self()), 0);
      __sooth_thread.written_top = abi.stack_low = t->stack;
      sync(t, EventKind::ProcessFork, nullptr, parent);
      forget_library_memory();
      mark_library_memory(t);
    }
    thread_bind(static_cast<unsigned long>(pthread_self()), t->number);
  } else {
    g_inputs = Inputs::Off;
    __atomic_store_n(&g_ready, false, __ATOMIC_RELEASE);
    __sooth_thread.thread = nullptr;
    __sooth_thread.ended = 1;
  }
  --__sooth_thread.quiet;
  os::call(SYS_rt_sigprocmask, 2, reinterpret_cast<long>(&t->signal_mask), 0, 8);
}

void finish(trace::EndKind kind, int value, bool goes_on) {
  // A child of vfork runs in its parent's memory. Its end is not the parent's.
  if (!recording_is_ready() || !file_is_open() || g_header->pid != static_cast<std::uint32_t>(os::pid())) return;
  os::BlockSignals signals;
  const int error = errno;
  Thread* t = __sooth_thread.thread;
  const bool exits = kind == trace::EndKind::Exit || kind == trace::EndKind::QuickExit;
  if (t != nullptr && __sooth_thread.quiet == 0) {
    end_segment(t);
    if (exits) sync(t, EventKind::ThreadEnd, nullptr);
    if (!is_recording()) g_sink->finish(kind, value);
    const bool written = flush(t);
    write_libraries();
    if (kind != trace::EndKind::Signal) {
      if (written) punch(t->live_offset, t->live_bytes);
      punch_free_buffers();
    }
    if (exits && !goes_on) retire(kOver); // a signal's handler may still run
  }
  g_header->end_value = value;
  g_header->end_time_ns = os::now_ns();
  __atomic_store_n(&g_header->end_kind, static_cast<std::uint32_t>(kind), __ATOMIC_RELEASE);
  errno = error;
}

} // namespace sooth::runtime
