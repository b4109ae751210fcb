#include "trace/program/process_text.h"

#include <algorithm>
#include <charconv>

#include "trace/file/chunk_scan.h"

namespace sooth::trace {
namespace {

std::string escaped(std::string_view value) {
  std::string out;
  for (const char c : value) {
    if (c == '\n') out += "\\n";
    else if (c == '\\') out += "\\\\";
    else out += c;
  }
  return out;
}

std::string unescaped(std::string_view value) {
  std::string out;
  for (std::size_t i = 0; i < value.size(); ++i) {
    if (value[i] != '\\' || i + 1 == value.size()) out += value[i];
    else out += value[++i] == 'n' ? '\n' : value[i];
  }
  return out;
}

// Takes a number and the space after it off the front.
bool take_number(std::string_view& text, std::uint32_t& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end == text.data() + text.size() || *end != ' ') return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()) + 1);
  return true;
}

// The runtime writes libraries twice: when the program's first thread is created, and at the end,
// which may never come.
bool has(const std::vector<std::string>& libraries, const std::string& path) {
  return std::find(libraries.begin(), libraries.end(), path) != libraries.end();
}

void read_thread(std::string_view text, Trace& trace) {
  std::uint32_t number = 0;
  std::uint32_t parent = 0;
  std::uint32_t ended = 0;
  if (!take_number(text, number) || !take_number(text, parent) || !take_number(text, ended)) return;
  if (number >= kMaxThreads || parent >= kMaxThreads) return;
  if (number >= trace.threads.size()) trace.threads.resize(number + 1);
  trace.threads[number] = {unescaped(text), parent, ended != 0};
}

} // namespace

void read_process_text(std::string_view text, Trace& trace) {
  const bool frozen = (trace.flags & kFrozen) != 0;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos) continue;
    const std::string_view key = line.substr(0, equals);
    const std::string_view raw = line.substr(equals + 1);
    const std::string value = frozen ? unescaped(raw) : std::string(raw);
    if (key == "program") trace.process.program = value;
    else if (key == "argument") trace.process.arguments.push_back(value);
    else if (key == "directory") trace.process.directory = value;
    else if (key == "library" && (frozen || !has(trace.process.plain_libraries, value)))
      trace.process.plain_libraries.push_back(value);
    else if (key == "thread" && frozen) read_thread(raw, trace);
    else if (key == "note" && frozen) trace.notes.push_back(value);
  }
}

std::string write_process_text(const Trace& trace) {
  std::string out;
  const auto line = [&out](std::string_view key, std::string_view value) {
    out.append(key).append("=").append(escaped(value)).append("\n");
  };
  if (!trace.process.program.empty()) line("program", trace.process.program);
  for (const std::string& argument : trace.process.arguments) line("argument", argument);
  if (!trace.process.directory.empty()) line("directory", trace.process.directory);
  for (const std::string& library : trace.process.plain_libraries) line("library", library);
  for (std::size_t i = 0; i < trace.threads.size(); ++i) {
    const Thread& thread = trace.threads[i];
    line("thread",
         std::to_string(i) + " " + std::to_string(thread.parent) + (thread.ended ? " 1 " : " 0 ") + thread.name);
  }
  for (const std::string& note : trace.notes) line("note", note);
  return out;
}

} // namespace sooth::trace
