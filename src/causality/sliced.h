// The causal model `sliced` (sliced.cc says what it is).
#pragma once

#include <memory>

#include "causality/model.h"

namespace sooth::causality {

Result<std::unique_ptr<Model>> make_sliced(const trace::Trace& trace, const Computation& computation,
                                           const Relevance& relevance);

} // namespace sooth::causality
