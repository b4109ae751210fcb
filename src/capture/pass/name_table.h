// Names that properties may use and that are constants in the source (trace/format.h, kFactNames): of user events and
// watched variables; and functions whose calls were inlined away, which no property can see.
#pragma once

#include <cstdint>
#include <vector>

#include "capture/pass/site_table.h"
#include "llvm/IR/Module.h"

namespace sooth::pass {

std::vector<std::uint32_t> name_words(const llvm::Module& module, StringTable& strings);

} // namespace sooth::pass
