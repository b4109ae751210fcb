// docs/monitors.md: its example is understood.
// docs/properties.md: its example is a property file, its message is the one that is printed, and its tables name every
// operator.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "logic/resolve.h"
#include "unit/logic_symbols.h"

namespace sooth::logic {
namespace {

std::string page(const std::string& name = "properties.md") {
  std::ifstream in(SOOTH_DOCS "/" + name);
  std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  // Tables write a bar with a backslash.
  for (std::size_t at = text.find("\\|"); at != std::string::npos; at = text.find("\\|", at)) text.erase(at, 1);
  return text;
}

Symbols program() {
  TestProgram program;
  program.ints({"landing", "approved", "radio", "x", "y", "z"});
  program.symbols.functions = {"worker::suspend()", "worker::resume()"};
  return program.symbols;
}

TEST(PropertyDocs, TheExampleIsAPropertyFile) {
  const std::string text = page();
  const std::string fence = "```properties\n";
  const std::size_t begin = text.find(fence);
  ASSERT_NE(begin, std::string::npos);
  const std::size_t end = text.find("```", begin + fence.size());
  const auto file = read_properties(text.substr(begin + fence.size(), end - begin - fence.size()), "docs", program());
  ASSERT_TRUE(file.ok()) << file.error().text();
  EXPECT_EQ(file.value().properties.size(), 5u);
  EXPECT_EQ(file.value().properties[2].action, Action::Stop);
}

TEST(MonitorDocs, TheExampleIsAPropertyFile) {
  TestProgram program;
  program.ints({"x", "y", "checking", "saving"});
  program.symbols.thread_names = {"writer", "reader"};
  program.symbols.user_events = {"atomic"};
  program.symbols.block_names = {"transfer"};
  const std::string text = page("monitors.md");
  const std::string fence = "```monitors\n";
  const std::size_t begin = text.find(fence);
  ASSERT_NE(begin, std::string::npos);
  const std::size_t end = text.find("```", begin + fence.size());
  const auto file =
      read_properties(text.substr(begin + fence.size(), end - begin - fence.size()), "docs", program.symbols);
  ASSERT_TRUE(file.ok()) << file.error().text();
  EXPECT_EQ(file.value().monitors.size(), 4u);
  // What the page says that ready-made ones stand for.
  std::string race = file.value().monitors[2].expansion, atomicity = file.value().monitors[3].expansion;
  for (std::size_t at = atomicity.find("transfer"); at != std::string::npos; at = atomicity.find("transfer"))
    atomicity.replace(at, 8, "BLOCK");
  EXPECT_NE(text.find(race), std::string::npos) << race;
  EXPECT_NE(text.find(atomicity), std::string::npos) << atomicity;
}

TEST(PropertyDocs, TheMessageIsTheOneThatIsPrinted) {
  const auto file = read_properties("property safe_landing: [aproved == 1, radio == 0)\n", "landing.prop", program());
  ASSERT_FALSE(file.ok());
  std::string shown = "    " + file.error().text();
  for (std::size_t at = shown.find('\n'); at != std::string::npos; at = shown.find('\n', at + 1))
    shown.insert(at + 1, "    ");
  EXPECT_NE(page().find(shown), std::string::npos) << shown;
}

TEST(PropertyDocs, EveryOperatorIsThere) {
  const std::string text = page();
  for (const OperatorRow& row : operator_rows()) {
    if (row.use == Use::Value || row.stand == Stand::Bracket) continue;
    for (const std::string& spelling : spellings_of(row))
      EXPECT_TRUE(text.find("`" + spelling) != std::string::npos ||
                  text.find(" " + spelling + " ") != std::string::npos ||
                  text.find(spelling + "`") != std::string::npos)
          << spelling;
  }
}

} // namespace
} // namespace sooth::logic
