// The layout of the module's variables in memory, as words for the trace (trace/format.h,
// kFactTypes).
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "capture/pass/tables/site_table.h"
#include "trace/format.h"
#include "llvm/IR/DebugInfoMetadata.h"

namespace sooth::pass {

class TypeTable {
public:
  explicit TypeTable(StringTable& strings) : strings_(strings) {}

  // The number of the type; 0: not known. Types that it is made of are added, too, but not what
  // pointers point to.
  std::uint32_t add(const llvm::DIType* type);

  std::uint32_t size() const { return static_cast<std::uint32_t>(rows_.size()); }
  // All rows, in the order of their numbers.
  std::vector<std::uint32_t> words() const;

private:
  using Row = std::vector<std::uint32_t>;

  std::uint32_t add_row(const llvm::DIType* type, trace::TypeKind kind, std::uint64_t bytes);
  std::uint32_t add_enumeration(const llvm::DICompositeType& type);
  std::uint32_t add_structure(const llvm::DICompositeType& type);
  std::uint32_t add_array(const llvm::DICompositeType& type);

  StringTable& strings_;
  std::vector<Row> rows_;
  std::unordered_map<const llvm::DIType*, std::uint32_t> known_;
  unsigned depth_ = 0;
};

} // namespace sooth::pass
