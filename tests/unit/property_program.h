// Traces of programs with a few `int` globals, made by hand, and what the property engine says of them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "explore/exploration.h"
#include "logic/resolve.h"
#include "properties/properties.h"
#include "trace/verify.h"
#include "unit/verify_builder.h"
#include "witness/check.h"

namespace sooth::testing {

using trace::EventKind;
using trace::testing::TraceBuilder;

// The globals are at 0x1000, 0x1004, ...
struct PropertyProgram : TraceBuilder {
  PropertyProgram(std::uint32_t threads, std::vector<std::pair<std::string, int>> globals) : TraceBuilder(threads) {
    symbols.types = {{}, {trace::TypeKind::Signed, 4, "int"}};
    trace.initial_known = true;
    std::uint64_t address = 0x1000;
    for (const auto& [name, value] : globals) {
      global(address, 4, name);
      symbols.variables.push_back({name, address, 4, 1});
      std::vector<std::uint8_t> bytes;
      for (int k = 0; k < 4; ++k) bytes.push_back(static_cast<std::uint8_t>(static_cast<unsigned>(value) >> (8 * k)));
      if (value != 0) trace.initial.push_back({address, bytes});
      address += 4;
    }
    for (std::uint32_t t = 1; t < threads; ++t) add(0, EventKind::Fork, 0, t);
    for (std::uint32_t t = 1; t < threads; ++t) add(t, EventKind::ThreadStart, 0, 0);
  }
  std::uint64_t address(const std::string& name) const {
    return std::ranges::find(symbols.variables, name, &logic::SymbolVariable::name)->address;
  }
  void set(std::uint32_t thread, const std::string& name, int value) {
    write(thread, address(name), 4, static_cast<std::uint32_t>(value));
  }
  void get(std::uint32_t thread, const std::string& name, int value) {
    read(thread, address(name), 4, static_cast<std::uint32_t>(value));
  }

  properties::PropertyAnswer check(const std::string& text, explore::Until until = explore::Until::EachMonitor,
                                   std::string_view model = "hb", std::uint64_t max_width = 0) {
    EXPECT_TRUE(trace::verify(trace, 1).legal());
    const auto file = logic::read_properties(text, "test.prop", symbols);
    if (!file) {
      ADD_FAILURE() << file.error().text();
      return {};
    }
    properties::PropertyOptions options;
    options.count = true;
    options.exploration.until = until;
    options.exploration.max_width = max_width;
    auto answer = properties::check_properties(trace, causality::compute(trace), file.value(), model, options);
    if (!answer) {
      ADD_FAILURE() << answer.error().text();
      return {};
    }
    witness::Checker checker(trace);
    for (const witness::Finding& finding : answer->findings)
      EXPECT_EQ(checker.objection(finding).value_or(""), "") << finding.note;
    return std::move(answer.value());
  }
  logic::Symbols symbols;
};

inline const char* const kLanding = "property safe: start(landing == 1) -> [approved == 1, radio == 0)";

inline PropertyProgram landing(bool radio_first) {
  PropertyProgram p(3, {{"landing", 0}, {"approved", 0}, {"radio", 1}});
  p.get(1, "radio", 1);
  p.set(1, "approved", 1);
  p.get(1, "approved", 1);
  if (radio_first) p.set(2, "radio", 0);
  p.set(1, "landing", 1);
  if (!radio_first) p.set(2, "radio", 0);
  return p;
}

} // namespace sooth::testing
