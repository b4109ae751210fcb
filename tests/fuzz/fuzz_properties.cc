// Any text goes through the parser and the compiler of property files: it is refused with a place and a reason, or becomes
// monitors that can be run.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "knowledge/heap_snapshots.h"
#include "knowledge/monitoring.h"
#include "logic/resolve.h"

namespace {

using namespace sooth::logic;
using sooth::trace::TypeKind;

void require(bool condition) {
  if (!condition) std::abort();
}

Symbols program() {
  Symbols symbols;
  symbols.types.emplace_back();
  symbols.types.push_back({TypeKind::Signed, 4, "int"});
  symbols.types.push_back({TypeKind::Float, 8, "double"});
  symbols.types.push_back({TypeKind::Array, 16, "int [4]", 1, 4});
  sooth::trace::Type structure{TypeKind::Struct, 24, "cfg"};
  structure.members = {{"low", 0, 1, 3}, {"", 64, 4, 0}, {"slots", 64, 3, 0}}; // contains itself, as no real one does
  symbols.types.push_back(structure);
  sooth::trace::Type colour{TypeKind::Enum, 4, "Colour", 1};
  colour.enumerators = {{"red", 1}};
  symbols.types.push_back(colour);
  std::uint64_t address = 0x1000;
  for (const char* name : {"x", "y", "landing", "net::state", "a.cpp:counter", "f(int)::calls"})
    symbols.variables.push_back({name, address += 16, 4, 1});
  symbols.variables.push_back({"d", 0x2000, 8, 2});
  symbols.variables.push_back({"cfg", 0x3000, 24, 4});
  symbols.variables.push_back({"hue", 0x4000, 4, 5});
  symbols.watches = {{"head", 8, TypeKind::Pointer}};
  symbols.functions = {"f(int)", "worker::suspend()", "void put<int>(int)"};
  symbols.inlined_functions = {"g()"};
  symbols.user_events = {"landed"};
  symbols.thread_names = {"writer", "reader"};
  symbols.block_names = {"transfer"};
  return symbols;
}

// The compiled monitors pass their own checker, and two threads can run them.
void run_monitors(const PropertyFile& file) {
  namespace k = sooth::knowledge;
  require(!file.compiled_monitors.empty());
  k::Setup setup;
  require(setup.open(file.compiled_monitors.data(), file.compiled_monitors.size() * sizeof(k::Word), 2) == nullptr);
  std::vector<k::Word> memory(setup.setup_words());
  k::HeapSnapshots snapshots;
  snapshots.begin(setup);
  std::vector<k::Word> threads[2];
  const std::vector<std::uint64_t> zero(setup.compiled.variable_count() + 1);
  setup.begin(memory.data(), zero.data());
  k::Carrier shared;
  k::Thread* thread[2];
  for (std::uint32_t t = 0; t < 2; ++t) {
    threads[t].resize(setup.thread_words());
    thread[t] = k::make_thread(setup, threads[t].data(), t, t);
    k::take_name(setup, *thread[t], t == 0 ? "writer" : "reader");
  }
  const std::uint32_t variable = setup.compiled.variable_count() == 0 ? k::kNoVariable : 0;
  for (std::uint64_t i = 0; i < 8; ++i) {
    k::Thread& self = *thread[i & 1];
    k::internal(setup, self, 0, static_cast<std::int64_t>(i));
    k::block_begin(setup, self, 0);
    const k::Touch touch{&shared, i & 0x7f, variable};
    k::access(setup, self, k::Access::Write, &touch, 1, false);
    k::access(setup, *thread[1 - (i & 1)], k::Access::Read, &touch, 1, true);
  }
  for (std::uint32_t m = 0; m < setup.compiled.monitor_count(); ++m)
    k::explain(setup, *thread[0], m, [](void*, const k::Known& known) { require(known.part != nullptr); }, nullptr);
}

void run(const PropertyFile& file, const Property& property, std::string_view text) {
  require(!property.name.empty() && property.place.line != 0 && property.atoms.size() <= kMaxAtoms);
  std::vector<std::uint64_t> values(file.variables.size());
  std::vector<Letter> letters;
  Faults faults;
  MonitorState state = 0;
  for (std::size_t i = 0; i < 8; ++i) {
    for (std::size_t k = 0; k < values.size(); ++k)
      values[k] = text.empty() ? 0 : static_cast<std::uint8_t>(text[(7 * i + k) % text.size()]);
    letters.push_back(file.letter(property, values, i * 0x9e3779b97f4a7c15, &faults));
    if (!property.monitor) continue;
    const Verdict verdict = i == 0 ? property.monitor->first(letters[i]) : property.monitor->step(state, letters[i]);
    require(property.monitor->step(verdict.next, letters[i]) == property.monitor->step(verdict.next, letters[i]));
    property.monitor->describe(verdict.next);
    state = verdict.next;
  }
  require((property.monitor == nullptr) == (property.kind == PropertyKind::Liveness));
  if (property.lasso) property.lasso->holds(std::span(letters).first(4), std::span(letters).last(4));
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Symbols symbols = program();
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto file = read_properties(text, "input", symbols);
  if (!file) {
    require(file.error().file == "input" && !file.error().message.empty());
    require(file.error().line != 0 && file.error().column != 0 && file.error().message.ends_with('^'));
    return 0;
  }
  require(!file.value().properties.empty() || !file.value().monitors.empty());
  require(file.value().types.size() == file.value().variables.size());
  if (!file.value().monitors.empty()) run_monitors(file.value());
  for (const Property& property : file.value().properties) run(file.value(), property, text);
  return 0;
}
