#include "properties/run_table.h"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

namespace sooth::properties {

using explore::Effect;
using explore::RelevantEvent;
using logic::ScalarKind;

std::string value_text(const logic::ScalarType& type, std::uint64_t bits) {
  unsigned width = 8u * type.bytes;
  if (type.bit_width != 0) {
    bits >>= type.bit_offset;
    width = type.bit_width;
  }
  if (width < 64) bits &= (std::uint64_t{1} << width) - 1;
  switch (type.kind) {
  case ScalarKind::Bool: return bits != 0 ? "true" : "false";
  case ScalarKind::Pointer: return fmt::format("{:#x}", bits);
  case ScalarKind::Unsigned: return fmt::format("{}", bits);
  case ScalarKind::Float:
    if (width == 32) return fmt::format("{}", std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
    if (width == 64) return fmt::format("{}", std::bit_cast<double>(bits));
    return fmt::format("{:#x}", bits);
  case ScalarKind::Signed: break;
  }
  if (width < 64 && ((bits >> (width - 1)) & 1) != 0) bits |= ~((std::uint64_t{1} << width) - 1);
  return fmt::format("{}", static_cast<std::int64_t>(bits));
}

struct RunTable::State {
  std::vector<std::uint64_t> values;
  std::vector<std::uint32_t> bindings;

  void take(const Effect& effect) {
    if (effect.binds != 0) bindings[effect.variable] = effect.binds;
    else if (effect.binding != explore::kAnyBinding && bindings[effect.variable] != effect.binding) return;
    values[effect.variable] = (values[effect.variable] & ~effect.mask) | effect.bits;
  }
};

const RelevantEvent& RunTable::relevant(causality::EventIndex event) const {
  return *std::ranges::lower_bound(events_.events, event, {}, &RelevantEvent::event);
}

std::string RunTable::state_text(const State& state, const logic::Property& property) const {
  std::string out;
  for (const std::uint32_t v : property.variables)
    out += fmt::format("{}{} = {}", out.empty() ? "" : ", ", file_.variables[v].name,
                       value_text(file_.types[v], state.values[v]));
  return out;
}

std::string event_name(const logic::EventPredicate& p) {
  static constexpr const char* kWords[] = {"call", "return", "acquire", "release", "start of", "end of", "event"};
  const std::string name = p.any ? "*" : p.has_thread ? fmt::format("thread {}", p.thread) : p.name;
  return fmt::format("{} {}", kWords[static_cast<unsigned>(p.what)], name);
}

static const char* entry_word(logic::PropertyKind kind) {
  switch (kind) {
  case logic::PropertyKind::Pattern: return "pattern";
  case logic::PropertyKind::Machine: return "machine";
  case logic::PropertyKind::Liveness: return "liveness";
  default: return "property";
  }
}

// Several lines of the file become one.
witness::PropertyRun rule_of(const logic::Property& property) {
  witness::PropertyRun out;
  bool space = false;
  for (const char c : property.text) {
    const bool blank = c == ' ' || c == '\t' || c == '\n' || c == '\r';
    if (!blank && space && !out.rule.empty()) out.rule += ' ';
    if (!blank) out.rule += c;
    space = blank;
  }
  out.place = fmt::format("{}:{}", property.place.file, property.place.line);
  out.entry = entry_word(property.kind);
  return out;
}

std::string RunTable::step_text(const RelevantEvent& event, const State& after, const logic::Property& property) const {
  std::string out;
  const auto add = [&out](const std::string& text) { out += (out.empty() ? "" : ", ") + text; };
  for (std::uint32_t k = event.first_effect; k < event.first_effect + event.effects; ++k) {
    const std::uint32_t v = events_.effects[k].variable;
    if (std::ranges::find(property.variables, v) == property.variables.end() && !property.variables.empty()) {
      add(fmt::format("({} changes)", file_.variables[v].name));
      continue;
    }
    add(fmt::format("{} = {}", file_.variables[v].name, value_text(file_.types[v], after.values[v])));
  }
  for (std::size_t k = 0; k < file_.events.size(); ++k)
    if (((event.happened >> k) & 1) != 0) add(event_name(file_.events[k]));
  if (trace_.events[event.event].kind == trace::EventKind::ExternalWrite) out += " (from outside)";
  return out;
}

witness::PropertyRun RunTable::run(const logic::Property& property, std::span<const causality::EventIndex> path) const {
  constexpr std::size_t kSteps = 40;
  State state{events_.initial, std::vector<std::uint32_t>(file_.variables.size(), 0)};
  witness::PropertyRun out = rule_of(property);
  out.initial = state_text(state, property);
  out.skipped = path.size() > kSteps ? path.size() - kSteps : 0;
  for (std::size_t k = 0; k < path.size(); ++k) {
    const RelevantEvent& event = relevant(path[k]);
    for (std::uint32_t e = event.first_effect; e < event.first_effect + event.effects; ++e)
      state.take(events_.effects[e]);
    if (k < out.skipped) continue; // only followed
    const auto place = static_cast<std::uint64_t>(&event - events_.events.data()) + 1;
    out.steps.push_back({static_cast<std::uint32_t>(event.event), step_text(event, state, property),
                         state_text(state, property), place});
  }
  out.cut.assign(trace_.threads.size(), 0);
  for (const causality::EventIndex event : path) ++out.cut[trace_.events[event].thread];
  return out;
}

witness::RunStep RunTable::recorded_step(const logic::Property& property, causality::EventIndex event) const {
  std::vector<causality::EventIndex> path;
  for (const RelevantEvent* e = events_.events.data(); e <= &relevant(event); ++e) path.push_back(e->event);
  const State state = follow(path);
  return {static_cast<std::uint32_t>(event), step_text(relevant(event), state, property), state_text(state, property),
          path.size()};
}

RunTable::State RunTable::follow(std::span<const causality::EventIndex> path) const {
  State state{events_.initial, std::vector<std::uint32_t>(file_.variables.size(), 0)};
  for (const causality::EventIndex index : path) {
    const RelevantEvent& event = relevant(index);
    for (std::uint32_t e = event.first_effect; e < event.first_effect + event.effects; ++e)
      state.take(events_.effects[e]);
  }
  return state;
}

std::string RunTable::state_after(const logic::Property& property, std::span<const causality::EventIndex> path) const {
  return state_text(follow(path), property);
}

std::string RunTable::step_after(const logic::Property& property, std::span<const causality::EventIndex> before,
                                 causality::EventIndex event) const {
  std::vector<causality::EventIndex> path(before.begin(), before.end());
  path.push_back(event);
  return step_text(relevant(event), follow(path), property);
}

} // namespace sooth::properties
