#include "capture/driver/arguments.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <string_view>

namespace sooth::driver {

namespace {

constexpr unsigned kMaxNesting = 16; // response files that name each other

// Options whose next argument is a value, which must not be taken for an input.
constexpr std::array<std::string_view, 54> kTakesValue = {"-o",
                                                          "-x",
                                                          "-I",
                                                          "-L",
                                                          "-D",
                                                          "-U",
                                                          "-l",
                                                          "-MF",
                                                          "-MT",
                                                          "-MQ",
                                                          "-MJ",
                                                          "-include",
                                                          "-imacros",
                                                          "-isystem",
                                                          "-iquote",
                                                          "-idirafter",
                                                          "-isysroot",
                                                          "-iprefix",
                                                          "-iwithprefix",
                                                          "-iwithprefixbefore",
                                                          "-include-pch",
                                                          "-Xclang",
                                                          "-Xlinker",
                                                          "-Xpreprocessor",
                                                          "-Xassembler",
                                                          "-Xanalyzer",
                                                          "-mllvm",
                                                          "-target",
                                                          "--target",
                                                          "-arch",
                                                          "-T",
                                                          "-u",
                                                          "-z",
                                                          "-e",
                                                          "-h",
                                                          "-B",
                                                          "-F",
                                                          "-framework",
                                                          "-b",
                                                          "-V",
                                                          "-soname",
                                                          "-rpath",
                                                          "--param",
                                                          "-working-directory",
                                                          "--sysroot",
                                                          "-resource-dir",
                                                          "-gcc-toolchain",
                                                          "-ivfsoverlay",
                                                          "-dumpbase",
                                                          "-dumpdir",
                                                          "-serialize-diagnostics",
                                                          "--serialize-diagnostics",
                                                          "-cxx-isystem",
                                                          "-fmodule-file-home"};

constexpr std::array<std::string_view, 13> kQueries = {"--version",
                                                       "-dumpversion",
                                                       "-dumpmachine",
                                                       "--help",
                                                       "-help",
                                                       "--help-hidden",
                                                       "-dumpspecs",
                                                       "--print-supported-cpus",
                                                       "-print-supported-cpus",
                                                       "--print-supported-extensions",
                                                       "-print-target-triple",
                                                       "--print-target-triple",
                                                       "--autocomplete"};

bool is_one_of(std::string_view text, const auto& list) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

// Objects and libraries are linked; assembler has no accesses that the pass could see. Everything
// else is compiled.
bool is_compiled(std::string_view input) {
  static constexpr std::array<std::string_view, 9> kNotCompiled = {".o",  ".a",   ".so", ".s", ".S",
                                                                   ".lo", ".obj", ".ld", ".sx"};
  if (input == "-") return true;
  const std::size_t dot = input.rfind('.');
  if (dot == std::string_view::npos || input.find('/', dot) != std::string_view::npos) return false;
  return !is_one_of(input.substr(dot), kNotCompiled) && input.find(".so.") == std::string_view::npos;
}

// A header is precompiled: nothing is linked.
bool is_header(std::string_view input, std::string_view language) {
  if (!language.empty()) return language.ends_with("-header");
  static constexpr std::array<std::string_view, 7> kHeaders = {".h", ".hh", ".hpp", ".hxx", ".h++", ".hp", ".H"};
  return std::any_of(kHeaders.begin(), kHeaders.end(), [&](std::string_view end) { return input.ends_with(end); });
}

// Sanitizers whose runtime must be alone in a program: they intercept what ours does, or their own
// accesses of what lies around variables would be taken for the program's.
bool is_alone(std::string_view sanitizers) {
  for (std::string_view rest = sanitizers; !rest.empty();) {
    const std::string_view one = rest.substr(0, rest.find(','));
    for (const std::string_view known : {"address", "kernel-address", "thread", "memory", "hwaddress", "dataflow"})
      if (one == known) return true;
    rest.remove_prefix(std::min(rest.size(), one.size() + 1));
  }
  return false;
}

// The arguments in a response file: separated by white space, with quotes and backslashes as GNU
// tools read them.
std::vector<std::string> split_response(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  bool open = false;
  char quote = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\\' && i + 1 < text.size()) {
      word += text[++i];
      open = true;
    } else if (quote != 0) {
      if (c == quote) quote = 0;
      else word += c;
    } else if (c == '"' || c == '\'') {
      quote = c;
      open = true;
    } else if (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v') {
      if (open) words.push_back(std::move(word));
      word.clear();
      open = false;
    } else {
      word += c;
      open = true;
    }
  }
  if (open) words.push_back(std::move(word));
  return words;
}

class Reader {
public:
  CommandLine run(const std::vector<std::string>& arguments) {
    for (const std::string& argument : arguments)
      if (read(argument, 0)) line_.passed_on.push_back(argument);
    if (globs_ != nullptr) line_.mistakes.push_back("--only and --skip need a pattern");
    if (is_monitor_) line_.mistakes.emplace_back("--monitor needs a property file");
    if (!sanitizer_.empty() && line_.instrument)
      line_.mistakes.push_back(sanitizer_ +
                               " and Sooth do not go together in one program; leave one of them out (-fno-sooth)");
    return std::move(line_);
  }

private:
  // Returns false for an option of our own.
  bool read(const std::string& argument, unsigned nesting) {
    if (argument.size() > 1 && argument[0] == '@' && !expects_value_) return read_response(argument, nesting);
    if (is_monitor_) {
      is_monitor_ = false;
      line_.monitor = argument;
      return false;
    }
    if (expects_value_) {
      expects_value_ = false;
      if (is_language_) set_language(argument);
      if (is_output_) line_.output = argument;
      is_language_ = is_output_ = false;
      return true;
    }
    if (globs_ != nullptr) {
      globs_->push_back(argument);
      globs_ = nullptr;
      return false;
    }
    if (after_dashes_ || argument.empty() || argument[0] != '-' || argument == "-") {
      add_input(argument);
      return true;
    }
    if (read_own(argument)) {
      if (nesting != 0)
        line_.mistakes.push_back(argument + " cannot stand in a response file; put it on the command line");
      return false;
    }
    read_option(argument);
    return true;
  }

  bool read_response(const std::string& argument, unsigned nesting) {
    std::ifstream file(argument.substr(1), std::ios::binary);
    if (!file || nesting >= kMaxNesting) return true; // clang says what is wrong with it
    const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    for (const std::string& word : split_response(text)) read(word, nesting + 1);
    return true;
  }

  void add_input(const std::string& input) {
    line_.has_inputs = true;
    line_.inputs.push_back(input);
    const bool compiled = language_.empty() ? is_compiled(input) : language_.find("assembler") != 0;
    if (compiled) line_.has_sources = true;
    if (is_header(input, language_)) stop_at(Stage::Compile);
    for (std::string_view device : {".cu", ".cl", ".hip"})
      if (language_.empty() && input.ends_with(device)) line_.is_foreign = true;
  }

  void set_language(const std::string& language) {
    language_ = language == "none" ? "" : language;
    if (language_ == "cuda" || language_ == "hip" || language_ == "cl") line_.is_foreign = true;
  }

  bool read_own(const std::string& argument) {
    constexpr std::string_view kIgnorelist = "-fsooth-ignorelist=", kProperty = "-fsooth-property=";
    constexpr std::string_view kOnly = "--only=", kSkip = "--skip=", kMonitor = "--monitor=";
    constexpr std::string_view kAtomic = "-fsooth-atomic=";
    if (argument == "--only") globs_ = &line_.only;
    else if (argument == "--skip") globs_ = &line_.skip;
    else if (argument.starts_with(kOnly)) line_.only.push_back(argument.substr(kOnly.size()));
    else if (argument.starts_with(kSkip)) line_.skip.push_back(argument.substr(kSkip.size()));
    else if (argument.starts_with(kIgnorelist)) line_.ignorelists.push_back(argument.substr(kIgnorelist.size()));
    else if (argument.starts_with(kProperty)) line_.properties.push_back(argument.substr(kProperty.size()));
    else if (argument.starts_with(kAtomic)) line_.atomic.push_back(argument.substr(kAtomic.size()));
    else if (argument.starts_with(kMonitor)) line_.monitor = argument.substr(kMonitor.size());
    else if (argument == "--monitor") is_monitor_ = true;
    else if (argument == "-fno-sooth") line_.instrument = false;
    else if (argument == "-fsooth") line_.instrument = true;
    else if (argument == "-fno-sooth-branches") line_.branches = false;
    else if (argument == "-fsooth-branches") line_.branches = true;
    else if (argument == "-fno-sooth-loops") line_.loops = false;
    else if (argument == "-fsooth-loops") line_.loops = true;
    else if (argument == "-fno-sooth-classes") line_.classes = false;
    else if (argument == "-fsooth-classes") line_.classes = true;
    else if (argument == "-fsooth-own") line_.own = true;
    else if (argument == "-fno-sooth-own") line_.own = false;
    else if (argument == "-fsooth-facts") line_.facts = true;
    else if (argument == "-fno-sooth-facts") line_.facts = false;
    else if (argument == "-fsooth-tsan-annotations") line_.tsan_annotations = true;
    else if (argument == "-fno-sooth-tsan-annotations") line_.tsan_annotations = false;
    else if (argument == "--sooth-help") line_.help = true;
    else if (argument == "--sooth-print-calls") line_.print_calls = true;
    else if (argument == "--sooth-print-libdir") line_.print_libraries = true;
    else if (argument == "--sooth-print-includedir") line_.print_headers = true;
    else if (argument.starts_with("-fsooth-") || argument.starts_with("-fno-sooth-") ||
             argument.starts_with("--sooth-"))
      line_.mistakes.push_back("unknown option " + argument + "; --sooth-help lists Sooth's own");
    else return false;
    return true;
  }

  void stop_at(Stage stage) { line_.stage = std::min(line_.stage, stage); }

  void read_option(const std::string& argument) {
    if (argument == "--") after_dashes_ = true;
    else if (argument == "-c" || argument == "-S" || argument == "--compile" || argument == "--assemble")
      stop_at(Stage::Compile);
    else if (argument == "-E" || argument == "-M" || argument == "-MM" || argument == "--preprocess")
      stop_at(Stage::Preprocess);
    else if (argument == "-fsyntax-only" || argument == "--analyze" || argument == "--precompile")
      stop_at(Stage::Preprocess);
    else if (is_one_of(argument, kQueries) || argument.starts_with("-print-") || argument.starts_with("--print-"))
      stop_at(Stage::Query);
    else if (argument == "-static" || argument == "-static-pie" || argument == "--static" || argument == "--static-pie")
      line_.is_static = true;
    else if (argument == "-shared" || argument == "--shared") line_.is_shared = true;
    else if (argument == "-r" || argument == "--relocatable") line_.is_relocatable = true;
    else if (argument == "-ffreestanding") line_.is_foreign = true;
    else if (constexpr std::string_view kSanitize = "-fsanitize="; argument.starts_with(kSanitize))
      sanitizer_ = is_alone(argument.substr(kSanitize.size())) ? argument : sanitizer_;
    else if (argument.starts_with("-fno-sanitize=") || argument == "-fno-sanitize") sanitizer_.clear();
    else if (argument.starts_with("-g") && !argument.starts_with("-gcc-")) read_debug_flag(argument);
    else if (argument.starts_with("-x") && argument.size() > 2) set_language(argument.substr(2));
    else if (argument.starts_with("-l")) line_.has_inputs = true;
    else if (argument.starts_with("-o") && argument.size() > 2) line_.output = argument.substr(2);
    if (argument == "-x") is_language_ = true;
    if (argument == "-o") is_output_ = true;
    if (is_one_of(argument, kTakesValue)) expects_value_ = true;
  }

  void read_debug_flag(const std::string& flag) {
    line_.has_debug_flag |= chooses_debug_level(flag);
    line_.wants_debug |= !flag.starts_with("-gno-") && flag != "-g0" && flag != "-ggdb0";
  }

  // -gdwarf-5 or -gz say how, not how much: -g is still to be added for them.
  static bool chooses_debug_level(std::string_view flag) {
    return flag == "-g" || flag == "-g0" || flag == "-g1" || flag == "-g2" || flag == "-g3" || flag == "-ggdb" ||
           flag == "-ggdb0" || flag == "-ggdb1" || flag == "-ggdb2" || flag == "-ggdb3" || flag == "-gmlt" ||
           flag == "-gline-tables-only" || flag == "-gline-directives-only" || flag == "-gfull";
  }

  CommandLine line_;
  std::string sanitizer_;                     // the option, if it names one that must be alone
  std::string language_;                      // of the inputs that follow: -x
  std::vector<std::string>* globs_ = nullptr; // the next argument goes here
  bool expects_value_ = false;
  bool is_language_ = false;
  bool is_output_ = false;
  bool is_monitor_ = false;
  bool after_dashes_ = false;
};

} // namespace

CommandLine read_command_line(const std::vector<std::string>& arguments) { return Reader().run(arguments); }

std::string help_text() {
  return "Sooth's compilers take every option of clang 19, and these of their own:\n"
         "  -fsooth-ignorelist=FILE   leave out what the file names (fun:, src:; the format of clang's ignorelists);\n"
         "                            looks:NAME says of a function that it only prints what it is given\n"
         "  --only GLOB               record only functions and source files that match; may be repeated\n"
         "  --skip GLOB               leave out functions and source files that match; may be repeated\n"
         "  -fsooth-facts             write what events depend on, for the models `sliced` and `full`; records "
         "everything\n"
         "  -fsooth-property=FILE     make every call of the functions that the property file names in call() or "
         "return()\n"
         "                            an event: they are not inlined, and recorded whatever they do\n"
         "  -fsooth-atomic=GLOB       functions that are meant to be atomic are not inlined, and recorded whatever "
         "they "
         "do\n"
         "  -fsooth-tsan-annotations  compile as code for ThreadSanitizer is: __SANITIZE_THREAD__ is defined and\n"
         "                            __has_feature(thread_sanitizer) holds, so that code annotates what it does\n"
         "  -fsooth-branches          record branches that depend on loaded values, where a run is asked for them\n"
         "  -fno-sooth-own            record also what a thread does in memory that it has to itself for long; then\n"
         "                            nothing in the whole program is left out for that reason\n"
         "  -fno-sooth-loops          record every access of a loop by itself, also where it walks over a known range\n"
         "  -fno-sooth-classes        leave out what becomes of values that are read; then `full` is `maximal`\n"
         "  --monitor FILE            build the monitors of this property file in, and instrument only what they see;\n"
         "                            for compiling and for linking (docs/monitors.md)\n"
         "  -fno-sooth                compile and link as plain clang would\n"
         "  --sooth-print-calls       print the functions whose calls -fsooth-property=FILE makes events\n"
         "  --sooth-print-libdir      print where the pass and the runtime are\n"
         "  --sooth-print-includedir  print where <sooth/sooth.h> and <sooth/monitor.h> are\n"
         "  --sooth-help              print this\n"
         "Environment: SOOTH_CLANG and SOOTH_CLANGXX name the clang and clang++ to run.\n";
}

} // namespace sooth::driver
