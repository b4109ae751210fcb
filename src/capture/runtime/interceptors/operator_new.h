// State that malloc and operator new share, so that each object is recorded once.
#pragma once

namespace sooth::runtime {

// Allocations of this thread that malloc and its relatives have seen.
extern __attribute__((tls_model("initial-exec"))) thread_local unsigned t_allocations;
// The object whose end operator delete is recording.
extern __attribute__((tls_model("initial-exec"))) thread_local const void* t_ended;

} // namespace sooth::runtime
