// The static facts of a module as they are gathered, and as the bytes of their section
// (trace/format.h).
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "capture/pass/facts/control_dependence.h"
#include "capture/pass/facts/data_sources.h"
#include "trace/format.h"

namespace sooth::pass {

struct SiteFact {
  trace::SiteRole role = trace::SiteRole::None;
  trace::CallEffect effect = trace::CallEffect::None;
  std::uint8_t flags = 0;
  std::array<std::vector<std::uint32_t>, kStrengths> control; // rows
  std::vector<std::uint32_t> other_writes;                    // rows
  FactSources value, address, condition, target;
  std::uint32_t callee = 0;
  std::vector<FactSources> arguments;
};

class FactTable {
public:
  // The function's number.
  std::uint32_t add_function(std::uint32_t row, std::uint32_t name, std::uint32_t parameters,
                             const FactSources& result);
  void add_site(std::uint32_t row, std::uint32_t function, const SiteFact& fact);
  std::vector<std::uint32_t> words() const;

private:
  using Numbers = std::vector<std::uint64_t>;
  std::uint32_t set_of(const FactSources& sources);
  std::uint32_t set_of(std::vector<std::uint32_t> rows);

  std::map<FactSources, std::uint32_t> source_sets_;
  std::vector<FactSources> source_set_list_;
  std::map<std::vector<std::uint32_t>, std::uint32_t> site_sets_;
  std::vector<std::vector<std::uint32_t>> site_set_list_;
  std::vector<Numbers> functions_;
  std::map<std::uint32_t, Numbers> sites_; // by row
};

// Stands for the function: the linker's name, and the file's for functions that only their own
// module can call. Never 0.
std::uint32_t name_number(const llvm::Function& function);

} // namespace sooth::pass
