// The causal model `sliced` (sliced.cc says what it is).
#pragma once

#include <memory>

#include "causality/models/model.h"

namespace sooth::causality {

Result<std::unique_ptr<Model>> make_sliced(const trace::Trace& trace, const Computation& computation,
                                           const Relevance& relevance);

} // namespace sooth::causality
