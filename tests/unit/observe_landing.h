// The landing example as messages, for tests of the observer that need no sockets and no program.
#pragma once

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "observe/program.h"
#include "trace/format.h"

namespace sooth::observe {

inline constexpr const char* kLanding = "property safe_landing: start(landing == 1) -> [approved == 1, radio == 0)\n";

// A module with the three variables of the landing example and no code.
inline std::vector<std::uint8_t> landing_module() {
  const std::string strings = std::string("\0landing\0approved\0radio\0int\0", 28);
  const auto at = [&](const char* text) {
    return static_cast<std::uint32_t>(strings.find(std::string("\0", 1) + text) + 1);
  };
  trace::ModuleHeader header = {};
  header.first_site = 1;
  header.globals = 3;
  header.string_bytes = static_cast<std::uint32_t>(strings.size());
  std::vector<std::uint8_t> out(sizeof header);
  std::memcpy(out.data(), &header, sizeof header);
  std::uint64_t address = 0x1000;
  for (const char* name : {"landing", "approved", "radio"}) {
    trace::GlobalRow row = {};
    row.address = address;
    row.bytes = 4;
    row.name = at(name);
    row.type = at("int");
    address += 4;
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(&row);
    out.insert(out.end(), bytes, bytes + sizeof row);
  }
  out.insert(out.end(), strings.begin(), strings.end());
  return out;
}

// A program under observation, and what its observer said.
struct Observation {
  std::vector<report::Report> findings;
  std::vector<std::string> notes;
  ProgramOptions options;
  std::unique_ptr<ObservedProgram> program;
  Table table;

  explicit Observation(const std::string& property = kLanding, std::uint64_t most_waiting = 1u << 20,
                       std::uint64_t most_bytes = std::uint64_t{1} << 30) {
    options.property_name = "test.prop";
    options.property_text = property;
    options.most_waiting = most_waiting;
    options.most_bytes = most_bytes;
    Hello hello;
    hello.program = "landing";
    program = std::make_unique<ObservedProgram>(hello, options,
                                                Speaker{[this](const report::Report& r) { findings.push_back(r); },
                                                        [this](const std::string& note) { notes.push_back(note); }});
  }
  std::optional<Error> say(const Message& message, std::vector<Message>* answers = nullptr) {
    std::vector<Message> ignored;
    return program->take(message, answers != nullptr ? *answers : ignored);
  }
  // Symbols, table, initial state. False if the observer did not want them.
  bool begin(std::size_t variables = 3) {
    const auto bytes = landing_module();
    std::vector<Message> answers;
    if (say(ModulePart{0, 0, bytes.size(), bytes}) || say(SymbolsSent{1}, &answers) || answers.size() != 1)
      return false;
    if (!std::holds_alternative<Table>(answers[0])) return false;
    table = std::get<Table>(answers[0]);
    return table.variables.size() == variables && !say(initial());
  }
  std::uint32_t variable(const char* name) const {
    const std::uint64_t address = name == std::string("landing")    ? 0x1000
                                  : name == std::string("approved") ? 0x1004
                                                                    : 0x1008;
    for (std::uint32_t i = 0; i < table.variables.size(); ++i)
      if (table.variables[i].address == address) return i;
    return 99;
  }
  InitialState initial() const {
    InitialState out{std::vector<std::uint64_t>(table.variables.size())};
    if (const std::uint32_t radio = variable("radio"); radio != 99) out.values[radio] = 1;
    return out;
  }
  EventMessage write(std::uint32_t thread, std::uint64_t sequence, std::uint64_t position, const char* name,
                     std::uint64_t value, std::vector<ClockEntry> clock) const {
    EventMessage out;
    out.place = {0, thread, sequence};
    out.position = position;
    out.kind = static_cast<std::uint8_t>(trace::EventKind::Write);
    out.writes = {{variable(name), value}};
    out.clock = std::move(clock);
    return out;
  }
  // The run of the example: approved, landing, and then the radio fails, in another thread.
  std::vector<Message> landing() const {
    return {ForkMessage{{0, 0, 0}, 1},
            ForkMessage{{0, 0, 1}, 2},
            WaitsMessage{{0, 0, 2}, 1},
            WaitsMessage{{0, 0, 3}, 2},
            EndMessage{{0, 0, 4}},
            write(1, 0, 1, "approved", 1, {{1, 1}}),
            write(1, 1, 2, "landing", 1, {{1, 2}}),
            EndMessage{{0, 1, 2}},
            write(2, 0, 3, "radio", 0, {{2, 1}}),
            EndMessage{{0, 2, 1}},
            FinishMessage{wire::EndKind::Exit, 0, 10, 0, 0, 0, 0, 0, 0}};
  }
  const report::Report& end() {
    program->conclude();
    return program->report();
  }
  bool has_gap(const std::string& name) const {
    return std::ranges::any_of(program->report().coverage.gaps, [&](const auto& gap) { return gap.name == name; });
  }
};

} // namespace sooth::observe
