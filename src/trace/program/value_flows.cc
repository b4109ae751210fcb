#include "trace/program/value_flows.h"

#include <algorithm>
#include <map>
#include <set>

#include "trace/fact_numbers.h"
#include "trace/format.h"

namespace sooth::trace {
namespace {

constexpr std::uint64_t kMost = std::uint64_t{1} << 31;
// A value that may reach more stores than this counts as deciding.
constexpr std::size_t kMostStores = 32;

// One module's section. Sites and local functions are numbered for all modules.
class FlowsReader {
public:
  FlowsReader(std::span<const std::uint8_t> payload, std::uint32_t first_site, std::uint32_t sites,
              std::uint64_t first_function)
      : numbers_(payload), first_site_(first_site), sites_(sites), first_function_(first_function) {}

  bool read(ValueFlows& own) {
    if (numbers_.next() != kFlowsVersion) return false;
    for (std::uint32_t* count :
         {&own.modules, &own.modules_without, &own.modules_unseen, &own.modules_main, &own.modules_redirects})
      *count = numbers_.next_below(kMost);
    own.local_functions = numbers_.next_below(kMost);
    for (std::vector<std::uint64_t>* names : {&own.defined, &own.called})
      for (std::uint32_t left = numbers_.next_count(); left != 0 && numbers_.good(); --left)
        names->push_back(numbers_.next());
    local_functions_ = own.local_functions;
    return read_reads(own) && read_passed(own);
  }

private:
  bool read_reads(ValueFlows& own) {
    std::uint32_t row = 0;
    const std::uint32_t reads = numbers_.next_count();
    for (std::uint32_t i = 0; i < reads && numbers_.good(); ++i) {
      const std::uint32_t step = numbers_.next_below(sites_ - row);
      if (i != 0 && step == 0) return false;
      row += step;
      const std::uint32_t kind = numbers_.next_below(1u << 8);
      ValueFlow read{first_site_ + row, kind >> 2, (kind & 1) != 0, (kind & 2) != 0, {}, {}};
      for (std::uint32_t left = numbers_.next_count(); left != 0 && numbers_.good(); --left) {
        const std::uint32_t store = numbers_.next_below(std::uint64_t{sites_} << 1);
        read.stores.push_back({first_site_ + (store >> 1), (store & 1) != 0});
      }
      read_sinks(read.sinks);
      own.reads.push_back(std::move(read));
    }
    return numbers_.good();
  }

  bool read_passed(ValueFlows& own) {
    for (std::uint32_t left = numbers_.next_count(); left != 0 && numbers_.good(); --left) {
      PassedFlow passed;
      passed.slot = slot();
      read_sinks(passed.sinks);
      own.passed.push_back(std::move(passed));
    }
    return numbers_.good();
  }

  void read_sinks(FlowSinks& sinks) {
    for (std::uint32_t left = numbers_.next_count(); left != 0 && numbers_.good(); --left)
      sinks.stores.push_back(first_site_ + numbers_.next_below(sites_));
    for (std::uint32_t left = numbers_.next_count(); left != 0 && numbers_.good(); --left)
      sinks.slots.push_back(slot());
    const std::uint32_t rest = numbers_.next_below(4);
    sinks.decides = (rest & 1) != 0;
    sinks.printed = (rest & 2) != 0;
  }

  FlowSlot slot() {
    FlowSlot out;
    const std::uint32_t kind = numbers_.next_below(kMost);
    out.slot = kind >> 1;
    out.local = (kind & 1) != 0;
    out.function = out.local ? first_function_ + numbers_.next_below(local_functions_) : numbers_.next();
    return out;
  }

  Numbers numbers_;
  const std::uint32_t first_site_, sites_;
  const std::uint64_t first_function_;
  std::uint64_t local_functions_ = 0;
};

class Reach {
public:
  explicit Reach(const ValueFlows& flows) : redirects_(flows.modules_redirects != 0) {
    for (const PassedFlow& passed : flows.passed) passed_[passed.slot].push_back(&passed.sinks);
  }

  ReachedStores from(const FlowSinks& sinks) {
    ReachedStores all{false, {}};
    std::set<std::uint32_t> sites;
    std::set<FlowSlot> seen;
    std::vector<const FlowSinks*> open = {&sinks};
    while (!open.empty() && !all.decides) {
      const FlowSinks& next = *open.back();
      open.pop_back();
      all.decides = next.decides || (next.printed && redirects_);
      sites.insert(next.stores.begin(), next.stores.end());
      all.decides = all.decides || sites.size() > kMostStores || seen.size() > kMostSlots;
      for (const FlowSlot& slot : next.slots) {
        if (all.decides || !seen.insert(slot).second) continue;
        const auto known = passed_.find(slot);
        // A parameter of a function that nobody knows. (No call uses a result that nobody knows.)
        if (known == passed_.end()) all.decides = slot.slot != 0;
        else open.insert(open.end(), known->second.begin(), known->second.end());
      }
    }
    if (!all.decides) all.sites.assign(sites.begin(), sites.end());
    return all;
  }

private:
  static constexpr std::size_t kMostSlots = 256;
  const bool redirects_;
  std::map<FlowSlot, std::vector<const FlowSinks*>> passed_;
};

void put_slot(std::vector<std::uint8_t>& out, const FlowSlot& slot) {
  put_number(out, std::uint64_t{slot.slot} << 1 | (slot.local ? 1 : 0));
  put_number(out, slot.function);
}

void put_sinks(std::vector<std::uint8_t>& out, const FlowSinks& sinks) {
  put_number(out, sinks.stores.size());
  for (const std::uint32_t store : sinks.stores) put_number(out, store - 1);
  put_number(out, sinks.slots.size());
  for (const FlowSlot& slot : sinks.slots) put_slot(out, slot);
  put_number(out, (sinks.decides ? 1 : 0) | (sinks.printed ? 2 : 0));
}

} // namespace

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

std::vector<ReachedStores> reached_stores(const ValueFlows& flows) {
  Reach reach(flows);
  std::vector<ReachedStores> all;
  for (const ValueFlow& read : flows.reads) all.push_back(reach.from(read.sinks));
  return all;
}

bool add_flows(std::span<const std::uint8_t> payload, std::uint32_t first_site, std::uint32_t sites, ValueFlows& all) {
  ValueFlows own;
  if (!FlowsReader(payload, first_site, sites, all.local_functions).read(own)) return false;
  const bool ascends = all.reads.empty() || own.reads.empty() || all.reads.back().site < own.reads.front().site;
  all.reads.insert(all.reads.end(), own.reads.begin(), own.reads.end());
  if (!ascends) std::ranges::sort(all.reads, {}, &ValueFlow::site);
  all.passed.insert(all.passed.end(), own.passed.begin(), own.passed.end());
  all.defined.insert(all.defined.end(), own.defined.begin(), own.defined.end());
  all.called.insert(all.called.end(), own.called.begin(), own.called.end());
  all.modules += own.modules;
  all.modules_without += own.modules_without;
  all.modules_unseen += own.modules_unseen;
  all.modules_main += own.modules_main;
  all.modules_redirects += own.modules_redirects;
  all.local_functions += own.local_functions;
  return true;
}

std::vector<std::uint8_t> flows_payload(const ValueFlows& flows) {
  std::vector<std::uint8_t> out;
  const auto put = [&](std::uint64_t number) { put_number(out, number); };
  put(kFlowsVersion);
  for (const std::uint32_t count :
       {flows.modules, flows.modules_without, flows.modules_unseen, flows.modules_main, flows.modules_redirects})
    put(count);
  put(flows.local_functions);
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
    put_sinks(out, read.sinks);
  }
  put(flows.passed.size());
  for (const PassedFlow& passed : flows.passed) {
    put_slot(out, passed.slot);
    put_sinks(out, passed.sinks);
  }
  out.resize((out.size() + 3) / 4 * 4);
  return out;
}

} // namespace sooth::trace
