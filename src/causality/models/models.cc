// The table of causal models that the explorer can walk through.
#include "causality/models/model.h"

namespace sooth::causality {

std::span<const ModelRow> model_rows() {
  static constexpr ModelRow rows[] = {
#define SOOTH_MODEL(enumerator, name, make, reads, locks, needs, question, sentence) {name, make},
#include "causality/models/models.def"
#undef SOOTH_MODEL
  };
  return rows;
}

const ModelRow* find_model(std::string_view name) {
  for (const ModelRow& row : model_rows())
    if (row.name == name) return &row;
  return nullptr;
}

} // namespace sooth::causality
