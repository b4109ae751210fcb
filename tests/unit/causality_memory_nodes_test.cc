// What memory depends on, compared with a table that has an entry for each byte.
#include "causality/dependence/memory_nodes.h"

#include <map>
#include <set>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

namespace sooth::causality {
namespace {

std::set<DependenceNode> read(const MemoryNodes& memory, std::uint64_t address, std::uint64_t size) {
  std::vector<DependenceNode> nodes;
  memory.read(address, size, nodes);
  return {nodes.begin(), nodes.end()};
}

TEST(MemoryNodes, AnIntegersLastWriteIsAllThatItDependsOn) {
  MemoryNodes memory;
  memory.write(0x100, 4, 1);
  memory.write(0x104, 4, 2);
  memory.write(0x100, 4, 3);
  EXPECT_EQ(read(memory, 0x100, 4), std::set<DependenceNode>{3});
  EXPECT_EQ(read(memory, 0x100, 8), (std::set<DependenceNode>{2, 3}));
  memory.write(0x100, 8, StepDependence::kNoNode);
  EXPECT_TRUE(read(memory, 0x100, 8).empty());
}

RC_GTEST_PROP(MemoryNodes, NothingIsForgotten, ()) {
  MemoryNodes memory;
  std::map<std::uint64_t, DependenceNode> bytes;
  std::map<DependenceNode, std::pair<std::uint64_t, std::uint64_t>> written;
  const auto writes = *rc::gen::inRange<DependenceNode>(0, 20);
  for (DependenceNode node = 0; node < writes; ++node) {
    const auto address = *rc::gen::inRange<std::uint64_t>(0, 24), size = *rc::gen::inRange<std::uint64_t>(0, 12);
    const bool depends = *rc::gen::inRange(0, 4) != 0;
    memory.write(address, size, depends ? node : StepDependence::kNoNode);
    for (std::uint64_t b = address; b < address + size; ++b) {
      if (depends) bytes[b] = node;
      else bytes.erase(b);
    }
    written[node] = {address, address + size};
  }
  const auto address = *rc::gen::inRange<std::uint64_t>(0, 30), size = *rc::gen::inRange<std::uint64_t>(1, 12);
  const std::set<DependenceNode> found = read(memory, address, size);
  for (std::uint64_t b = address; b < address + size; ++b)
    if (const auto last = bytes.find(b); last != bytes.end()) RC_ASSERT(found.contains(last->second));
  for (const DependenceNode node : found)
    RC_ASSERT(written[node].first < address + size && written[node].second > address);
}

} // namespace
} // namespace sooth::causality
