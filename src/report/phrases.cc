#include "report/phrases.h"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

namespace sooth::report {

using witness::Role;

namespace {

struct Verb {
  std::string_view kind;
  std::string_view verb; // with the variable behind it
};

// Kinds without a row are described by their name.
constexpr std::array kVerbs = {
    Verb{"read", "reads"},
    Verb{"write", "writes"},
    Verb{"external-write", "finds changed"},
    Verb{"atomic-read", "atomically reads"},
    Verb{"atomic-write", "atomically writes"},
    Verb{"atomic-rmw", "atomically changes"},
    Verb{"fence", "passes a fence"},
    Verb{"acquire", "takes"},
    Verb{"release", "gives up"},
    Verb{"acquire-shared", "takes, shared,"},
    Verb{"release-shared", "gives up, shared,"},
    Verb{"lock-init", "initialises"},
    Verb{"sem-init", "initialises"},
    Verb{"barrier-init", "initialises"},
    Verb{"lock-destroy", "destroys"},
    Verb{"sem-destroy", "destroys"},
    Verb{"barrier-destroy", "destroys"},
    Verb{"fd-use", "uses"},
    Verb{"fd-close", "closes"},
    Verb{"signal-enter", "is interrupted by"},
    Verb{"signal-exit", "has handled"},
    Verb{"signal-change", "changes which signals may come"},
    Verb{"wait", "waits on"},
    Verb{"wake", "wakes from"},
    Verb{"signal", "signals"},
    Verb{"broadcast", "broadcasts"},
    Verb{"barrier-arrive", "arrives at"},
    Verb{"barrier-leave", "leaves"},
    Verb{"sem-post", "posts"},
    Verb{"sem-wait", "has waited for"},
    Verb{"once-begin", "initialises"},
    Verb{"once-end", "has initialised"},
    Verb{"once-wait", "finds initialised"},
    Verb{"fork", "creates"},
    Verb{"join", "joins"},
    Verb{"thread-start", "starts"},
    Verb{"thread-end", "ends"},
    Verb{"alloc", "allocates"},
    Verb{"free", "frees"},
    Verb{"map", "maps"},
    Verb{"unmap", "unmaps"},
    Verb{"stack-begin", "begins its stack"},
    Verb{"stack-end", "ends its stack"},
    Verb{"atomic-begin", "begins the block"},
    Verb{"atomic-end", "ends the block"},
    Verb{"hb-release", "releases"},
    Verb{"hb-acquire", "acquires"},
    Verb{"user", "tells of"},
    Verb{"enter", "enters"},
    Verb{"exit", "returns from"},
    Verb{"crash", "dies"},
    Verb{"receive", "receives input"},
    Verb{"send", "sends output"},
};

std::string_view verb_of(const std::string& kind) {
  for (const Verb& verb : kVerbs)
    if (verb.kind == kind) return verb.verb;
  return kind;
}

std::string_view request_verb(const std::string& kind) {
  if (kind == "join") return "joins";
  if (kind == "wait" || kind == "wake") return "waits on";
  if (kind == "acquire-shared") return "asks, shared, for";
  if (kind == "barrier-leave") return "waits at";
  if (kind == "futex-wait") return "waits on";
  return "asks for";
}

bool names_a_thread(const std::string& kind) { return kind == "fork" || kind == "join"; }

std::string quoted(const std::string& name) { return name.empty() ? std::string() : "`" + name + "`"; }

// Has a name that a person knows: no lambda, no template, and short.
bool is_plain_function(const std::string& function) {
  constexpr std::size_t kLongest = 32;
  const std::size_t end = function.find('(');
  return end != 0 && !function.empty() && std::min(end, function.size()) <= kLongest &&
         function.find_first_of("$'{<") == std::string::npos;
}

std::string bytes_text(std::uint64_t bytes) { return fmt::format("{} byte{}", bytes, bytes == 1 ? "" : "s"); }

} // namespace

std::string thread_phrase(const FindingText& finding, std::uint32_t thread) {
  for (const ThreadText& known : finding.threads)
    if (known.number == thread) {
      if (!known.name.empty()) return fmt::format("thread {} ({})", thread, known.name);
      if (known.created && is_plain_function(known.start))
        return fmt::format("thread {} ({})", thread, known.start.substr(0, known.start.find('(')));
    }
  return thread == 0 ? "thread 0 (main)" : fmt::format("thread {}", thread);
}

std::string spot_phrase(const Spot& spot) {
  std::string out = spot.file;
  if (!out.empty() && spot.line != 0) out += fmt::format(":{}", spot.line);
  if (!spot.function.empty()) out += (out.empty() ? "in " : " in ") + spot.function;
  return out;
}

std::string next_phrase(StepText step) {
  if (step.kind == "wake") return "still waits on " + step.variable;
  step.pending = step.kind == "acquire" || step.kind == "acquire-shared";
  if (!names_a_thread(step.kind)) step.value.clear();
  return step_phrase(step);
}

std::string step_phrase(const StepText& step) {
  if (step.pending)
    return fmt::format("{} {}", request_verb(step.kind), names_a_thread(step.kind) ? step.value : step.variable);
  std::string out(verb_of(step.kind));
  if (names_a_thread(step.kind)) return out + " " + step.value;
  if (step.kind == "thread-start" || step.kind == "thread-end" || step.kind == "stack-begin" ||
      step.kind == "stack-end" || step.kind == "fence" || step.kind == "crash")
    return out;
  if (!step.variable.empty()) out += " " + step.variable;
  if ((step.access || step.kind == "user") && !step.value.empty()) out += " = " + step.value;
  return out;
}

std::string place_phrase(const PlaceText& place) {
  const StepText& step = place.step;
  if (place.role == Role::End) return "dies";
  if (place.role == Role::Request)
    return fmt::format("{} {}", request_verb(step.kind),
                       names_a_thread(step.kind) ? step.value : quoted(step.variable));
  if (step.access) {
    const std::string order = place.order.empty() ? "" : fmt::format(" ({})", place.order);
    return fmt::format("{} {} of {}{}", verb_of(step.kind), bytes_text(step.size), quoted(step.variable), order);
  }
  if (names_a_thread(step.kind)) return step_phrase(step);
  std::string out(verb_of(step.kind));
  if (!step.variable.empty()) out += " " + quoted(step.variable);
  return out;
}

std::string object_phrase(const ObjectText& object, const std::string& variable) {
  if (object.sort.empty()) return {};
  const bool same = object.name == variable || variable.empty();
  std::string out = quoted(same ? object.name : variable);
  const bool numbered = object.name.starts_with("heap#") || object.name.starts_with("stack#") ||
                        object.name.starts_with("map#"); // says nothing to a person
  if (!same && !object.name.empty()) out += numbered ? " is" : fmt::format(" is {},", quoted(object.name));
  const std::string where = spot_phrase(object.spot);
  if (object.sort == "global") {
    const bool is_part = out.find_first_of(".[") != std::string::npos; // `forks[1].uses`
    out += fmt::format("{} a global variable of {}", !same ? "" : is_part ? " is in" : " is", bytes_text(object.bytes));
    return where.empty() ? out : out + ", declared at " + where;
  }
  if (object.sort == "stack")
    return out + fmt::format("{} on the stack of thread {}", same ? " is" : "", object.thread);
  const std::string type = object.type.empty() ? "" : fmt::format(" ({})", object.type);
  out += fmt::format("{} in {} of {}{}", same ? " is" : "", object.sort == "heap" ? "a heap block" : "a mapping",
                     bytes_text(object.bytes), type);
  out += fmt::format(" that thread {} {}", object.thread, object.sort == "heap" ? "allocated" : "mapped");
  return where.empty() ? out : out + " at " + where;
}

} // namespace sooth::report
