// Future-time formulas are about infinite runs. Sooth can write down only lassos: u, then v for
// ever.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "logic/monitor.h"

namespace sooth::logic {

// A `liveness` property, compiled. Immutable, may be used by several threads at once.
class LassoFormula {
public:
  virtual ~LassoFormula() = default;

  // Whether u v v v ... satisfies the formula. `v` must not be empty; u may be. Letters as for
  // monitors. Polynomial: (size of the formula) * (length of u and v).
  virtual bool holds(std::span<const Letter> u, std::span<const Letter> v) const = 0;
};

using LassoPointer = std::shared_ptr<const LassoFormula>;

} // namespace sooth::logic
