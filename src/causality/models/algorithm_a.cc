#include "causality/models/algorithm_a.h"

namespace sooth::causality {

void AlgorithmA::see(ThreadNumber thread, const SharedClock& clock) {
  Thread& self = threads_[thread];
  if (clock == nullptr || clock == self.shared || covers(self.clock, clock)) return;
  self.clock.join(*clock);
  self.shared = nullptr;
}

void AlgorithmA::count(ThreadNumber thread) {
  Thread& self = threads_[thread];
  self.clock.raise(thread, self.clock[thread] + 1);
  self.shared = nullptr;
}

void AlgorithmA::raise(ThreadNumber thread, ThreadNumber component, Count count) {
  Thread& self = threads_[thread];
  if (self.clock[component] >= count) return;
  self.clock.raise(component, count);
  self.shared = nullptr;
}

const SharedClock& AlgorithmA::now(ThreadNumber thread) {
  Thread& self = threads_[thread];
  if (self.shared == nullptr && !self.clock.empty()) self.shared = std::make_shared<const Clock>(self.clock);
  return self.shared;
}

void AlgorithmA::leave_read(ThreadNumber thread, std::size_t object) {
  Object& self = objects_[object];
  self.access = joined(self.access, now(thread));
}

void AlgorithmA::leave_write(ThreadNumber thread, std::size_t object) {
  // The thread has seen all accesses, so its clock is the maximum.
  objects_[object].access = objects_[object].write = now(thread);
}

SharedClock AlgorithmA::internal(ThreadNumber thread, bool relevant) {
  if (relevant) count(thread);
  return now(thread);
}

SharedClock AlgorithmA::read(ThreadNumber thread, std::size_t object, bool relevant) {
  if (relevant) count(thread);
  see_writes(thread, object);
  leave_read(thread, object);
  return now(thread);
}

SharedClock AlgorithmA::write(ThreadNumber thread, std::size_t object, bool relevant) {
  if (relevant) count(thread);
  see_accesses(thread, object);
  leave_write(thread, object);
  return now(thread);
}

} // namespace sooth::causality
