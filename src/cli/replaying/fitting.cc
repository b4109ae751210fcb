#include "cli/replaying/fitting.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "trace/program/program.h"
#include "trace/trace.h"

namespace sooth::cli {

using replay::Script;
using replay::ScriptPlace;
using replay::ScriptStep;

namespace {

using Spot = std::pair<std::uint32_t, std::uint32_t>;   // line and column
using Function = std::pair<std::string, std::string>;   // its file without folders, its name
using Functions = std::map<Function, std::set<Spot>>;   // of the program, or of the witness
using Moves = std::map<Function, std::map<Spot, Spot>>; // of those that are not where they were

Function function_of(const ScriptPlace& place) { return {replay::base_name(place.file.c_str()), place.function}; }

Functions functions_of(const std::vector<trace::Site>& sites) {
  Functions out;
  for (const trace::Site& site : sites)
    out[{replay::base_name(site.file.c_str()), site.function}].insert({site.line, site.column});
  return out;
}

// By how many lines all of these have moved; nothing if that is not certain.
std::optional<std::map<Spot, Spot>> moved_together(const std::set<Spot>& wanted, const std::set<Spot>& there) {
  std::optional<std::map<Spot, Spot>> out;
  for (const Spot& first : there) {
    if (first.second != wanted.begin()->second) continue;
    const std::int64_t by = std::int64_t{first.first} - wanted.begin()->first;
    std::map<Spot, Spot> moves;
    for (const Spot& spot : wanted)
      if (const Spot now{static_cast<std::uint32_t>(spot.first + by), spot.second}; there.contains(now))
        moves[spot] = now;
    if (moves.size() != wanted.size()) continue;
    if (out) return std::nullopt;
    out = std::move(moves);
  }
  return out;
}

// To the only place in the same column, each of them.
std::optional<std::map<Spot, Spot>> moved_each(const std::set<Spot>& wanted, const std::set<Spot>& there) {
  std::map<Spot, Spot> moves;
  Spot before{0, 0};
  for (const Spot& spot : wanted) {
    const auto same = [&](const Spot& other) { return other.second == spot.second; };
    if (std::ranges::count_if(there, same) != 1) return std::nullopt;
    const Spot now = *std::ranges::find_if(there, same);
    if (now < before) return std::nullopt;
    moves[spot] = before = now;
  }
  return moves;
}

void move(const Moves& moves, ScriptPlace& place) {
  const auto function = moves.find(function_of(place));
  if (function == moves.end()) return;
  const auto now = function->second.find({place.line, place.column});
  if (now != function->second.end()) place.line = now->second.first;
}

void move(const Moves& moves, Script& script) {
  for (ScriptStep& step : script.steps) move(moves, step.place);
  for (auto* event : {&script.early, &script.late}) {
    if (!*event) continue;
    move(moves, (*event)->step.place);
    for (ScriptPlace& call : (*event)->stack) move(moves, call);
  }
}

std::string in_words(const Moves& moves) {
  std::vector<std::string> out;
  for (const auto& [function, spots] : moves) {
    const auto& [was, now] = *spots.begin();
    out.push_back(fmt::format("{}:{} in {} is line {} now", function.first, was.first, function.second, now.first));
  }
  return fmt::format("{}", fmt::join(out, "; "));
}

Error misfit(const Script& script, const ScriptStep& step, const Functions& program) {
  const ScriptPlace& p = step.place;
  const auto has_file = [&](const ScriptStep& other) {
    const std::string file = function_of(other.place).first;
    return other.place.line != 0 &&
           std::ranges::any_of(program, [&](const auto& function) { return function.first.first == file; });
  };
  if (std::ranges::none_of(script.steps, has_file))
    return {fmt::format("the witness was made for another program ({}): this one has no code of {}.", script.program,
                        replay::base_name(p.file.c_str())),
            "", 0, 0};
  const char* changed = program.contains(function_of(p)) ? "the function has changed since" : "it has no such function";
  return {fmt::format("the witness does not fit this program: there is no {} at {}:{}:{} in {} ({}).",
                      trace::kind_name(step.kind), p.file, p.line, p.column, p.function, changed),
          "", 0, 0};
}

} // namespace

Result<Fitted> fitted(const Script& script, const std::string& program) {
  const auto tables = trace::read_program(program);
  if (!tables) return tables.error();
  const Functions there = functions_of(tables.value().tables.sites);
  Functions wanted;
  for (const ScriptStep& step : script.steps)
    if (step.place.line != 0) wanted[function_of(step.place)].insert({step.place.line, step.place.column});
  Moves moves;
  for (const ScriptStep& step : script.steps) {
    const Function function = function_of(step.place);
    if (step.place.line == 0 || moves.contains(function)) continue;
    const std::set<Spot>& spots = wanted[function];
    const auto known = there.find(function);
    if (known != there.end() && std::ranges::includes(known->second, spots)) continue;
    auto moved = known == there.end() ? std::nullopt : moved_together(spots, known->second);
    if (!moved && known != there.end()) moved = moved_each(spots, known->second);
    if (!moved && tables.value().may_grow) continue; // it may come from a library that the program loads
    if (!moved) return misfit(script, step, there);
    moves[function] = std::move(*moved);
  }
  Fitted out{script, in_words(moves)};
  move(moves, out.script);
  return out;
}

} // namespace sooth::cli
