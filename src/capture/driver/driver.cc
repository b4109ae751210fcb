#include "capture/driver/driver.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <utility>

#include "capture/driver/arguments.h"
#include "capture/driver/installation.h"
#include "capture/driver/monitors.h"
#include "capture/driver/plain_objects.h"
#include "logic/called_functions.h"
#include "logic/monitor_needs.h"

namespace sooth::driver {

namespace {

using Words = std::vector<std::string>;

void add(Words& to, std::initializer_list<std::string> words) { to.insert(to.end(), words); }

// An option of LLVM, for the compiler alone: clang's assembler and the linker do not know the pass.
void add_llvm(Words& to, const std::string& option) { add(to, {"-Xclang", "-mllvm", "-Xclang", option}); }

// The flags that make clang put the hooks in. Clang complains about flags that a step does not use;
// these are not the user's.
Words compile_flags(const CommandLine& line, const Installation& installation, const Words& calls,
                    const logic::MonitorNeeds& needs) {
  const std::string pass = installation.libraries + "/libsooth_pass.so";
  Words flags = {"--start-no-unused-arguments", "-D__SOOTH__=1"};
  // Clang searches /usr/include by itself, after libstdc++'s folders. Named here, it would come
  // before them, and libstdc++'s `#include_next <stdlib.h>` would find nothing.
  if (installation.headers != "/usr/include") add(flags, {"-isystem", installation.headers});
  // A few headers of ours come before libstdc++'s own, and bring its code into reach of the pass
  // (capture/std).
  add(flags, {"-isystem", installation.libraries + "/std"});
  if (line.tsan_annotations) {
    // For the front end alone. What ThreadSanitizer's own pass would do is switched off.
    add(flags, {"-D__SANITIZE_THREAD__=1", "-Xclang", "-fsanitize=thread"});
    for (const char* part : {"memory-accesses", "func-entry-exit", "atomics", "memintrinsics"})
      add_llvm(flags, std::string("-tsan-instrument-") + part + "=false");
  }
  if (line.stage >= Stage::Compile) {
    // Names and places come from debug information. The user's own choice, later on the line, wins.
    if (!line.has_debug_flag) add(flags, {"-g"});
    const bool strips_debug = !line.has_debug_flag && !line.wants_debug;
    add(flags, {"-fpass-plugin=" + pass});
    // Options of a plugin are known only once it is loaded, and -fpass-plugin loads it too late for
    // -mllvm.
    const bool has_options = strips_debug || line.branches || !line.loops || !line.own || !line.classes || line.facts ||
                             !line.ignorelists.empty() || !line.only.empty() || !line.skip.empty() ||
                             !line.monitor.empty() || !calls.empty() || !line.atomic.empty();
    if (has_options) add(flags, {"-Xclang", "-load", "-Xclang", pass});
    // Debug information that only the pass asked for would cost code generation a sixth of its
    // time, and objects half of their size.
    if (strips_debug) add_llvm(flags, "-sooth-strip-debug=true");
    // Following each assignment is for debuggers; names need where a variable lives.
    if (strips_debug) add(flags, {"-Xclang", "-fexperimental-assignment-tracking=disabled"});
    if (line.branches) add_llvm(flags, "-sooth-branches=true");
    if (!line.loops) add_llvm(flags, "-sooth-loops=false");
    if (!line.own) add_llvm(flags, "-sooth-own=false");
    if (!line.classes) add_llvm(flags, "-sooth-classes=false");
    if (line.facts) add_llvm(flags, "-sooth-facts=true");
    if (!line.monitor.empty()) add_llvm(flags, "-sooth-monitor=true");
    if (needs.all_memory) add_llvm(flags, "-sooth-monitor-memory=true");
    for (const std::string& name : needs.start_functions) add_llvm(flags, "-sooth-monitor-start=" + name);
    for (const std::string& name : needs.variables) add_llvm(flags, "-sooth-monitor-variable=" + name);
    for (const std::string& glob : line.only) add_llvm(flags, "-sooth-only=" + glob);
    for (const std::string& glob : line.skip) add_llvm(flags, "-sooth-skip=" + glob);
    for (const std::string& file : line.ignorelists) add_llvm(flags, "-sooth-ignorelist=" + file);
    for (const std::string& name : calls) add_llvm(flags, "-sooth-call=" + name);
    for (const std::string& glob : line.atomic) add_llvm(flags, "-sooth-atomic=" + glob);
  }
  add(flags, {"--end-no-unused-arguments"});
  return flags;
}

// The functions whose calls the property files name.
Result<Words> called_functions(const Words& files) {
  Words names;
  for (const std::string& file : files) {
    Result<logic::SyntaxFile> syntax = logic::parse_file(file);
    if (!syntax) return syntax.error();
    for (std::string& name : logic::called_functions(syntax.value())) names.push_back(std::move(name));
  }
  return names;
}

Result<logic::MonitorNeeds> monitor_needs(const std::string& file) {
  if (file.empty()) return logic::MonitorNeeds{};
  const Result<logic::SyntaxFile> syntax = logic::parse_file(file);
  if (!syntax) return syntax.error();
  return logic::monitor_needs(syntax.value());
}

// The runtime goes before all other libraries, so that it intercepts calls even if another library
// than libc has the function: an allocator, for one. It must stay even if nothing seems to need it.
Words link_flags(const CommandLine& line, const Installation& installation) {
  // Named as libraries, not as files: -x of the user's would make clang compile a file.
  if (line.is_static) return {"-L" + installation.libraries, "-l:libsooth_static.a"};
  return {"-L" + installation.libraries, "-Wl,--push-state,--no-as-needed", "-lsooth_rt", "-Wl,--pop-state",
          "-Wl,-rpath," + installation.libraries};
}

// After `--` everything is an input: our own flags go before it.
void append_flags(Words& command, const Words& flags) {
  for (std::size_t i = 0; i < command.size(); ++i) {
    if (command[i] != "--") continue;
    command.insert(command.begin() + static_cast<std::ptrdiff_t>(i), flags.begin(), flags.end());
    return;
  }
  command.insert(command.end(), flags.begin(), flags.end());
}

// Links with a note that names the objects without hooks (plain_objects.h).
int link_with_note(Words command, const Words& plain) {
  std::string folder = (std::filesystem::temp_directory_path() / "sooth-link-XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr) return run_and_wait(command); // without the note, rather than not at all
  const std::string text = folder + "/plain.s", object = folder + "/plain.o";
  std::ofstream(text) << note_text(plain);
  if (run_and_wait({clang_command(false), "-c", text, "-o", object}) == 0) append_flags(command, {"-Wl," + object});
  const int status = run_and_wait(command);
  std::error_code ignored;
  std::filesystem::remove_all(folder, ignored);
  return status;
}

int run(const Words& command) {
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  execvp(words[0], words.data());
  std::fprintf(stderr, "sooth: cannot run %s: %s\n", words[0], std::strerror(errno));
  return errno == ENOENT ? 127 : 126;
}

// Clang compiles what has to be compiled, and links.
int link(const CommandLine& line, Words command, const Installation& installation) {
  const bool has_monitors = !line.monitor.empty();
  if (line.is_static && has_monitors) { // no program without the monitors that were asked for
    std::fputs("sooth: a program linked with -static cannot be monitored\n", stderr);
    return 2;
  }
  if (line.is_static)
    std::fputs("sooth: warning: a program linked with -static runs, but cannot be recorded\n", stderr);
  const Words flags = link_flags(line, installation);
  if (line.is_static) append_flags(command, flags); // an archive has what those before it lack
  else command.insert(command.begin() + 1, flags.begin(), flags.end());
  const Words plain = line.is_static ? Words() : plain_objects(line.inputs);
  if (plain.empty() && (!has_monitors || line.is_shared)) return run(command);
  const int status = plain.empty() ? run_and_wait(command) : link_with_note(std::move(command), plain);
  if (status != 0 || !has_monitors || line.is_shared) return status;
  return build_monitors_in(line.monitor, line.output, installation);
}

} // namespace

int run_compiler(bool cxx, int argc, char** argv) {
  const CommandLine line = read_command_line(Words(argv + (argc > 0 ? 1 : 0), argv + argc));
  for (const std::string& mistake : line.mistakes) std::fprintf(stderr, "sooth: %s\n", mistake.c_str());
  if (!line.mistakes.empty()) return 2;
  if (line.help) {
    std::fputs(help_text().c_str(), stdout);
    return 0;
  }

  const Result<Words> calls = called_functions(line.properties);
  if (!calls) {
    std::fprintf(stderr, "sooth: %s\n", calls.error().text().c_str());
    return 2;
  }
  if (line.print_calls) {
    for (const std::string& name : calls.value()) std::printf("%s\n", name.c_str());
    return 0;
  }

  Words command = {clang_command(cxx)};
  const bool plain = !line.instrument || line.stage == Stage::Query || line.is_foreign;
  if (plain && !line.print_libraries && !line.print_headers) {
    command.insert(command.end(), line.passed_on.begin(), line.passed_on.end());
    return run(command);
  }
  const Result<Installation> installation = find_installation();
  if (!installation) {
    std::fprintf(stderr, "sooth: %s\n", installation.error().text().c_str());
    return 2;
  }
  if (line.print_libraries || line.print_headers) {
    if (line.print_libraries) std::printf("%s\n", installation.value().libraries.c_str());
    if (line.print_headers) std::printf("%s\n", installation.value().headers.c_str());
    return 0;
  }

  const Result<logic::MonitorNeeds> needs = monitor_needs(line.monitor);
  if (!needs) {
    std::fprintf(stderr, "sooth: %s\n", needs.error().text().c_str());
    return 2;
  }
  const Words compile = compile_flags(line, installation.value(), calls.value(), needs.value());
  command.insert(command.end(), compile.begin(), compile.end());
  command.insert(command.end(), line.passed_on.begin(), line.passed_on.end());
  if (line.stage == Stage::Link && line.has_inputs && !line.is_relocatable)
    return link(line, std::move(command), installation.value());
  return run(command);
}

} // namespace sooth::driver
