// Types from a real program, through the pass, its tables, the runtime and the reader: what a property names lies where
// the program itself says that it lies.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "logic/resolve.h"
#include "test_program.h"
#include "trace/reader.h"

namespace {

using namespace sooth;
using namespace sooth::logic;

struct Placed {
  std::string name;
  std::uint64_t address = 0, bytes = 0;
};

class TypesTest : public ::testing::TestWithParam<const char*> {
protected:
  void SetUp() override {
    // Tests run side by side: a folder for each.
    std::string place = std::string(SCRATCH) + "/";
    for (const char c : std::string(testing::UnitTest::GetInstance()->current_test_info()->name()))
      place += c == '/' ? '_' : c;
    std::filesystem::remove_all(place); // a trace of an earlier run is not written over
    std::filesystem::create_directories(place);
    program_ = place + "/layout";
    const auto built = run_command(std::string(BIN) + "/sooth-c++ -std=c++17 -pthread " + GetParam() + " " + SOURCE +
                                   " -o " + program_);
    ASSERT_EQ(built.status, 0) << built.output;
    const auto ran = run_command("SOOTH_TRACE=" + program_ + ".sooth " + program_);
    ASSERT_EQ(ran.status, 0) << ran.output;
    std::istringstream lines(ran.output);
    for (Placed p; lines >> p.name >> std::hex >> p.address >> std::dec >> p.bytes;) placed_.push_back(p);
    ASSERT_EQ(placed_.size(), 19u) << ran.output;
    auto trace = trace::read_trace(program_ + ".sooth");
    ASSERT_TRUE(trace.ok()) << trace.error().text();
    of_trace_ = symbols_of_trace(trace.value());
    auto symbols = symbols_of_program(program_);
    ASSERT_TRUE(symbols.ok()) << symbols.error().text();
    of_program_ = symbols.value();
  }

  static std::string message(const Symbols& symbols, const std::string& formula) {
    const auto file = read_properties("property it: " + formula, "test.prop", symbols);
    return file.ok() ? "" : file.error().message.substr(0, file.error().message.find('\n'));
  }
  static Variable variable(const Symbols& symbols, const std::string& name) {
    const auto file = read_properties("property it: " + name + " == 1", "test.prop", symbols);
    EXPECT_TRUE(file.ok()) << file.error().text();
    return file.ok() && file.value().variables.size() == 1 ? file.value().variables[0] : Variable{};
  }

  std::string program_;
  std::vector<Placed> placed_;
  Symbols of_trace_, of_program_;
};

TEST_P(TypesTest, VariablesLieWhereTheProgramSays) {
  // Before it runs, all addresses are short of the same number.
  const std::uint64_t base = placed_[0].address - variable(of_program_, placed_[0].name).address;
  for (const Placed& p : placed_) {
    const Variable recorded = variable(of_trace_, p.name), before = variable(of_program_, p.name);
    EXPECT_EQ(recorded.address, p.address) << p.name;
    EXPECT_EQ(recorded.size, p.bytes) << p.name;
    EXPECT_EQ(before.address + base, p.address) << p.name;
    EXPECT_EQ(before.size, p.bytes) << p.name;
    EXPECT_EQ(before.type, recorded.type) << p.name;
  }
}

TEST_P(TypesTest, AndAreWhatTheProgramSays) {
  for (const Symbols& symbols : {of_program_, of_trace_}) {
    const auto kind = [&](const std::string& name) { return variable(symbols, name).type.kind; };
    EXPECT_EQ(kind("net::phase"), ScalarKind::Unsigned);
    EXPECT_EQ(kind("mode"), ScalarKind::Signed);
    EXPECT_EQ(kind("cfg.ready"), ScalarKind::Bool);
    EXPECT_EQ(kind("cfg.ratio"), ScalarKind::Float);
    EXPECT_EQ(kind("cfg.part[0].level"), ScalarKind::Float);
    EXPECT_EQ(kind("cfg.next"), ScalarKind::Pointer);
    EXPECT_EQ(kind("hits"), ScalarKind::Signed);
    EXPECT_EQ(kind("done"), ScalarKind::Bool);
    EXPECT_EQ(kind("plain_atomic"), ScalarKind::Unsigned);
    EXPECT_EQ(kind("small"), ScalarKind::Unsigned);
    EXPECT_EQ(kind("heap"), ScalarKind::Signed);
    EXPECT_EQ(kind("level"), ScalarKind::Float);
    EXPECT_EQ(kind("next"), ScalarKind::Pointer);
    EXPECT_TRUE(variable(symbols, "heap").watched);
    EXPECT_EQ(variable(symbols, "cfg.low").type.bit_width, 3);
    EXPECT_EQ(variable(symbols, "cfg.sign").type.bit_width, 5);
    EXPECT_EQ(kind("cfg.sign"), ScalarKind::Signed);
    EXPECT_EQ(message(symbols, "net::phase == net::Phase::busy && mode == kModeOn"), "");
    EXPECT_EQ(message(symbols, "acquire(lock) && call(step) && user(begin)"), "");
    EXPECT_EQ(message(symbols, "precise > 1"),
              "'precise' is of type 'long double', which is too large for an expression");
    EXPECT_EQ(message(symbols, "user(begn)"),
              "the program has no sooth_event of the name 'begn'; did you mean 'begin'?");
    EXPECT_EQ(message(symbols, "cfg.rady"), "'cfg' has no member 'rady'; did you mean 'ready'?");
  }
}

TEST_P(TypesTest, InlinedCallsAreNotPromised) {
  const bool optimised = std::string(GetParam()) != "-O0";
  EXPECT_EQ(message(of_program_, "call(quick)").find("were inlined") != std::string::npos, optimised);
}

TEST(ProgramTables, OfAProgramWithoutSoothAreAnError) {
  const auto symbols = symbols_of_program("/bin/true");
  ASSERT_FALSE(symbols.ok());
  EXPECT_NE(symbols.error().message.find("was not built with Sooth"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Levels, TypesTest, ::testing::Values("-O0", "-O2", "-O2 -fno-pie -no-pie"),
                         [](const auto& info) { return "level" + std::to_string(info.index); });

} // namespace
