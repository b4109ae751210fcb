// Why a program is about to die by its own decision: a failed assertion, std::terminate, abort.
#pragma once

#include <cstdint>

namespace sooth::runtime {

// The calling thread's last words, as an interned string; 0: it has said nothing.
std::uint32_t last_words();

} // namespace sooth::runtime
