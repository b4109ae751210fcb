#include "predict/races/descriptors.h"

#include <absl/container/flat_hash_map.h>

#include "predict/races/call_races.h"

namespace sooth::predict {
namespace {

using trace::Event;
using trace::EventKind;
using witness::Finding;

constexpr const char* kDescriptorNote =
    "The descriptor is closed while another thread uses it: its number may be another file's by then.";

class Descriptors {
public:
  Descriptors(const trace::Trace& trace, const causality::Computation& computation, const Feasibility& feasibility,
              Coverage& coverage)
      : trace_(trace), coverage_(coverage), races_(trace, computation, feasibility, coverage,
                                                   "more uses of closed descriptors at one place than are tried") {}

  std::vector<Finding> run() {
    for (std::uint32_t i = 0; i < trace_.events.size(); ++i) {
      if (trace_.events[i].kind == EventKind::FdUse) use(i);
      else if (trace_.events[i].kind == EventKind::FdClose) close(i);
    }
    return races_.take();
  }

private:
  // The last use of each thread at each site.
  void use(std::uint32_t index) {
    const Event& e = trace_.events[index];
    std::vector<std::uint32_t>& uses = uses_[e.address];
    std::erase_if(uses, [&](std::uint32_t other) {
      return trace_.events[other].thread == e.thread && trace_.events[other].site == e.site;
    });
    if (uses.size() == kMaxTouches) {
      if (forgotten_++ == 0)
        coverage_.undecided_because("a file descriptor was used at more places than are remembered");
      uses.erase(uses.begin());
    }
    uses.push_back(index);
  }

  void close(std::uint32_t index) {
    const Event& e = trace_.events[index];
    const auto uses = uses_.extract(e.address);
    if (uses.empty()) return;
    for (const std::uint32_t use : uses.mapped())
      if (trace_.events[use].thread != e.thread) races_.ask(use, index, kDescriptorNote);
  }

  const trace::Trace& trace_;
  Coverage& coverage_;
  CallRaces races_;
  absl::flat_hash_map<std::uint64_t, std::vector<std::uint32_t>> uses_; // by descriptor, since it was closed last
  std::size_t forgotten_ = 0;
};

} // namespace

std::vector<Finding> find_descriptor_races(const trace::Trace& trace, const causality::Computation& computation,
                                           const Feasibility& feasibility, Coverage& coverage) {
  return Descriptors(trace, computation, feasibility, coverage).run();
}

} // namespace sooth::predict
