// Atomic variables that a thread loads, and then stores to what it made of the value.
//
//     T1: n.store(n.load() + 1)      T2: n.fetch_add(1)
//
// Question: may there be an update in two atomic operations that another thread's write comes into?
//   predict/atomicity/split_atomics.h has the exact rule, and asks about runs. Here it is enough
//   that there is such a pair of operations, and that several threads write the variable.
// Cost: a hash lookup for each atomic operation.
#pragma once

#include <algorithm>
#include <cstdint>

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include "trace/program/flow_pairs.h"
#include "trace/trace.h"

namespace sooth::survey {

class SplitStores {
public:
  void begin(const trace::Trace& trace) { flows_ = trace::FlowPairs(trace.static_facts.flows); }
  // Events come thread by thread.
  void begin_thread() { loads_.clear(); }
  void see(const trace::Event& e) {
    if (e.kind == trace::EventKind::AtomicRead) {
      loads_[e.address] = e.site;
      return;
    }
    if (e.kind != trace::EventKind::AtomicWrite && e.kind != trace::EventKind::AtomicRmw) return;
    const auto [writer, fresh] = writers_.try_emplace(e.address, e.thread);
    if (!fresh && writer->second != e.thread) writer->second = kSeveral;
    const auto load = loads_.find(e.address);
    if (load == loads_.end()) return;
    if (e.kind == trace::EventKind::AtomicWrite && flows_.contains(load->second, e.site)) split_.insert(e.address);
    loads_.erase(load);
  }

  // After all events were taken.
  bool any() const {
    return std::ranges::any_of(split_, [&](std::uint64_t address) { return writers_.at(address) == kSeveral; });
  }

private:
  static constexpr std::uint32_t kSeveral = 0xffffffff;

  trace::FlowPairs flows_;
  absl::flat_hash_map<std::uint64_t, std::uint32_t> loads_;   // of the present thread: site, by address
  absl::flat_hash_map<std::uint64_t, std::uint32_t> writers_; // by address
  absl::flat_hash_set<std::uint64_t> split_;                  // addresses
};

} // namespace sooth::survey
