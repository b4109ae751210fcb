// An operation of a step as Algorithm A sees it: an access of a variable, which may change it.
#pragma once

#include <cstddef>

#include "causality/computation/computation.h"

namespace sooth::causality {

struct Access {
  std::size_t object = 0;
  bool writes = false;
};

// Locations have their own numbers, locks follow them. A lock is a variable that is written when it
// is acquired and when it is released (shared: read).
inline Access access_of(const Operation& o, const Computation& computation) {
  const std::size_t lock = computation.locations.size() + o.object;
  switch (o.kind) {
  case OperationKind::Read: return {o.object, false};
  case OperationKind::Write: return {o.object, true};
  case OperationKind::HoldBegin:
  case OperationKind::HoldEnd: return {o.object, o.value == 1};
  // A try that fails is like a write: it needs the readers that it ran into.
  case OperationKind::Acquire:
  case OperationKind::Release:
  case OperationKind::TryFailed: return {lock, true};
  case OperationKind::AcquireShared:
  case OperationKind::ReleaseShared: return {lock, false};
  default: break; // is_counted: orders_as_recorded has what these keep to
  }
  return {};
}

} // namespace sooth::causality
