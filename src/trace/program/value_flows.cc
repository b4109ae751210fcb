#include "trace/program/value_flows.h"

#include <algorithm>

#include "trace/fact_numbers.h"
#include "trace/format.h"

namespace sooth::trace {

bool ValueFlows::sees_all_code() const {
  if (modules == 0 || modules_without != 0 || modules_unseen != 0 || modules_main == 0) return false;
  std::vector<std::uint64_t> known = defined;
  std::ranges::sort(known);
  return std::ranges::all_of(called, [&](std::uint64_t name) { return std::ranges::binary_search(known, name); });
}

const ValueFlow* ValueFlows::of(std::uint32_t site) const {
  const auto found = std::ranges::lower_bound(reads, site, {}, &ValueFlow::site);
  return found == reads.end() || found->site != site ? nullptr : &*found;
}

bool add_flows(std::span<const std::uint8_t> payload, std::uint32_t first_site, std::uint32_t sites, ValueFlows& all) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 31;
  Numbers numbers(payload);
  ValueFlows own;
  if (numbers.next() != kFlowsVersion) return false;
  own.modules = numbers.next_below(kMost);
  own.modules_without = numbers.next_below(kMost);
  own.modules_unseen = numbers.next_below(kMost);
  own.modules_main = numbers.next_below(kMost);
  for (std::vector<std::uint64_t>* names : {&own.defined, &own.called})
    for (std::uint32_t left = numbers.next_count(); left != 0 && numbers.good(); --left)
      names->push_back(numbers.next());
  std::uint32_t row = 0;
  const std::uint32_t reads = numbers.next_count();
  for (std::uint32_t i = 0; i < reads && numbers.good(); ++i) {
    const std::uint32_t step = numbers.next_below(sites - row);
    if (i != 0 && step == 0) return false;
    row += step;
    const std::uint32_t kind = numbers.next_below(1u << 8);
    ValueFlow read{first_site + row, kind >> 2, (kind & 1) != 0, (kind & 2) != 0, {}};
    for (std::uint32_t left = numbers.next_count(); left != 0 && numbers.good(); --left) {
      const std::uint32_t store = numbers.next_below(std::uint64_t{sites} << 1);
      read.stores.push_back({first_site + (store >> 1), (store & 1) != 0});
    }
    if (!read.is_update && read.stores.empty()) return false; // nothing shows where its value goes
    own.reads.push_back(std::move(read));
  }
  if (!numbers.good()) return false;
  const bool ascends = all.reads.empty() || own.reads.empty() || all.reads.back().site < own.reads.front().site;
  all.reads.insert(all.reads.end(), own.reads.begin(), own.reads.end());
  if (!ascends) std::ranges::sort(all.reads, {}, &ValueFlow::site);
  all.defined.insert(all.defined.end(), own.defined.begin(), own.defined.end());
  all.called.insert(all.called.end(), own.called.begin(), own.called.end());
  all.modules += own.modules;
  all.modules_without += own.modules_without;
  all.modules_unseen += own.modules_unseen;
  all.modules_main += own.modules_main;
  return true;
}

std::vector<std::uint8_t> flows_payload(const ValueFlows& flows) {
  std::vector<std::uint8_t> out;
  const auto put = [&](std::uint64_t number) { put_number(out, number); };
  put(kFlowsVersion);
  for (const std::uint32_t count : {flows.modules, flows.modules_without, flows.modules_unseen, flows.modules_main})
    put(count);
  for (const std::vector<std::uint64_t>* names : {&flows.defined, &flows.called}) {
    put(names->size());
    for (const std::uint64_t name : *names) put(name);
  }
  put(flows.reads.size());
  std::uint32_t before = 1;
  for (const ValueFlow& read : flows.reads) {
    put(read.site - before);
    before = read.site;
    put(std::uint64_t{read.bytes} << 2 | (read.out_of_reach ? 2 : 0) | (read.is_update ? 1 : 0));
    put(read.stores.size());
    for (const FlowStore& store : read.stores) put(std::uint64_t{store.site - 1} << 1 | (store.same_bytes ? 1 : 0));
  }
  out.resize((out.size() + 3) / 4 * 4);
  return out;
}

} // namespace sooth::trace
