// Patterns against a matcher that tries everything, and machines against walking their arrows by hand.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "logic/resolve.h"
#include "unit/logic_symbols.h"

namespace sooth::logic {
namespace {

Symbols three_functions() {
  Symbols symbols;
  symbols.types.emplace_back();
  symbols.functions = {"a()", "b()", "c()"};
  return symbols;
}

const std::string kEvents = "event a = call(a)\nevent b = call(b)\nevent c = call(c)\n";

Result<PropertyFile> read(const std::string& text) {
  return read_properties(kEvents + text, "test.prop", three_functions());
}

// Words over a, b, c; the state after each event, and whether the monitor objects to it.
std::vector<bool> objections(const PropertyFile& file, const std::string& word) {
  const Property& property = file.properties[0];
  std::vector<bool> result;
  Verdict verdict = property.monitor->first(file.letter(property, {}, 0));
  EXPECT_FALSE(verdict.violated);
  for (const char event : word) {
    std::uint64_t happened = 0;
    for (std::size_t k = 0; k < file.events.size(); ++k)
      if (file.events[k].name[0] == event) happened |= std::uint64_t{1} << k;
    verdict = property.monitor->step(verdict.next, file.letter(property, {}, happened));
    result.push_back(verdict.violated);
  }
  return result;
}

// --- a pattern, its text, and the obvious way to match it ---------------------------------------------------------------

struct Pattern {
  char op; // a b c, e(psilon), 0 (empty), . (any), | & ' ' (concatenation), ~ * + ?
  std::vector<Pattern> parts;
};

std::string text(const Pattern& p) {
  switch (p.op) {
  case 'e': return "epsilon";
  case '0': return "empty";
  case '.': return "any";
  case '~': return "~(" + text(p.parts[0]) + ")";
  case '*':
  case '+':
  case '?': return "(" + text(p.parts[0]) + ")" + p.op;
  case '|':
  case '&':
  case ' ': return "(" + text(p.parts[0]) + ") " + p.op + " (" + text(p.parts[1]) + ")";
  default: return std::string(1, p.op);
  }
}

bool matches(const Pattern& p, const std::string& w) {
  const auto split = [&](auto left, auto right, std::size_t first) {
    for (std::size_t i = first; i <= w.size(); ++i)
      if (left(w.substr(0, i)) && right(w.substr(i))) return true;
    return false;
  };
  const auto part = [&](std::size_t i) { return [&, i](const std::string& v) { return matches(p.parts[i], v); }; };
  const auto whole = [&](const std::string& v) { return matches(p, v); };
  switch (p.op) {
  case 'e': return w.empty();
  case '0': return false;
  case '.': return w.size() == 1;
  case '~': return !matches(p.parts[0], w);
  case '|': return matches(p.parts[0], w) || matches(p.parts[1], w);
  case '&': return matches(p.parts[0], w) && matches(p.parts[1], w);
  case ' ': return split(part(0), part(1), 0);
  case '?': return w.empty() || matches(p.parts[0], w);
  case '*': return w.empty() || split(part(0), whole, 1);
  case '+': return matches(p.parts[0], w) || split(part(0), whole, 1);
  default: return w == std::string(1, p.op);
  }
}

Pattern any_pattern(int depth) {
  const std::string leaves = "abc.e0", inner = "|& ~*+?";
  const char op = depth == 0 || *rc::gen::inRange(0, 4) == 0 ? leaves[*rc::gen::inRange<std::size_t>(0, 6)]
                                                             : inner[*rc::gen::inRange<std::size_t>(0, 7)];
  Pattern p{op, {}};
  const std::size_t parts = std::string("|& ").find(op) != std::string::npos    ? 2
                            : std::string("~*+?").find(op) != std::string::npos ? 1
                                                                                : 0;
  for (std::size_t i = 0; i < parts; ++i) p.parts.push_back(any_pattern(depth - 1));
  return p;
}

// Whether a word of at most `more` further letters completes it.
bool can_go_on(const Pattern& p, const std::string& w, int more) {
  if (matches(p, w)) return true;
  if (more == 0) return false;
  for (const char c : {'a', 'b', 'c'})
    if (can_go_on(p, w + c, more - 1)) return true;
  return false;
}

RC_GTEST_PROP(Patterns, ObjectAsSoonAsNoWordBeginsLikeThis, ()) {
  const Pattern pattern = any_pattern(3);
  const auto file = read("pattern it over a, b, c: " + text(pattern));
  if (!file) {
    // Only for this reason: nothing short enough matches.
    RC_ASSERT(file.error().message.find("matches nothing") != std::string::npos);
    RC_ASSERT(!can_go_on(pattern, "", 4));
    return;
  }
  std::string word;
  const auto length = *rc::gen::inRange<std::size_t>(0, 4);
  for (std::size_t i = 0; i < length; ++i) word += *rc::gen::element('a', 'b', 'c');
  const std::vector<bool> found = objections(file.value(), word);
  // Derivatives of patterns of this size die or complete within a few letters; words that long are all tried.
  for (std::size_t i = 0; i < word.size(); ++i) {
    const std::string so_far = word.substr(0, i + 1);
    const bool goes_on = can_go_on(pattern, so_far, 4);
    if (goes_on) RC_ASSERT(!found[i]);
    if (found[i]) RC_ASSERT(!goes_on);
    if (!goes_on && !found[i]) RC_ASSERT(can_go_on(pattern, so_far, 7));
  }
}

TEST(Patterns, AlternationIsViolatedByTheSecondSuspendAndStaysSo) {
  const auto file = read("pattern it over a, b: (a b)*");
  ASSERT_TRUE(file.ok()) << file.error().text();
  EXPECT_EQ(objections(file.value(), "abab"), (std::vector<bool>{false, false, false, false}));
  EXPECT_EQ(objections(file.value(), "aba"), (std::vector<bool>{false, false, false})); // could go on with b
  EXPECT_EQ(objections(file.value(), "aab"), (std::vector<bool>{false, true, true}));
  EXPECT_EQ(objections(file.value(), "acb"), (std::vector<bool>{false, false, false})); // c is not in its alphabet
}

TEST(Patterns, DescribeWhatMayFollow) {
  const auto file = read("pattern it over a, b, c: (a (b | c))*");
  ASSERT_TRUE(file.ok());
  const Property& property = file.value().properties[0];
  const Verdict start = property.monitor->first({});
  EXPECT_EQ(property.monitor->describe(start.next), "complete; may go on with a");
  EXPECT_EQ(property.monitor->describe(property.monitor->step(start.next, {1}).next), "goes on with b or c");
  EXPECT_EQ(property.monitor->describe(property.monitor->step(start.next, {2}).next),
            "no word of the pattern begins like this");
}

TEST(Patterns, IfTwoEventsHappenInOneStepTheFirstInOverCounts) {
  const auto file = read("event both = call(a) || call(b)\npattern it over a, both: a both");
  ASSERT_TRUE(file.ok()) << file.error().text();
  EXPECT_EQ(objections(file.value(), "ab"), (std::vector<bool>{false, false}));
  EXPECT_EQ(objections(file.value(), "aa"), (std::vector<bool>{false, true})); // a again, not both
}

TEST(Patterns, TooManyStatesAreRefused) {
  std::string tail = "a";
  for (int i = 0; i < 20; ++i) tail += " any";
  const auto file = read("pattern it over a, b: ~(any* " + tail + ")"); // the 21st last event is a: 2^21 states
  ASSERT_FALSE(file.ok());
  EXPECT_NE(file.error().message.find("too large"), std::string::npos);
}

TEST(Machines, FollowTheirArrows) {
  const auto file = read("machine it over a, b, c {\n"
                         "  state shut: a -> open\n"
                         "  state open: b -> open, a -> twice, else -> shut\n"
                         "  error state twice\n"
                         "}\n  when violated: stop\n");
  ASSERT_TRUE(file.ok()) << file.error().text();
  EXPECT_EQ(file.value().properties[0].action, Action::Stop);
  EXPECT_EQ(objections(file.value(), "abbca"), (std::vector<bool>{false, false, false, false, false}));
  EXPECT_EQ(objections(file.value(), "aac"), (std::vector<bool>{false, true, true})); // the error state
  EXPECT_EQ(objections(file.value(), "ba"), (std::vector<bool>{true, true}));         // no transition
  const Property& property = file.value().properties[0];
  EXPECT_EQ(property.monitor->describe(property.monitor->first({}).next), "state 'shut'");
}

TEST(Machines, MistakesAreTold) {
  const auto message = [](const std::string& text) {
    const auto file = read(text);
    return file.ok() ? "" : file.error().message.substr(0, file.error().message.find('\n'));
  };
  EXPECT_EQ(message("machine m over a {}"), "a machine needs at least one state");
  EXPECT_EQ(message("machine m over a { error state x }"),
            "the first state is where the machine starts; it cannot be an error");
  EXPECT_EQ(message("machine m over a { state first: a -> fist }"), "unknown state 'fist'; did you mean 'first'?");
  EXPECT_EQ(message("machine m over a { state x: b -> x }"),
            "'b' is not one of the events that this machine is over; did you mean 'a'?");
  EXPECT_EQ(message("machine m over a { state x: a -> x, a -> x }"), "there are two transitions for 'a' in this state");
  EXPECT_EQ(message("machine m over a { state x state x }"), "there are two states 'x'");
  EXPECT_EQ(message("machine m over a { state x: else -> x, else -> x }"), "there are two 'else' in this state");
  EXPECT_EQ(message("machine m over a { state x: a -> y error state y: a -> x }"),
            "an error state has no transitions: what failed stays failed");
}

} // namespace
} // namespace sooth::logic
