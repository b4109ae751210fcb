#include "trace/program/static_facts.h"

#include <algorithm>
#include <cstring>

#include "trace/fact_numbers.h"

namespace sooth::trace {
namespace {

template <typename T>
void sort_set(std::vector<T>& set) {
  std::sort(set.begin(), set.end());
  set.erase(std::unique(set.begin(), set.end()), set.end());
}

// Reads one module's section on its own. When it is added, its sets and functions get new numbers.
class SectionReader {
public:
  SectionReader(std::span<const std::uint8_t> payload, std::uint32_t first_site, std::uint32_t sites)
      : numbers_(payload), first_site_(first_site), sites_(sites) {}

  bool read() {
    if (numbers_.next() != kDependenceVersion) return false;
    own_.modules = numbers_.next_below(std::uint64_t{1} << 31);
    own_.modules_without = numbers_.next_below(std::uint64_t{1} << 31);
    read_source_sets();
    read_site_sets();
    read_functions();
    read_sites();
    return numbers_.good();
  }

  void add_to(StaticFacts& all) const {
    const auto sources = static_cast<std::uint32_t>(all.source_sets.size() - 1);
    const auto members = static_cast<std::uint32_t>(all.site_sets.size() - 1);
    const auto functions = static_cast<std::uint32_t>(all.functions.size());
    const auto moved = [](std::uint32_t& set, std::uint32_t by) { set = set == 0 ? 0 : set + by; };
    all.source_sets.insert(all.source_sets.end(), own_.source_sets.begin() + 1, own_.source_sets.end());
    all.site_sets.insert(all.site_sets.end(), own_.site_sets.begin() + 1, own_.site_sets.end());
    for (FunctionFacts function : own_.functions) {
      moved(function.result, sources);
      all.functions.push_back(function);
    }
    if (!own_.sites.empty()) all.sites.resize(std::max(all.sites.size(), own_.sites.size() + first_site_));
    for (std::size_t row = 0; row < own_.sites.size(); ++row) {
      if (own_.sites[row].role == SiteRole::None) continue;
      SiteFacts site = own_.sites[row];
      site.function += functions;
      for (SiteSet& set : site.control) moved(set, members);
      moved(site.other_writes, members);
      for (SourceSet* set : {&site.value, &site.address, &site.condition, &site.target}) moved(*set, sources);
      for (SourceSet& set : site.arguments) moved(set, sources);
      all.sites[first_site_ + row] = std::move(site);
    }
    all.modules += own_.modules;
    all.modules_without += own_.modules_without;
  }

private:
  void read_source_sets() {
    const std::uint32_t sets = numbers_.next_count();
    for (std::uint32_t i = 0; i < sets && numbers_.good(); ++i) {
      std::vector<Source>& set = own_.source_sets.emplace_back();
      const std::uint32_t size = numbers_.next_count();
      for (std::uint32_t n = 0; n < size && numbers_.good(); ++n) {
        const std::uint64_t word = numbers_.next();
        const std::uint64_t kind = word & 7, index = word >> 4;
        const bool names_site = kind == static_cast<std::uint64_t>(SourceKind::Load) ||
                                kind == static_cast<std::uint64_t>(SourceKind::CallResult) ||
                                kind == static_cast<std::uint64_t>(SourceKind::Branch);
        // An unknown kind of a later version counts as Unknown.
        Source source;
        if (names_site && index < sites_) {
          source = {static_cast<SourceKind>(kind), (word & 8) != 0, first_site_ + static_cast<std::uint32_t>(index)};
        } else if (kind == static_cast<std::uint64_t>(SourceKind::Parameter) && index < kMostParameters) {
          source = {SourceKind::Parameter, false, static_cast<std::uint32_t>(index)};
        }
        set.push_back(source);
      }
      sort_set(set);
    }
  }

  void read_site_sets() {
    const std::uint32_t sets = numbers_.next_count();
    for (std::uint32_t i = 0; i < sets && numbers_.good(); ++i) {
      std::vector<std::uint32_t>& set = own_.site_sets.emplace_back();
      const std::uint32_t size = numbers_.next_count();
      std::uint32_t row = 0;
      for (std::uint32_t n = 0; n < size && numbers_.good(); ++n) {
        row += numbers_.next_below(sites_ - row);
        set.push_back(first_site_ + row);
      }
      sort_set(set);
    }
  }

  void read_functions() {
    const std::uint32_t functions = numbers_.next_count();
    for (std::uint32_t i = 0; i < functions && numbers_.good(); ++i) {
      FunctionFacts& function = own_.functions.emplace_back();
      const std::uint32_t row = numbers_.next_below(std::uint64_t{sites_} + 1);
      function.site = row == 0 ? 0 : first_site_ + row - 1;
      function.name = numbers_.next_below(std::uint64_t{1} << 32);
      function.parameters = numbers_.next_below(kMostParameters);
      function.result = source_set();
    }
  }

  void read_sites() {
    const std::uint32_t rows = numbers_.next_count();
    std::uint32_t row = 0;
    for (std::uint32_t i = 0; i < rows && numbers_.good(); ++i) {
      row += numbers_.next_below(sites_ - row);
      if (row >= own_.sites.size()) own_.sites.resize(std::size_t{row} + 1);
      SiteFacts& site = own_.sites[row];
      site = {};
      site.function = numbers_.next_below(own_.functions.size());
      site.role = static_cast<SiteRole>(numbers_.next_below(static_cast<std::uint64_t>(SiteRole::Trap) + 1));
      const std::uint32_t effect = numbers_.next_below(1u << 12);
      site.effect = (effect & 15) <= static_cast<std::uint32_t>(CallEffect::Other)
                        ? static_cast<CallEffect>(effect & 15)
                        : CallEffect::Other;
      site.flags = static_cast<std::uint8_t>(effect >> 4);
      for (SiteSet& set : site.control) set = site_set();
      site.other_writes = site_set();
      site.value = source_set();
      site.address = source_set();
      site.condition = source_set();
      site.target = source_set();
      site.callee = numbers_.next_below(std::uint64_t{1} << 32);
      const std::uint32_t arguments = numbers_.next_count();
      for (std::uint32_t n = 0; n < arguments && numbers_.good(); ++n) site.arguments.push_back(source_set());
    }
  }

  SourceSet source_set() { return numbers_.next_below(own_.source_sets.size()); }
  SiteSet site_set() { return numbers_.next_below(own_.site_sets.size()); }

  static constexpr std::uint64_t kMostParameters = 1u << 16;
  Numbers numbers_;
  const std::uint32_t first_site_;
  const std::uint32_t sites_;
  StaticFacts own_; // sites by row
};

void put_sets(std::vector<std::uint8_t>& out, const StaticFacts& facts) {
  put_number(out, facts.source_sets.size() - 1);
  for (std::size_t i = 1; i < facts.source_sets.size(); ++i) {
    put_number(out, facts.source_sets[i].size());
    for (const Source& source : facts.source_sets[i]) {
      const bool names_site = source.kind != SourceKind::Unknown && source.kind != SourceKind::Parameter;
      put_number(out, std::uint64_t{source.index - (names_site ? 1 : 0)} << 4 | std::uint64_t{source.every} << 3 |
                          static_cast<std::uint64_t>(source.kind));
    }
  }
  put_number(out, facts.site_sets.size() - 1);
  for (std::size_t i = 1; i < facts.site_sets.size(); ++i) {
    put_number(out, facts.site_sets[i].size());
    std::uint32_t before = 1;
    for (const std::uint32_t site : facts.site_sets[i]) put_number(out, site - before), before = site;
  }
}

void put_site(std::vector<std::uint8_t>& out, const SiteFacts& site) {
  put_number(out, site.function);
  put_number(out, static_cast<std::uint64_t>(site.role));
  put_number(out, static_cast<std::uint64_t>(site.effect) | std::uint64_t{site.flags} << 4);
  for (const SiteSet set : site.control) put_number(out, set);
  for (const std::uint32_t set : {site.other_writes, site.value, site.address, site.condition, site.target})
    put_number(out, set);
  put_number(out, site.callee);
  put_number(out, site.arguments.size());
  for (const SourceSet set : site.arguments) put_number(out, set);
}

std::vector<std::uint8_t> dependence_payload(const StaticFacts& facts) {
  std::vector<std::uint8_t> payload;
  put_number(payload, kDependenceVersion);
  put_number(payload, facts.modules);
  put_number(payload, facts.modules_without);
  put_sets(payload, facts);
  put_number(payload, facts.functions.size());
  for (const FunctionFacts& function : facts.functions) {
    put_number(payload, function.site);
    put_number(payload, function.name);
    put_number(payload, function.parameters);
    put_number(payload, function.result);
  }
  std::vector<std::uint32_t> rows;
  for (std::uint32_t i = 1; i < facts.sites.size(); ++i)
    if (facts.sites[i].role != SiteRole::None) rows.push_back(i);
  put_number(payload, rows.size());
  std::uint32_t before = 1;
  for (const std::uint32_t site : rows) {
    put_number(payload, site - before);
    before = site;
    put_site(payload, facts.sites[site]);
  }
  payload.resize(round_up(payload.size(), 4));
  return payload;
}

} // namespace

SourceSet StaticFactsBuilder::sources(std::vector<Source> set) {
  sort_set(set);
  const auto at = std::find(facts_.source_sets.begin(), facts_.source_sets.end(), set);
  const auto number = static_cast<SourceSet>(at - facts_.source_sets.begin());
  if (at == facts_.source_sets.end()) facts_.source_sets.push_back(std::move(set));
  return number;
}

SiteSet StaticFactsBuilder::members(std::vector<std::uint32_t> set) {
  sort_set(set);
  const auto at = std::find(facts_.site_sets.begin(), facts_.site_sets.end(), set);
  const auto number = static_cast<SiteSet>(at - facts_.site_sets.begin());
  if (at == facts_.site_sets.end()) facts_.site_sets.push_back(std::move(set));
  return number;
}

// Gives the function a name that no other function has.
std::uint32_t StaticFactsBuilder::add_function(std::uint32_t site, std::uint32_t parameters,
                                               std::vector<Source> result) {
  facts_.functions.push_back({site, site, parameters, sources(std::move(result))});
  return static_cast<std::uint32_t>(facts_.functions.size() - 1);
}

SiteFacts& StaticFactsBuilder::add_site(std::uint32_t site, std::uint32_t function, SiteRole role) {
  if (site >= facts_.sites.size()) facts_.sites.resize(std::size_t{site} + 1);
  facts_.sites[site].function = function;
  facts_.sites[site].role = role;
  return facts_.sites[site];
}

void StaticFactsBuilder::set_control(std::uint32_t site, std::vector<std::uint32_t> parents) {
  facts_.sites[site].control.fill(members(std::move(parents)));
}

StaticFacts StaticFactsBuilder::take() {
  facts_.modules = 1;
  return std::move(facts_);
}

std::vector<std::uint8_t> take_dependence(std::span<const std::uint8_t> sections, std::uint32_t first_site,
                                          std::uint32_t sites, StaticFacts& facts) {
  std::vector<std::uint8_t> rest;
  bool known = false, flows_known = false;
  while (sections.size() >= 8) {
    std::uint32_t head[2];
    std::memcpy(head, sections.data(), sizeof head);
    if (head[1] > sections.size() - 8) break;
    SectionReader reader(sections.subspan(8, head[1]), first_site, sites);
    if (head[0] == kFactDependence && !known && reader.read()) {
      known = true;
      reader.add_to(facts);
    } else if (head[0] == kFactFlows && !flows_known &&
               add_flows(sections.subspan(8, head[1]), first_site, sites, facts.flows)) {
      flows_known = true;
    } else if (head[0] == kFactLeftOut && head[1] == 4) {
      std::uint32_t functions = 0;
      std::memcpy(&functions, sections.data() + 8, sizeof functions);
      facts.functions_left_out += functions;
    } else {
      rest.insert(rest.end(), sections.begin(), sections.begin() + 8 + head[1]);
    }
    sections = sections.subspan(8 + head[1]);
  }
  rest.insert(rest.end(), sections.begin(), sections.end());
  if (!known && sites != 0) ++facts.modules_without;
  if (!flows_known && !known && sites != 0) ++facts.flows.modules_without;
  return rest;
}

std::vector<std::uint8_t> make_dependence(const StaticFacts& facts) {
  std::vector<std::uint8_t> sections;
  if (facts.modules != 0) put_section(sections, kFactDependence, dependence_payload(facts));
  if (facts.flows.modules != 0) put_section(sections, kFactFlows, flows_payload(facts.flows));
  if (facts.functions_left_out != 0) {
    const auto functions = static_cast<std::uint32_t>(std::min<std::uint64_t>(facts.functions_left_out, ~0U));
    std::vector<std::uint8_t> payload(sizeof functions);
    std::memcpy(payload.data(), &functions, sizeof functions);
    put_section(sections, kFactLeftOut, payload);
  }
  return sections;
}

} // namespace sooth::trace
