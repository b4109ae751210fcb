// Lemmas 1 and 2 and Theorem 3 of DAME, on random computations and random formulas, against a direct evaluation of
// Table 1; and that no verdict depends on the order in which a computation is run.
#include <random>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "unit/knowledge_run.h"

namespace sooth::knowledge {
namespace {

class Random {
public:
  explicit Random(std::uint32_t seed) : engine_(seed) {}
  std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(engine_() % n); }
  bool chance(std::uint32_t percent) { return below(100) < percent; }

private:
  std::mt19937 engine_;
};

// --- random formulas -----------------------------------------------------------------------------------------------------

// Which thread variables may be used where a formula is made: the evaluating thread's, and that of a loop.
struct Scope {
  std::string self, other;
};

std::string number(Random& random, unsigned depth, const Scope& scope);
std::string formula(Random& random, unsigned depth, const Scope& scope);

// Inside of @who(...): its own variable, and one of those outside.
std::string remote(Random& random, unsigned depth, const Scope& scope, bool of_number) {
  static const char* const kRoles[] = {"writer", "reader", "0", "2"};
  std::string who = kRoles[random.below(4)];
  Scope inside;
  if (!scope.other.empty() && random.chance(60)) {
    who = scope.other;
    inside.self = who;
    if (random.chance(50)) inside.other = scope.self;
  } else if (random.chance(40)) {
    inside.other = random.chance(50) ? scope.other : scope.self;
  }
  return "@" + who + "(" + (of_number ? number(random, depth, inside) : formula(random, depth, inside)) + ")";
}

std::string number(Random& random, unsigned depth, const Scope& scope) {
  static const char* const kLeaves[] = {"x", "y", "a", "block(transfer)", "1", "2"};
  if (depth == 0 || random.chance(35)) return kLeaves[random.below(6)];
  if (random.chance(55)) return remote(random, depth - 1, scope, true);
  static const char* const kOperators[] = {" + ", " - ", " * "};
  return "(" + number(random, depth - 1, scope) + kOperators[random.below(3)] + number(random, depth - 1, scope) + ")";
}

std::string quantified(Random& random, unsigned depth, const Scope& scope) {
  static unsigned next = 0;
  const std::string variable = "v" + std::to_string(next++);
  std::string head = random.chance(50) ? "exists " : "forall ";
  head += variable + (!scope.self.empty() && random.chance(50) ? " != " + scope.self : "");
  const Scope inside{scope.self, variable};
  // It must speak of its variable.
  return "(" + head + ": " + formula(random, depth, inside) + " || " + "@" + variable + "(" +
         formula(random, depth, {variable, random.chance(50) ? scope.self : ""}) + "))";
}

std::string formula(Random& random, unsigned depth, const Scope& scope) {
  static const char* const kAtoms[] = {"read(x)", "write(x)", "write(y)"};
  if (depth == 0) {
    if (random.chance(20)) return kAtoms[random.below(3)];
    return number(random, 0, scope) + (random.chance(50) ? " == " : " > ") + number(random, 0, scope);
  }
  switch (random.below(9)) {
  case 0: return "!(" + formula(random, depth - 1, scope) + ")";
  case 1: {
    static const char* const kConnectives[] = {" && ", " || ", " -> ", " <-> ", " xor "};
    return "(" + formula(random, depth - 1, scope) + ")" + kConnectives[random.below(5)] + "(" +
           formula(random, depth - 1, scope) + ")";
  }
  case 2: {
    static const char* const kPast[] = {"once", "historically", "previously", "start", "end"};
    return std::string(kPast[random.below(5)]) + "(" + formula(random, depth - 1, scope) + ")";
  }
  case 3: {
    static const char* const kSince[] = {" since ", " weak_since "};
    return "((" + formula(random, depth - 1, scope) + ")" + kSince[random.below(2)] + "(" +
           formula(random, depth - 1, scope) + "))";
  }
  case 4: return "[" + formula(random, depth - 1, scope) + ", " + formula(random, depth - 1, scope) + ")";
  case 5: return remote(random, depth - 1, scope, false);
  case 6: return quantified(random, depth - 1, scope);
  default:
    return number(random, depth, scope) + (random.chance(50) ? " <= " : " != ") + number(random, depth - 1, scope);
  }
}

std::string monitors(Random& random, unsigned count) {
  std::string text;
  for (unsigned i = 0; i < count; ++i) {
    const std::uint32_t at = random.below(4);
    const Scope scope{at < 2 ? "t" : "", ""};
    text += "monitor m" + std::to_string(i) + " at " +
            (at < 2    ? "any t"
             : at == 2 ? "writer"
                       : "0") +
            ": " + formula(random, 3, scope) + "\n";
  }
  // What the computations do are events, whether the others name it or not.
  return text + "monitor last at any t: a + block(transfer) + x + y + flag >= 0\n";
}

// --- random computations ---------------------------------------------------------------------------------------------------

Steps random_steps(Random& random, std::size_t length) {
  enum class Life { No, Runs, Ended, Joined };
  std::vector<Life> life(5, Life::No);
  Steps steps;
  const auto alive = [&](Life wanted) {
    std::vector<std::uint32_t> found;
    for (std::uint32_t t = 0; t < life.size(); ++t)
      if (life[t] == wanted) found.push_back(t);
    return found;
  };
  const std::uint32_t at_first = 1 + random.below(3);
  for (std::uint32_t t = 0; t < at_first; ++t) life[t] = Life::Runs;
  while (steps.size() < length) {
    const auto running = alive(Life::Runs), ended = alive(Life::Ended), unborn = alive(Life::No);
    if (running.empty()) break;
    const std::uint32_t t = running[random.below(static_cast<std::uint32_t>(running.size()))];
    static const char* const kVariables[] = {"x", "y", "flag", "x y"}; // the last: both in one access
    static const char* const kNames[] = {"writer", "reader", "other"};
    switch (random.below(14)) {
    case 0:
      if (unborn.empty()) break;
      steps.push_back({t, Do::Fork, "", unborn[0]});
      life[unborn[0]] = Life::Runs;
      steps.push_back({unborn[0], Do::Start, "", 0});
      break;
    case 1:
      if (running.size() == 1 || random.chance(50)) break;
      steps.push_back({t, Do::End, "", 0});
      life[t] = Life::Ended;
      break;
    case 2:
      if (ended.empty()) break;
      steps.push_back({t, Do::Join, "", ended[0]});
      life[ended[0]] = Life::Joined;
      break;
    case 3: steps.push_back({t, Do::Name, kNames[random.below(3)], 0}); break;
    case 4:
    case 5: steps.push_back({t, Do::Internal, "a", random.below(3)}); break;
    case 6: steps.push_back({t, Do::BlockBegin, "transfer", 0}); break;
    case 7: steps.push_back({t, Do::BlockEnd, "transfer", 0}); break;
    case 8: steps.push_back({t, Do::Lock, random.chance(50) ? "m" : "n", 0}); break;
    case 9:
    case 10:
    case 11: steps.push_back({t, Do::Read, kVariables[random.below(4)], 0}); break;
    default: steps.push_back({t, Do::Write, kVariables[random.below(4)], 1 + random.below(3)}); break;
    }
  }
  return steps;
}

// --- the comparison --------------------------------------------------------------------------------------------------------

std::string text_of(const Steps& steps) {
  static const char* const kNames[] = {"start", "end",      "fork",  "join",  "read", "write",
                                       "lock",  "internal", "begin", "leave", "name"};
  std::string text;
  for (std::size_t i = 0; i < steps.size(); ++i)
    text += std::to_string(i) + ": thread " + std::to_string(steps[i].thread) + " " +
            kNames[static_cast<std::size_t>(steps[i].what)] + " " + steps[i].target + " " +
            std::to_string(steps[i].value) + "\n";
  return text;
}

class Comparison {
public:
  Comparison(const std::string& text, const Computation& computation)
      : text_(text + text_of(computation.steps())), computation_(computation),
        syntax_(logic::parse(text, "test.prop").value()), open_(text) {}

  // Runs the computation in this order and compares after each event.
  void run(const std::vector<std::size_t>& order) {
    KnowledgeRun run(open_);
    for (const std::size_t event : order) {
      const Step& step = computation_.steps()[event];
      const Outcome outcome = run.take(step);
      check_predicted_state(run, event);
      check_verdicts(outcome, event);
      if (step.what != Do::Join) check_parts(run, event); // what is asked after a join no longer ranges over who ended
    }
  }

private:
  void check_predicted_state(const KnowledgeRun& run, std::size_t event) const {
    const std::uint32_t thread = computation_.steps()[event].thread;
    const Compiled& compiled = open_.setup().compiled;
    for (std::uint32_t v = 0; v < compiled.valued_count(); ++v) {
      const std::string name = compiled.string(compiled.variables[v].name);
      if (run.predicted(thread, name) != computation_.predicted(event, name))
        RC_FAIL("Lemma 1: " + name + " after event " + std::to_string(event) + "\n" + text_);
    }
  }

  void check_verdicts(const Outcome& outcome, std::size_t event) const {
    const std::uint32_t thread = computation_.steps()[event].thread;
    for (std::size_t m = 0; m < syntax_.entries.size(); ++m) {
      const logic::SyntaxMonitor& monitor = syntax_.entries[m].monitor;
      const bool evaluates =
          monitor.any || (monitor.at.text == "0" ? thread == 0 : computation_.has_name(event, monitor.at.text));
      Computation::Bound bound;
      bound[(monitor.any ? "" : "#") + monitor.at.text] = thread;
      const bool fails = evaluates && computation_.value(syntax_.entries[m].body, thread, event, bound) == 0;
      if (fails != ((outcome.violated >> m & 1) != 0))
        RC_FAIL("Theorem 3: monitor " + std::to_string(m) + " after event " + std::to_string(event) + "\n" + text_);
    }
  }

  // Every remote expression that a formula looks at.
  void check_parts(const KnowledgeRun& run, std::size_t event) const {
    const std::uint32_t thread = computation_.steps()[event].thread;
    const Compiled& compiled = open_.setup().compiled;
    for (std::uint32_t m = 0; m < compiled.monitor_count(); ++m) {
      const logic::SyntaxMonitor& monitor = syntax_.entries[m].monitor;
      struct Context {
        const Comparison& self;
        const KnowledgeRun& run;
        const logic::SyntaxMonitor& monitor;
        std::uint32_t thread;
        std::size_t event;
      } context{*this, run, monitor, thread, event};
      if (!monitor.any && monitor.at.text != "0" && !computation_.has_name(event, monitor.at.text)) continue;
      if (!monitor.any && monitor.at.text == "0" && thread != 0) continue;
      explain(
          open_.setup(), run.thread(thread), m,
          [](void* where, const Known& known) {
            const Context& c = *static_cast<Context*>(where);
            c.self.check_part(c.monitor, c.thread, c.event, known);
          },
          &context);
    }
  }

  void check_part(const logic::SyntaxMonitor& monitor, std::uint32_t thread, std::size_t event,
                  const Known& known) const {
    const Compiled& compiled = open_.setup().compiled;
    const std::string text = compiled.string(known.part->text), about = compiled.string(known.part->about);
    if (about.empty()) return;                          // not remote
    if (known.part->leaf.op == Op::RoleOfOther) return; // explain() does not say for which thread
    Computation::Bound bound;
    bound[(monitor.any ? "" : "#") + monitor.at.text] = thread;
    if (about[0] == 'v') {
      if (known.thread == kNoVariable || !computation_.known(known.thread, event)) return;
      bound[about] = known.thread;
    }
    const auto syntax = logic::parse("monitor part at any t: " + text, "part.prop");
    if (!syntax) RC_FAIL(text + ": " + syntax.error().text());
    const std::int64_t expected = computation_.value(syntax.value().entries[0].body, thread, event, bound);
    if (static_cast<std::int64_t>(known.value) != expected)
      RC_FAIL("Lemma 2: " + text + " after event " + std::to_string(event) + " is " + std::to_string(known.value) +
              ", not " + std::to_string(expected) + "\n" + text_);
  }

  std::string text_;
  const Computation& computation_;
  logic::SyntaxFile syntax_;
  OpenMonitors open_;
};

TEST(KnowledgeLemmas, RandomComputationsAgreeWithTable1InEveryOrder) {
  constexpr std::uint32_t kEach = 4; // computations for each of RapidCheck's hundred cases
  EXPECT_TRUE(rc::check("Lemmas 1 and 2, Theorem 3, and every linearisation", [](std::uint32_t number) {
    for (std::uint32_t k = 0; k < kEach; ++k) {
      const std::uint32_t seed = number * kEach + k;
      Random random(seed);
      const std::string text = monitors(random, 4);
      const Computation computation(random_steps(random, 8 + random.below(30)));
      std::vector<std::size_t> observed;
      for (std::size_t e = 0; e < computation.steps().size(); ++e) observed.push_back(e);
      Comparison comparison(text, computation);
      comparison.run(observed);
      for (std::uint32_t order = 0; order < 3; ++order) comparison.run(computation.linearisation(seed + order));
    }
  }));
}

} // namespace
} // namespace sooth::knowledge
