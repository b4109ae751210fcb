#include "cli/commands/show_facts.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace sooth::cli {

using trace::SiteFacts;
using trace::Source;
using trace::SourceKind;
using trace::StaticFacts;

namespace {

using Json = nlohmann::ordered_json;

constexpr std::array<std::string_view, 8> kRoles = {"none", "load", "store",  "update",
                                                    "copy", "call", "branch", "trap"};
constexpr std::array<std::string_view, 5> kEffects = {"none", "reads", "known", "defined", "other"};
constexpr std::array<std::string_view, trace::kControlStrengths> kStrengths = {"classic", "weak",
                                                                               "terminationSensitive"};

std::string source_text(const Source& source) {
  const std::string_view every = source.every ? "every " : "";
  switch (source.kind) {
  case SourceKind::Load: return fmt::format("{}load #{}", every, source.index);
  case SourceKind::Parameter: return fmt::format("parameter {}", source.index);
  case SourceKind::CallResult: return fmt::format("{}result of #{}", every, source.index);
  case SourceKind::Branch: return fmt::format("{}branch #{}", every, source.index);
  case SourceKind::Unknown: break;
  }
  return "unknown";
}

Json sources_json(const StaticFacts& facts, trace::SourceSet set) {
  Json out = Json::array();
  for (const Source& source : facts.sources(set)) out.push_back(source_text(source));
  return out;
}

Json site_json(const trace::Trace& trace, std::uint32_t number) {
  const StaticFacts& facts = trace.static_facts;
  const SiteFacts& site = facts.sites[number];
  const trace::Site& place = trace.sites[number];
  Json out;
  out["site"] = number;
  out["role"] = kRoles[static_cast<std::size_t>(site.role)];
  out["file"] = place.file;
  out["line"] = place.line;
  out["column"] = place.column;
  out["function"] = place.function;
  out["variable"] = place.variable;
  for (std::size_t i = 0; i < kStrengths.size(); ++i)
    out["control"][std::string(kStrengths[i])] = facts.members(site.control[i]);
  out["otherWrites"] = facts.members(site.other_writes);
  out["value"] = sources_json(facts, site.value);
  out["address"] = sources_json(facts, site.address);
  out["condition"] = sources_json(facts, site.condition);
  if (site.role != trace::SiteRole::Call) return out;
  out["effect"] = kEffects[static_cast<std::size_t>(site.effect)];
  out["mayNotReturn"] = (site.flags & trace::kMayNotReturn) != 0;
  out["target"] = sources_json(facts, site.target);
  out["arguments"] = Json::array();
  for (const trace::SourceSet argument : site.arguments) out["arguments"].push_back(sources_json(facts, argument));
  return out;
}

std::string sources_line(const StaticFacts& facts, std::string_view name, trace::SourceSet set) {
  std::string out;
  for (const Source& source : facts.sources(set)) out += (out.empty() ? "" : ", ") + source_text(source);
  return out.empty() ? out : fmt::format("    {}: {}\n", name, out);
}

std::string sites_line(const StaticFacts& facts, std::string_view name, trace::SiteSet set) {
  std::string out;
  for (const std::uint32_t site : facts.members(set)) out += fmt::format("{}#{}", out.empty() ? "" : ", ", site);
  return out.empty() ? out : fmt::format("    {}: {}\n", name, out);
}

void print_site(const trace::Trace& trace, std::uint32_t number, Output& out) {
  const StaticFacts& facts = trace.static_facts;
  const SiteFacts& site = facts.sites[number];
  const trace::Site& place = trace.sites[number];
  out.print("#{} {} {}{}{}:{}:{} in {}\n", number, kRoles[static_cast<std::size_t>(site.role)], place.variable,
            place.variable.empty() ? "" : " ", std::filesystem::path(place.file).filename().string(), place.line,
            place.column, place.function);
  if (site.role == trace::SiteRole::Call)
    out.print("    effect: {}{}\n", kEffects[static_cast<std::size_t>(site.effect)],
              (site.flags & trace::kMayNotReturn) != 0 ? ", may not return" : "");
  for (std::size_t i = 0; i < kStrengths.size(); ++i)
    out.text(sites_line(facts, fmt::format("{} control parents", kStrengths[i]), site.control[i]));
  out.text(sites_line(facts, "other writes decided by", site.other_writes));
  out.text(sources_line(facts, "value", site.value));
  out.text(sources_line(facts, "address", site.address));
  out.text(sources_line(facts, "condition", site.condition));
  out.text(sources_line(facts, "target", site.target));
  for (std::size_t i = 0; i < site.arguments.size(); ++i)
    out.text(sources_line(facts, fmt::format("argument {}", i), site.arguments[i]));
}

// A site whose reads only flow into stores; all others may decide anything.
void print_flow(const trace::Trace& trace, const trace::ValueFlow& flow, const trace::ReachedStores& reached, bool json,
                Output& out) {
  const trace::Site& place = trace.sites[flow.site];
  if (json) {
    Json line;
    line["site"] = flow.site;
    line["role"] = "flow";
    line["file"] = place.file;
    line["line"] = place.line;
    line["column"] = place.column;
    line["function"] = place.function;
    line["variable"] = place.variable;
    line["update"] = flow.is_update;
    line["outOfReach"] = flow.out_of_reach;
    line["stores"] = Json::array();
    for (const trace::FlowStore& store : flow.stores) line["stores"].push_back(store.site);
    if (!reached.decides) line["mayReach"] = reached.sites;
    return out.print("{}\n", line.dump(-1, ' ', false, Json::error_handler_t::replace));
  }
  std::string stores = flow.is_update ? "its own write" : "";
  const auto add = [&](std::uint32_t site) { stores += fmt::format("{}#{}", stores.empty() ? "" : ", ", site); };
  if (!reached.decides) std::ranges::for_each(reached.sites, add);
  else std::ranges::for_each(flow.stores, add, &trace::FlowStore::site);
  if (stores.empty()) stores = "no store";
  out.print("#{} {}{}{}:{}:{} in {}\n    only flows into: {}\n", flow.site, place.variable,
            place.variable.empty() ? "" : " ", std::filesystem::path(place.file).filename().string(), place.line,
            place.column, place.function, stores);
}

} // namespace

void print_facts(const trace::Trace& trace, bool json, Output& out) {
  const StaticFacts& facts = trace.static_facts;
  if (!json) {
    out.print("static facts of {} modules, none of {}; the trace {} for dependence\n", facts.modules,
              facts.modules_without, trace.is_fit_for_dependence() ? "is fit" : "is not fit");
    for (const trace::FunctionFacts& function : facts.functions) {
      const std::string result = sources_line(facts, "returns", function.result);
      if (function.site < trace.sites.size() && !result.empty())
        out.print("function {}\n{}", trace.sites[function.site].function, result);
    }
  }
  for (std::uint32_t number = 0; number < facts.sites.size() && number < trace.sites.size(); ++number) {
    if (facts.sites[number].role == trace::SiteRole::None) continue;
    if (json) out.print("{}\n", site_json(trace, number).dump(-1, ' ', false, Json::error_handler_t::replace));
    else print_site(trace, number, out);
  }
  if (!json && facts.flows.modules != 0)
    out.print("classes of sites of {} modules, none of {}; code without hooks {}\n", facts.flows.modules,
              facts.flows.modules_without, facts.flows.sees_all_code() ? "reads no memory" : "may read memory");
  const std::vector<trace::ReachedStores> reached = trace::reached_stores(facts.flows);
  for (std::size_t i = 0; i < reached.size(); ++i) {
    const trace::ValueFlow& flow = facts.flows.reads[i];
    const bool has_class = !reached[i].decides || !flow.stores.empty();
    if (flow.site < trace.sites.size() && has_class) print_flow(trace, flow, reached[i], json, out);
  }
}

} // namespace sooth::cli
