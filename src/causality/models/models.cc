// The table of causal models that the explorer can walk through.
#include "causality/models/happens_before.h"
#include "causality/models/model.h"
#include "causality/models/sliced.h"
#include "causality/models/step_model.h"

namespace sooth::causality {

std::span<const ModelRow> model_rows() {
  static constexpr ModelRow rows[] = {
      {"hb", "every pair of conflicting accesses, and of uses of a lock, stays in the observed order",
       make_happens_before},
      {"hb-locks", "conflicting accesses stay in the observed order; blocks of the same lock may be swapped",
       make_happens_before_locks},
      {"whb", "each read sees the write that it saw; for traces in which every lock is released",
       make_weak_happens_before},
      {"whb-locks", "each read sees the write that it saw; blocks of the same lock may be swapped",
       make_weak_happens_before_locks},
      {"maximal", "each read sees the value that it saw, from any write; locks exclude", make_maximal},
      {"full", "as maximal, but reads on which nothing depends that decides may see anything", make_full},
      {"sliced", "relevant events keep the order of what they depend on; blocks of the same lock may be swapped",
       make_sliced},
  };
  return rows;
}

const ModelRow* find_model(std::string_view name) {
  for (const ModelRow& row : model_rows())
    if (row.name == name) return &row;
  return nullptr;
}

} // namespace sooth::causality
