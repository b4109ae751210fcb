// The beginning and the end of a monitored program: where its monitors come from, and what happens
// if they are refused.
//
// The tool, which knows the program's symbols, compiles monitors. It does so at build time (`sooth
// c++ --monitor`, in a section of the program's file), or now, by `sooth monitors`, which stands
// beside this library.
#include <elf.h>

#include <dlfcn.h>
#include <pthread.h>
#include <sys/wait.h>

#include "capture/runtime/loaded.h"
#include "capture/runtime/monitoring/state.h"
#include "capture/runtime/os.h"
#include "capture/runtime/recording/buffer.h"

namespace sooth::runtime::monitoring {

knowledge::Setup g_setup;
static knowledge::SnapshotPool g_snapshots;
bool g_run_without_monitors;
std::uint32_t g_most_threads = 64;

namespace {

constexpr char kSection[] = "sooth_monitors";
constexpr std::size_t kMostBytes = std::size_t{64} << 20;

struct Block {
  std::uint8_t* bytes = nullptr;
  std::size_t size = 0;
};

void say(std::initializer_list<const char*> parts) {
  char line[4600];
  std::size_t used = 0;
  for (const char* part : parts)
    for (; *part != 0 && used < sizeof line; ++part) line[used++] = *part;
  os::call(SYS_write, 2, reinterpret_cast<long>(line), static_cast<long>(used));
}

bool refuse(const char* what) {
  if (what != nullptr) say({"sooth: ", what, "\n"});
  if (g_run_without_monitors) {
    say({"sooth: the program runs without monitors\n"});
    return false;
  }
  say({"sooth: the program does not start, because its monitors were refused "
       "(SOOTH_OPTIONS=bad_monitors=run starts it without them)\n"});
  os::call(SYS_exit_group, 2);
  return false;
}

bool read_at(int file, std::uint64_t offset, void* out, std::size_t bytes) {
  auto* to = static_cast<std::uint8_t*>(out);
  while (bytes != 0) {
    const long n =
        os::call(SYS_pread64, file, reinterpret_cast<long>(to), static_cast<long>(bytes), static_cast<long>(offset));
    if (n <= 0) return false;
    to += n;
    offset += static_cast<std::uint64_t>(n);
    bytes -= static_cast<std::size_t>(n);
  }
  return true;
}

// The section's place in the program's file. Its size is 0 if there is none.
Elf64_Shdr find_section(int file) {
  static Elf64_Shdr rows[512]; // programs have some forty
  static char names[16384];
  Elf64_Ehdr header;
  if (!read_at(file, 0, &header, sizeof header) || header.e_shentsize != sizeof rows[0] || header.e_shnum > 512 ||
      header.e_shstrndx >= header.e_shnum || !read_at(file, header.e_shoff, rows, header.e_shnum * sizeof rows[0]))
    return {};
  const Elf64_Shdr& text = rows[header.e_shstrndx];
  const std::size_t length = text.sh_size < sizeof names ? text.sh_size : sizeof names;
  if (!read_at(file, text.sh_offset, names, length)) return {};
  for (unsigned i = 0; i < header.e_shnum; ++i) {
    bool same = rows[i].sh_name + sizeof kSection <= length;
    for (std::size_t k = 0; same && k < sizeof kSection; ++k) same = names[rows[i].sh_name + k] == kSection[k];
    if (same) return rows[i];
  }
  return {};
}

// The monitors in the program's file, if any.
Block built_in() {
  static Block found;
  static bool looked;
  if (looked) return found;
  looked = true;
  const long file = os::call(SYS_openat, AT_FDCWD, reinterpret_cast<long>("/proc/self/exe"), O_RDONLY | O_CLOEXEC);
  if (os::failed(file)) return {};
  const Elf64_Shdr section = find_section(static_cast<int>(file));
  if (section.sh_size != 0 && section.sh_size <= kMostBytes) {
    found.size = section.sh_size;
    found.bytes = static_cast<std::uint8_t*>(os::pages(found.size));
    if (found.bytes != nullptr && !read_at(static_cast<int>(file), section.sh_offset, found.bytes, found.size))
      found = {};
  }
  os::call(SYS_close, file);
  return found;
}

// `bin/sooth` of the installation that this library, `lib/sooth/libsooth_rt.so`, belongs to.
bool find_tool(char* path, std::size_t room) {
  Dl_info self;
  if (dladdr(reinterpret_cast<void*>(&find_tool), &self) == 0 || self.dli_fname == nullptr) return false;
  std::size_t length = os::length(self.dli_fname);
  for (int folders = 0; folders < 3; ++folders) {
    while (length != 0 && self.dli_fname[length - 1] != '/') --length;
    if (length == 0) return false;
    --length;
  }
  const char* rest = "/bin/sooth";
  if (length + os::length(rest) + 1 > room) return false;
  os::copy(path, self.dli_fname, length);
  os::copy(path + length, rest, os::length(rest) + 1);
  return !os::failed(os::call(SYS_access, reinterpret_cast<long>(path), 1));
}

// The output of `sooth monitors`. Empty if it refused the monitors; it has reported that then.
Block compile(const char* property, const char* tool) {
  char program[4096];
  const long n = os::call(SYS_readlink, reinterpret_cast<long>("/proc/self/exe"), reinterpret_cast<long>(program),
                          sizeof program - 1);
  program[os::failed(n) ? 0 : n] = 0;
  int ends[2];
  if (os::failed(os::call(SYS_pipe2, reinterpret_cast<long>(ends), O_CLOEXEC))) return {};
  const long child = os::call(SYS_fork); // the program has not run yet, so libc need not know
  if (child == 0) {
    os::call(SYS_dup2, ends[1], 1);
    const char* const arguments[] = {tool, "monitors", "--output", "-", property, program, nullptr};
    os::call(SYS_execve, reinterpret_cast<long>(tool), reinterpret_cast<long>(arguments),
             reinterpret_cast<long>(environ));
    os::call(SYS_exit_group, 127);
  }
  os::call(SYS_close, ends[1]);
  Block block;
  std::size_t room = 0;
  for (;;) {
    if (block.size == room) { // larger; the old room is small
      const std::size_t more = room == 0 ? 64 * 1024 : room * 2;
      auto* fresh = more <= kMostBytes ? static_cast<std::uint8_t*>(os::pages(more)) : nullptr;
      if (fresh == nullptr) break;
      if (room != 0) {
        os::copy(fresh, block.bytes, block.size);
        os::give_back(block.bytes, room);
      }
      block.bytes = fresh;
      room = more;
    }
    const long got = os::call(SYS_read, ends[0], reinterpret_cast<long>(block.bytes + block.size),
                              static_cast<long>(room - block.size));
    if (got == -EINTR) continue;
    if (got <= 0) break;
    block.size += static_cast<std::size_t>(got);
  }
  os::call(SYS_close, ends[0]);
  int status = 1;
  while (child > 0 && os::call(SYS_wait4, child, reinterpret_cast<long>(&status), 0, 0) == -EINTR) {
  }
  return child > 0 && status == 0 ? block : Block{};
}

// Finds a variable's address. Returns null, or the error.
const char* find_variable(const knowledge::VariableRow& row, std::uint64_t& address) {
  const bool in_library = (row.flags & knowledge::kInLibrary) != 0;
  const Loaded loaded = find_loaded(in_library ? g_setup.compiled.string(row.watch_name) : "", row.address, row.size);
  if (!loaded.found) return "a library whose variables the monitors name is not loaded";
  if (!loaded.holds) return "the monitors were compiled for another program";
  address = loaded.base + row.address;
  return nullptr;
}

// Finds the variables' addresses, and their values before the program runs. Returns null, or the
// error.
const char* place_variables(std::uint64_t* values) {
  const knowledge::Compiled& compiled = g_setup.compiled;
  for (std::uint32_t i = 0; i < compiled.variable_count(); ++i) {
    const knowledge::VariableRow& row = compiled.variables[i];
    values[i] = 0;
    if ((row.flags & knowledge::kWatched) != 0) continue;
    std::uint64_t address = 0;
    if (const char* wrong = find_variable(row, address)) return wrong;
    os::copy(&values[i], reinterpret_cast<const void*>(address), row.size);
    place_variable(i, address);
  }
  return nullptr;
}

// Around fork. Handlers that are registered first run last before the fork, and first after it. So
// the program's own handlers, which may use locks, find the carriers free.
bool g_forked; // in the child: the forking thread held all locks
void before_fork_itself() {
  if (__sooth_thread.quiet == 0) {
    hold_all_threads();
    hold_all_carriers();
  }
}
void after_fork_itself() {
  if (__sooth_thread.quiet == 0) {
    let_go_all_carriers();
    let_go_all_threads();
  }
}
void in_forked_child() {
  after_fork_itself();
  g_forked = __sooth_thread.quiet == 0;
}

bool begin_with(const Block& block) {
  if (const char* wrong = g_setup.open(block.bytes, block.size, g_most_threads)) return refuse(wrong);
  g_snapshots.begin(g_setup.layout, [](void*, std::size_t bytes) { return os::pages(bytes); }, nullptr);
  g_setup.snapshots = &g_snapshots;
  const std::size_t variables = g_setup.compiled.variable_count() + 1;
  auto* values = static_cast<std::uint64_t*>(os::pages(variables * sizeof(std::uint64_t)));
  auto* memory = static_cast<knowledge::Word*>(os::pages(g_setup.setup_words() * sizeof(knowledge::Word)));
  if (values == nullptr || memory == nullptr || !make_carriers() || !make_threads())
    return refuse("there is not enough memory for the monitors");
  if (const char* wrong = place_variables(values)) return refuse(wrong);
  g_setup.begin(memory, values);
  // While this is set, functions of a program that was built for monitors report that they were
  // entered.
  for (std::uint32_t r = 0; r < g_setup.compiled.role_count(); ++r)
    g_branches = g_branches || g_setup.compiled.roles[r].kind == knowledge::RoleKind::Function;
  os::give_back(values, variables * sizeof(std::uint64_t));
  pthread_atfork(before_fork_itself, after_fork_itself, in_forked_child);
  static constexpr Sink kMonitors = {
      Mode::Monitoring,
      access,
      fill,
      sync,
      failed,
      [](Thread*, const std::uint64_t*, const std::uint64_t*) {}, // looked up when a role needs it
      [](Thread*, std::uint32_t) {},
      no_child,
      finish,
  };
  g_sink = &kMonitors;
  return true;
}

} // namespace

bool is_wanted() {
  const char* file = os::environment("SOOTH_MONITOR");
  return (file != nullptr && *file != 0) || built_in().bytes != nullptr;
}

bool start() {
  InHook hook;
  const char* file = os::environment("SOOTH_MONITOR");
  if (file == nullptr || *file == 0) {
    const Block block = built_in();
    return block.bytes != nullptr ? begin_with(block) : refuse("the built-in monitors cannot be read");
  }
  char tool[4096];
  if (!find_tool(tool, sizeof tool)) return refuse("SOOTH_MONITOR needs the `sooth` that belongs to this runtime");
  const Block block = compile(file, tool);
  return block.bytes != nullptr && block.size != 0 ? begin_with(block) : refuse(nullptr);
}

bool goes_on() {
  Thread* t = __sooth_thread.thread;
  if (!g_forked || t == nullptr || t->monitored == nullptr) {
    // _Fork: there was no chance to wait until the other threads were out of the way.
    say({"sooth: a child of this program is not monitored\n"});
    return false;
  }
  g_forked = false;
  forget_other_threads(*t->monitored);
  forget_totals();
  return true;
}

void finish(trace::EndKind, int) {
  InHook hook;
  tell_totals();
  tell_places();
  tell_faults();
}

} // namespace sooth::runtime::monitoring
