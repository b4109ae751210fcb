// Ready-made monitors, and all monitors of a file one after the other.
//
// Source: DAME, section 3. `atomicity of BLOCK` is the second formula there, word for word, with a
//   counter that SOOTH_ATOMIC keeps. `datarace on x` is the first one, with two differences. DAME
//   wants a reader to have written x in its past (in its first and second line): its tool does not
//   see the creation of threads, so that without it every variable that was set before the threads
//   began would be reported. Here the creation of a thread is an event of its creator, which
//   separates the two accesses, and a thread that only reads is seen, too. And atomic accesses of
//   the other thread do not count: they synchronise.
#include "logic/monitor_needs.h"
#include "logic/mttl.h"

namespace sooth::logic {
namespace {

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
}

// Without the excerpt of a text that the user has not written.
std::string first_line(const std::string& message) { return message.substr(0, message.find('\n')); }

knowledge::ActionKind action_of(const SyntaxEntry& entry) {
  if (entry.action.text == "abort") return knowledge::ActionKind::Abort;
  if (entry.action.text == "break") return knowledge::ActionKind::Break;
  if (entry.action.text == "call") return knowledge::ActionKind::Call;
  return knowledge::ActionKind::Continue;
}

} // namespace

bool is_about_all_memory(const SyntaxEntry& entry) {
  // DAME's atomicity is about all shared variables, whichever the block touches.
  return entry.monitor.over_all || (entry.monitor.ready == ReadyMade::Atomicity && entry.monitor.over.empty());
}

std::string expansion_of(const SyntaxEntry& entry) {
  std::string text = entry.monitor.ready == ReadyMade::DataRace
                         ? "monitor datarace at any t: forall u != t: (read($) -> !@u(plain_write($))) && "
                           "(write($) -> !@u(plain_read($) || plain_write($)))"
                         : "monitor atomicity at any t: block($) > 0 -> !exists u != t: block($) == @u(@t(block($)))";
  replace_all(text, "$", entry.monitor.subject.text);
  return text;
}

std::optional<Error> compile_monitors(const SyntaxFile& file, const Symbols& symbols, PropertyFile& out) {
  MonitorBuilder builder;
  builder.libraries = symbols.libraries;
  PropertyFile scratch;
  MonitorCompiler compiler(file, symbols, scratch, builder);
  for (const SyntaxEntry& entry : file.entries) {
    if (entry.kind != EntryKind::Monitor) continue;
    for (const MonitorEntry& other : out.monitors)
      if (other.name == entry.name.text)
        return file.error(entry.name.at, "there are two monitors '" + entry.name.text + "'");
    if (out.monitors.size() == knowledge::kMaxMonitors)
      return file.error(entry.name.at,
                        "the file has more than " + std::to_string(knowledge::kMaxMonitors) + " monitors");
    const Error place = file.error(entry.first, "");
    MonitorEntry told{entry.name.text, {place.file, place.line, place.column}, "", ""};
    told.text = file.text.substr(entry.first, entry.last - entry.first);
    if (entry.monitor.ready != ReadyMade::None) told.expansion = expansion_of(entry);

    knowledge::MonitorRow row;
    row.name = builder.text(told.name);
    row.text = builder.text(told.text);
    row.expansion = builder.text(told.expansion);
    row.file = builder.text(place.file);
    row.line = static_cast<std::uint32_t>(place.line);
    row.action = action_of(entry);
    row.call = builder.text(entry.call.text);
    for (const SyntaxName& name : entry.monitor.over) compiler.carry(name);
    builder.all_memory |= is_about_all_memory(entry);
    if (entry.monitor.ready == ReadyMade::None) {
      compiler.formula_at_thread(entry, row);
    } else {
      compiler.check_subject(entry);
      if (compiler.error()) return compiler.error();
      const Result<SyntaxFile> expansion = parse(told.expansion, file.name);
      if (!expansion) return file.error(entry.name.at, first_line(expansion.error().message));
      MonitorCompiler inner(expansion.value(), symbols, scratch, builder);
      inner.formula_at_thread(expansion.value().entries.front(), row);
      if (inner.error()) return file.error(entry.name.at, first_line(inner.error()->message));
    }
    if (compiler.error()) return compiler.error();
    out.monitors.push_back(std::move(told));
  }
  if (const auto missing = missing_hooks(scratch.variables, builder.all_memory, symbols)) return Error{*missing};
  if (out.monitors.empty()) return std::nullopt;
  out.compiled_monitors = builder.finish(scratch.variables);
  out.monitor_variables = std::move(scratch.variables);
  out.monitors_follow_all_memory = builder.all_memory;
  return std::nullopt;
}

} // namespace sooth::logic
