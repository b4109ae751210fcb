#include "capture/pass/facts/fact_table.h"

#include <algorithm>
#include <cstring>

#include "trace/fact_numbers.h"
#include "llvm/Support/xxhash.h"

namespace sooth::pass {

using namespace llvm;

std::uint32_t name_number(const Function& function) {
  std::string name = function.getName().str();
  // Other files may have a function of that name, too.
  if (function.hasLocalLinkage()) name += '@' + function.getParent()->getSourceFileName();
  const auto number = static_cast<std::uint32_t>(xxh3_64bits(name));
  return number == 0 ? 1 : number;
}

std::uint32_t FactTable::set_of(const FactSources& sources) {
  if (sources.empty()) return 0;
  const auto [known, fresh] = source_sets_.try_emplace(sources, source_set_list_.size() + 1);
  if (fresh) source_set_list_.push_back(sources);
  return known->second;
}

std::uint32_t FactTable::set_of(std::vector<std::uint32_t> rows) {
  llvm::sort(rows);
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  if (rows.empty()) return 0;
  const auto [known, fresh] = site_sets_.try_emplace(rows, site_set_list_.size() + 1);
  if (fresh) site_set_list_.push_back(rows);
  return known->second;
}

std::uint32_t FactTable::add_function(std::uint32_t row, std::uint32_t name, std::uint32_t parameters,
                                      const FactSources& result) {
  functions_.push_back({row + 1, name, parameters, set_of(result)});
  return static_cast<std::uint32_t>(functions_.size() - 1);
}

void FactTable::add_site(std::uint32_t row, std::uint32_t function, const SiteFact& fact) {
  Numbers numbers = {function, static_cast<std::uint64_t>(fact.role),
                     static_cast<std::uint64_t>(fact.effect) | std::uint64_t{fact.flags} << 4};
  for (const auto& parents : fact.control) numbers.push_back(set_of(parents));
  numbers.push_back(set_of(fact.other_writes));
  for (const FactSources* sources : {&fact.value, &fact.address, &fact.condition, &fact.target})
    numbers.push_back(set_of(*sources));
  numbers.push_back(fact.callee);
  numbers.push_back(fact.arguments.size());
  for (const FactSources& sources : fact.arguments) numbers.push_back(set_of(sources));
  sites_[row] = std::move(numbers);
}

std::vector<std::uint32_t> FactTable::words() const {
  std::vector<std::uint8_t> out;
  const auto put = [&](std::uint64_t number) { trace::put_number(out, number); };
  put(trace::kDependenceVersion);
  put(1); // modules with such facts
  put(0); // and without
  put(source_set_list_.size());
  for (const FactSources& set : source_set_list_) {
    put(set.size());
    for (const FactSource& source : set)
      put(std::uint64_t{source.index} << 4 | std::uint64_t{source.every} << 3 |
          static_cast<std::uint64_t>(source.kind));
  }
  put(site_set_list_.size());
  for (const auto& set : site_set_list_) {
    put(set.size());
    std::uint32_t before = 0;
    for (const std::uint32_t row : set) put(row - before), before = row;
  }
  put(functions_.size());
  for (const Numbers& function : functions_)
    for (const std::uint64_t number : function) put(number);
  put(sites_.size());
  std::uint32_t before = 0;
  for (const auto& [row, numbers] : sites_) {
    put(row - before);
    before = row;
    for (const std::uint64_t number : numbers) put(number);
  }
  out.resize((out.size() + 3) / 4 * 4);
  std::vector<std::uint32_t> words(out.size() / 4);
  std::memcpy(words.data(), out.data(), out.size());
  return words;
}

} // namespace sooth::pass
