#include "cli/recording.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <tuple>

#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <fmt/format.h>

#include "cli/watch.h"
#include "logic/names/symbols.h"
#include "logic/resolve.h"
#include "trace/format.h"
#include "trace/program/program.h"

namespace sooth::cli {

namespace fs = std::filesystem;

namespace {

// Distinguishes a new file from one that existed before.
struct Stamp {
  bool exists = false;
  ino_t file = 0;
  timespec changed = {};
  friend bool operator==(const Stamp& a, const Stamp& b) {
    return a.exists == b.exists && a.file == b.file && a.changed.tv_sec == b.changed.tv_sec &&
           a.changed.tv_nsec == b.changed.tv_nsec;
  }
};

Stamp stamp_of(const std::string& path) {
  struct stat info = {};
  if (stat(path.c_str(), &info) != 0) return {};
  return {true, info.st_ino, info.st_ctim};
}

// The runtime names a trace PROGRAM.PID.sooth. After an exec, PROGRAM is not the program that we
// started.
std::string find_default_trace(pid_t pid) {
  const std::string ending = fmt::format(".{}.sooth", pid);
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(".", error))
    if (std::string name = entry.path().filename().string(); name.ends_with(ending)) return name;
  return {};
}

bool read_header(const fs::path& file, trace::FileHeader& header) {
  std::ifstream in(file, std::ios::binary);
  return in.read(reinterpret_cast<char*>(&header), sizeof header) && header.magic == trace::kFileMagic;
}

// The name of the program in PROGRAM.PID.sooth.
std::string program_in(const fs::path& file, std::uint32_t process) {
  const std::string name = file.filename().string();
  return name.substr(0, name.rfind(fmt::format(".{}.", process)));
}

// The runtime writes the traces of other processes beside that of the first one. SOOTH_RUN says
// that they are of a run that this process has started; there may have been others before.
std::vector<ChildTrace> child_traces(const std::string& trace, std::uint64_t since_ns) {
  struct Row {
    std::uint64_t start = 0;
    ChildTrace child;
  };
  std::vector<Row> rows;
  std::error_code error;
  trace::FileHeader first;
  if (trace.empty() || !read_header(trace, first)) return {};
  const fs::path own = fs::absolute(trace, error);
  for (fs::directory_iterator it(own.parent_path(), error), end; !error && it != end; it.increment(error)) {
    trace::FileHeader header;
    if (it->path().extension() != ".sooth" || it->path().filename() == own.filename()) continue;
    if (!read_header(it->path(), header) || header.run != static_cast<std::uint32_t>(getpid())) continue;
    if (header.start_time_ns < since_ns) continue;
    const std::string kin = header.pid == first.pid ? "after exec" : fmt::format("a child of {}", header.parent_pid);
    rows.push_back(
        {header.start_time_ns,
         {it->path().string(), fmt::format("{} (process {}, {})", program_in(it->path(), header.pid), header.pid, kin),
          header.pid}});
  }
  std::ranges::sort(rows, [](const Row& a, const Row& b) {
    return std::tie(a.start, a.child.process) < std::tie(b.start, b.child.process);
  });
  std::vector<ChildTrace> out;
  for (Row& row : rows) out.push_back(std::move(row.child));
  return out;
}

std::uint64_t now_ns() {
  timespec now = {};
  clock_gettime(CLOCK_REALTIME, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(now.tv_nsec);
}

// A killed program could not record how it ended; its parent, this process, knows it.
void note_end(const Recording& recording) {
  if (recording.trace.empty() || !WIFSIGNALED(recording.ended.status)) return;
  std::fstream file(recording.trace, std::ios::binary | std::ios::in | std::ios::out);
  trace::FileHeader header;
  if (!file.read(reinterpret_cast<char*>(&header), sizeof header) || header.magic != trace::kFileMagic) return;
  if (header.pid != static_cast<std::uint32_t>(recording.ended.pid) ||
      header.end_kind != static_cast<std::uint32_t>(trace::EndKind::Running))
    return;
  header.end_kind = static_cast<std::uint32_t>(trace::EndKind::Signal);
  header.end_value = WTERMSIG(recording.ended.status);
  file.seekp(0).write(reinterpret_cast<const char*>(&header), sizeof header);
}

// An allocator in LD_PRELOAD would stand before the runtime, which then saw none of its objects.
// So the runtime goes first, for programs that have it (it takes itself out of the variable again).
// The program's own search path finds it.
void go_before_preloaded(const std::string& program, Environment& environment) {
  const char* preloaded = std::getenv("LD_PRELOAD");
  if (preloaded == nullptr || *preloaded == '\0') return;
  std::ifstream file(program, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), {});
  if (!bytes.starts_with("\x7f"
                         "ELF") ||
      bytes.find("libsooth_rt.so") == std::string::npos)
    return;
  environment.set.emplace_back("LD_PRELOAD", fmt::format("libsooth_rt.so:{}", preloaded));
}

} // namespace

void add_record_options(Parser& parser, RecordOptions& options, const std::string& all) {
  parser.add_option("-o,--output", options.output, "Where the trace goes")->type_name("T.sooth");
  parser.add_flag(all, options.all, "Keep every event; nothing that repeats is left out");
  parser.add_option("--property", options.property, "Keep whatever this property can see, in its real order")
      ->type_name("P");
  parser.add_flag("--inputs", options.inputs,
                  "Also keep what the program gets from outside, so that a replay can give it the same: files, pipes,\n"
                  "sockets, time, random numbers, ids. The trace then holds the data that it read");
  parser.add_option("--timeout", options.timeout, "End the program after so many seconds; 0: never")
      ->type_name("SECONDS")
      ->at_least(0)
      ->show_default();
}

std::string check_record_options(const RecordOptions& options) {
  if (!options.property.empty() && (!std::ifstream(options.property) || fs::is_directory(options.property)))
    return fmt::format("cannot read the property file {}.", options.property);
  if (const fs::path folder = fs::path(options.output).parent_path(); !folder.empty() && !fs::is_directory(folder))
    return fmt::format("cannot write {}: there is no folder {}.", options.output, folder.string());
  return {};
}

Result<std::string> fit(const std::string& property, const std::string& program) {
  const std::string all = "exact=all"; // for variables whose addresses are not known yet
  const auto symbols = logic::symbols_of_program(program);
  if (!symbols) return all;
  auto file = logic::load_properties(property, symbols.value());
  if (!file) return symbols.value().may_grow ? Result<std::string>(all) : file.error();
  if (file->monitors_follow_all_memory) return all;
  std::vector<logic::Variable> variables = std::move(file->variables);
  std::ranges::move(file->monitor_variables, std::back_inserter(variables));
  if (variables.empty()) return std::string();
  std::string out = "exact=";
  for (const logic::Variable& variable : variables) {
    if (variable.watched) continue; // the runtime knows watched variables
    const std::uint64_t library = variable.address / trace::kLibraryStep;
    out += fmt::format("{:x}+{:x}", variable.address % trace::kLibraryStep, variable.size);
    if (library != 0) out += "@" + symbols.value().libraries[library - 1];
    out += ',';
  }
  return out.find(':') == std::string::npos ? out : all;
}

Result<Recording> record(const std::vector<std::string>& command, const RecordOptions& options,
                         const Standstill& standstill) {
  Environment environment;
  std::string target;
  if (!options.output.empty()) {
    target = fs::absolute(options.output).string();
    environment.set.emplace_back("SOOTH_TRACE", target);
  } else if (const char* chosen = std::getenv("SOOTH_TRACE"); chosen != nullptr) {
    target = chosen;
  }
  std::vector<std::string> settings;
  if (options.all || !options.property.empty()) settings.emplace_back("detail=all");
  if (!options.exact.empty()) settings.push_back(options.exact);
  if (options.inputs) settings.emplace_back("inputs=1");
  environment.fixed_addresses = options.inputs; // as in the replay
  if (!settings.empty()) {
    if (const char* before = std::getenv("SOOTH_OPTIONS"); before != nullptr && *before != '\0')
      settings.insert(settings.begin(), before);
    environment.set.emplace_back("SOOTH_OPTIONS", fmt::format("{}", fmt::join(settings, ":")));
  }

  // The runtime never overwrites a file: it would record into another one beside it.
  if (std::error_code problem; !options.output.empty() && !fs::remove(target, problem) && problem)
    return Error{fmt::format("cannot replace the trace: {}.", problem.message()), options.output};
  const Stamp before = stamp_of(target);
  environment.set.emplace_back("SOOTH_RUN", std::to_string(getpid()));
  go_before_preloaded(command.front(), environment);
  const std::uint64_t since = now_ns();
  Watch watch({options.timeout, standstill.report ? target : "", standstill.keep,
               [&] { standstill.report(target, child_traces(target, since)); }});
  Result<Ended> ended = launch(command, environment, std::ref(watch));
  if (!ended) return ended.error();
  Recording result{*ended, {}, {}, watch.timed_out(), watch.stood_still()};
  if (target.empty()) result.trace = find_default_trace(ended->pid);
  else if (const Stamp after = stamp_of(target); after.exists && !(after == before))
    result.trace = options.output.empty() ? target : options.output;
  note_end(result);
  result.children = child_traces(result.trace, since);
  return result;
}

std::string why_no_trace(const std::string& program) {
  const auto is_set = [](const char* name) {
    const char* value = std::getenv(name);
    return value != nullptr && *value != '\0';
  };
  if (is_set("SOOTH_OBSERVER"))
    return fmt::format("{} left no trace: SOOTH_OBSERVER is set, and a program that is observed writes none.", program);
  if (is_set("SOOTH_MONITOR"))
    return fmt::format("{} left no trace: SOOTH_MONITOR is set, and a program that is monitored writes none.", program);
  return fmt::format("{} left no trace. Was it built with `sooth cc` or `sooth c++`, and without --monitor?", program);
}

std::vector<std::string> program_arguments(std::vector<std::string> words) {
  if (!words.empty() && words.front() == "--") words.erase(words.begin());
  return words;
}

} // namespace sooth::cli
