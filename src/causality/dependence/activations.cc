#include "causality/dependence/activations.h"

namespace sooth::causality {

using trace::SiteFacts;
using trace::SiteRole;
using trace::Source;
using trace::SourceKind;

FactIndex::FactIndex(const trace::StaticFacts& all) : facts(all), every_(all.sites.size()) {
  for (std::uint32_t f = 0; f < facts.functions.size(); ++f)
    if (facts.functions[f].site != 0) functions_[facts.functions[f].site] = f;
  for (const auto& set : facts.source_sets)
    for (const Source& source : set)
      if (source.every && source.index < every_.size()) every_[source.index] = true;
}

std::uint32_t FactIndex::function_at(std::uint32_t site) const {
  const auto found = functions_.find(site);
  return found == functions_.end() ? kNoFunction : found->second;
}

bool FactIndex::is_called_directly(const trace::Event& enter) const {
  const std::uint32_t function = function_at(enter.site);
  const SiteFacts& call = facts.of(static_cast<std::uint32_t>(enter.value));
  return call.role == SiteRole::Call && function != kNoFunction && call.callee != 0 &&
         call.callee == facts.functions[function].name;
}

Activations::Activations(const FactIndex& index, Graph graph) : index_(index), graph_(std::move(graph)), stack_(1) {}

Activations::Node Activations::latest(std::uint32_t site) const {
  const auto found = stack_.back().latest.find(site);
  return found == stack_.back().latest.end() ? kNoNode : found->second;
}

void Activations::note(Instances& instances, std::uint32_t site, Node node) {
  instances.latest = node;
  if (!index_.wants_every(site)) return;
  const Node both[] = {instances.every, node};
  instances.every = graph_.join(both);
}

Activations::Node Activations::value_of(trace::SourceSet set) {
  if (set == 0) return kNoNode;
  const Activation& here = stack_.back();
  std::vector<Node> parts;
  const auto add = [&](const absl::flat_hash_map<std::uint32_t, Instances>& of, const Source& source) {
    const auto found = of.find(source.index);
    if (found != of.end()) parts.push_back(source.every ? found->second.every : found->second.latest);
  };
  for (const Source& source : index_.facts.sources(set)) {
    switch (source.kind) {
    case SourceKind::Load: add(here.loads, source); break;
    case SourceKind::CallResult: add(here.results, source); break;
    case SourceKind::Parameter:
      if (source.index < here.parameters.size()) parts.push_back(here.parameters[source.index]);
      break;
    case SourceKind::Branch:
      if (graph_.branches) parts.push_back(latest(source.index));
      break;
    case SourceKind::Unknown: parts.push_back(graph_.everything()); break;
    }
  }
  return graph_.join(parts);
}

void Activations::enter(const trace::Event& enter, Node node) {
  Activation callee;
  callee.call_site = static_cast<std::uint32_t>(enter.value);
  callee.function = index_.function_at(enter.site);
  callee.begun_by = node;
  const SiteFacts& call = index_.facts.of(callee.call_site);
  callee.caller_known = index_.is_called_directly(enter) && call.function == stack_.back().function;
  if (callee.caller_known)
    for (const trace::SourceSet argument : call.arguments) callee.parameters.push_back(value_of(argument));
  stack_.push_back(std::move(callee));
}

void Activations::leave(std::uint64_t remaining, const std::function<void(Node)>& returned) {
  while (stack_.size() > 1 && stack_.size() - 1 > remaining) {
    const std::uint32_t function = stack_.back().function, site = stack_.back().call_site;
    const bool caller_known = stack_.back().caller_known;
    const Node result =
        function == FactIndex::kNoFunction ? graph_.everything() : value_of(index_.facts.functions[function].result);
    stack_.pop_back();
    if (caller_known) note(stack_.back().results[site], site, result);
    else returned(result);
  }
}

} // namespace sooth::causality
